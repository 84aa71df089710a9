// The device data environment: enter, exit, update, device pointers, memory routines.

#include "check.h"

static void update(void) {
    int a[12], offload = offloading();
    for (int i = 0; i < 12; i++)
        a[i] = i;
#pragma omp target enter data map(to : a)
#pragma omp target
    for (int i = 0; i < 12; i++)
        a[i] += 100;
    if (offload)
        EXPECT(a[0], 0);
#pragma omp target update from(a[3 : 2])
    EXPECT(a[3], 103);
    EXPECT(a[4], 104);
    EXPECT(a[5], offload ? 5 : 105);
    a[6] = -6;
#pragma omp target update to(a[6 : 1])
#pragma omp target exit data map(from : a)
    EXPECT(a[6], -6);
    EXPECT(a[11], 111);
    // Of something not mapped: no effect.
    a[1] = 1;
#pragma omp target update to(a)
#pragma omp target update from(a)
    EXPECT(a[1], 1);
    // Under a false condition: no effect.
#pragma omp target data map(to : a)
    {
        a[2] = 2;
#pragma omp target update from(a) if (0)
        EXPECT(a[2], 2);
    }
}

// `update` of every second element and of a column block (OpenMP 5.0, non-contiguous).
static void strided_update(void) {
    int a[10] = {0}, m[6][7] = {{0}}, offload = offloading();
#pragma omp target enter data map(to : a, m)
#pragma omp target
    {
        for (int i = 0; i < 10; i++)
            a[i] = i + 1;
        for (int i = 0; i < 42; i++)
            m[i / 7][i % 7] = i + 1;
    }
#pragma omp target update from(a[0 : 5 : 2])
    EXPECT(a[0], 1);
    EXPECT(a[1], offload ? 0 : 2);
    EXPECT(a[8], 9);
#pragma omp target update from(m[1 : 3][2 : 4])
    EXPECT(m[1][2], 10);
    EXPECT(m[3][5], 27);
    EXPECT(m[1][6], offload ? 0 : 14);
    EXPECT(m[4][2], offload ? 0 : 31);
#pragma omp target exit data map(delete : a, m)
}

// The same with a length that the compiler does not know. clang then gives bytes instead of the number of dimensions.
static void strided_update_of_any_length(int n, int columns) {
    int *p = calloc(40, sizeof *p), m[6][7] = {{0}}, offload = offloading();
#pragma omp target enter data map(to : p[0 : 40], m)
#pragma omp target
    {
        for (int i = 0; i < 40; i++)
            p[i] = i + 1;
        for (int i = 0; i < 42; i++)
            m[i / 7][i % 7] = i + 1;
    }
#pragma omp target update from(p[0 : n : 3])
    for (int i = 0; i < 40; i++)
        EXPECT(p[i], !offload || (i % 3 == 0 && i / 3 < n) ? i + 1 : 0);
#pragma omp target update from(m[1 : 3][1 : columns : 2])
    for (int i = 0; i < 42; i++) {
        int row = i / 7, column = i % 7, in = column % 2 == 1 && column / 2 < columns;
        EXPECT(m[row][column], !offload || (row >= 1 && row < 4 && in) ? i + 1 : 0);
    }
#pragma omp target exit data map(delete : p[0 : 40], m)
    free(p);
}

static void use_device(void) {
    int a[8], *p = a;
    for (int i = 0; i < 8; i++)
        a[i] = i;
    // use_device_ptr: inside, p is the device address.
#pragma omp target data map(tofrom : p[0 : 8])
    {
        int *outside = p;
#pragma omp target data use_device_ptr(p)
        {
            if (offloading())
                EXPECT(p != outside, 1);
#pragma omp target is_device_ptr(p)
            p[2] = 22;
        }
        EXPECT(p == outside, 1);
#pragma omp target data use_device_addr(a)
        {
            int *q = &a[0];
#pragma omp target is_device_ptr(q)
            q[3] = 33;
        }
    }
    EXPECT(a[2], 22);
    EXPECT(a[3], 33);
}

// libomptarget has the memory routines: a program compiled without offload does not link with it.
#ifdef OFFLOAD

// Memory of the device, obtained and filled by hand.
static void device_memory(void) {
    int a[8] = {0, 1, 22, 33}, device = omp_get_default_device();
    int *d = omp_target_alloc(8 * sizeof *d, device);
    EXPECT(d != NULL, 1);
    EXPECT(omp_target_memcpy(d, a, 8 * sizeof *a, 0, 0, device, omp_get_initial_device()), 0);
#pragma omp target teams distribute parallel for is_device_ptr(d)
    for (int i = 0; i < 8; i++)
        d[i] *= 2;
    EXPECT(omp_target_memcpy(a, d, 4 * sizeof *a, 4 * sizeof *a, 0, omp_get_initial_device(), device), 0);
    EXPECT(a[4], 0);
    EXPECT(a[6], 44);
    omp_target_free(d, device);
    omp_target_free(NULL, device);
}

static void rectangles(void) {
    int host[6][5], back[6][5] = {{0}}, device = omp_get_default_device(), initial = omp_get_initial_device();
    for (int i = 0; i < 30; i++)
        host[i / 5][i % 5] = i;
    int *d = omp_target_alloc(sizeof host, device);
    size_t dims[2] = {6, 5}, volume[2] = {3, 2}, from[2] = {1, 2}, to[2] = {2, 1}, none[2] = {0, 0}, all[2] = {6, 5};
    EXPECT(omp_target_memcpy_rect(d, host, sizeof(int), 2, volume, to, from, dims, dims, device, initial), 0);
    EXPECT(omp_target_memcpy_rect(back, d, sizeof(int), 2, all, none, none, dims, dims, initial, device), 0);
    EXPECT(back[2][1], host[1][2]);
    EXPECT(back[4][2], host[3][3]);
    omp_target_free(d, device);
    // Called with null pointers it tells how many dimensions it can do.
    EXPECT(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, device, initial) >= 3, 1);
}

static void associate(void) {
    int device = omp_get_default_device(), value = 5, seen = 0;
    if (!offloading())
        return; // association with the initial device is not defined
    int *d = omp_target_alloc(sizeof *d, device);
    EXPECT(omp_target_is_present(&value, device), 0);
    EXPECT(omp_target_associate_ptr(&value, d, sizeof value, 0, device), 0);
    EXPECT(omp_target_is_present(&value, device), 1);
#pragma omp target map(always, to : value) map(from : seen)
    {
        seen = value;
        value = 6;
    }
    EXPECT(seen, 5);
    EXPECT(value, 5);
    EXPECT(omp_get_mapped_ptr(&value, device) == d, 1);
    EXPECT(omp_target_disassociate_ptr(&value, device), 0);
    EXPECT(omp_target_is_present(&value, device), 0);
    EXPECT(omp_target_memcpy(&value, d, sizeof value, 0, 0, omp_get_initial_device(), device), 0);
    EXPECT(value, 6);
    omp_target_free(d, device);
}

#endif // OFFLOAD

static void present_modifier(void) {
    int a[4] = {1, 2, 3, 4};
#pragma omp target data map(tofrom : a)
    {
#pragma omp target map(present, tofrom : a)
        a[1] = 20;
#pragma omp target update from(present : a)
    }
    EXPECT(a[1], 20);
}

static void devices(void) {
    EXPECT(omp_get_initial_device() == omp_get_num_devices(), 1);
    EXPECT(omp_is_initial_device(), 1);
    omp_set_default_device(0);
    EXPECT(omp_get_default_device(), 0);
    int number = -1;
#pragma omp target map(from : number)
    number = omp_get_device_num();
    EXPECT(number, offloading() ? 0 : omp_get_initial_device());
}

// Large and odd sizes survive the way there and back.
static void sizes(void) {
    for (int size = 1; size < 5000000; size = size * 7 + 3) {
        unsigned char *bytes = malloc(size);
        int wrong = 0;
        memset(bytes, 0x5a, size);
#pragma omp target teams distribute parallel for map(tofrom : bytes[0 : size])
        for (int i = 0; i < size; i++)
            bytes[i] ^= (unsigned char)i;
        for (int i = 0; i < size; i++)
            wrong += bytes[i] != (0x5a ^ (i & 0xff));
        EXPECT(wrong, 0);
        free(bytes);
    }
}

int main(void) {
    update();
    strided_update();
    for (int n = 0; n <= 13; n++)
        strided_update_of_any_length(n, n % 4);
    use_device();
#ifdef OFFLOAD
    device_memory();
    rectangles();
    associate();
#endif
    present_modifier();
    devices();
    sizes();
    return done();
}
