// Map types, map modifiers, array sections and reference counts.

#include "check.h"

// libomptarget has the routine; without offload nothing asks.
#ifdef OFFLOAD
static int present(const void *p) { return omp_target_is_present(p, omp_get_default_device()); }
#else
static int present(const void *p) { return p != NULL; }
#endif

static void to_from(void) {
    int to = 1, from = 2, both = 3, seen = 0;
#pragma omp target map(to : to) map(from : from) map(tofrom : both, seen)
    {
        seen = to + both;
        to = 100;
        from = 200;
        both += 300;
    }
    EXPECT(seen, 4);
    EXPECT(from, 200);
    EXPECT(both, 303);
    if (offloading())
        EXPECT(to, 1);
}

static void sections(void) {
    int a[100];
    for (int i = 0; i < 100; i++)
        a[i] = i;
    // Lower bound; the region uses the original indices.
#pragma omp target map(tofrom : a[20 : 30])
    for (int i = 20; i < 50; i++)
        a[i] += 1000;
    EXPECT(a[19], 19);
    EXPECT(a[20], 1020);
    EXPECT(a[49], 1049);
    EXPECT(a[50], 50);

    // Through a pointer, with lower bound, with variable bounds, with omitted lower bound.
    int *p = a, low = 60, length = 7;
#pragma omp target map(tofrom : p[low : length])
    for (int i = low; i < low + length; i++)
        p[i] = -i;
#pragma omp target map(tofrom : p[: 5])
    p[4] = -4;
    EXPECT(a[60], -60);
    EXPECT(a[66], -66);
    EXPECT(a[67], 67);
    EXPECT(a[4], -4);

    // Two dimensions, whole rows; a pointer to an array.
    int m[8][5], (*q)[5] = m;
    for (int i = 0; i < 40; i++)
        m[i / 5][i % 5] = i;
#pragma omp target map(tofrom : m[2 : 3][0 : 5])
    for (int i = 0; i < 15; i++)
        m[2 + i / 5][i % 5] *= 2;
    EXPECT(m[1][4], 9);
    EXPECT(m[2][0], 20);
    EXPECT(m[4][4], 48);
    EXPECT(m[5][0], 25);
#pragma omp target map(tofrom : q[6 : 2])
    q[7][4] = q[6][0] + 1;
    EXPECT(m[7][4], 31);

    // Zero length: nothing is copied, the pointer is translated if its target is mapped.
    int seen = 0;
#pragma omp target data map(to : a)
    {
#pragma omp target map(p[0 : 0]) map(from : seen)
        seen = p[70];
    }
    EXPECT(seen, 70);
}

static void variable_length(int n) {
    double vla[n];
    int rows = n / 2;
    int grid[rows][n];
    for (int i = 0; i < n; i++)
        vla[i] = i;
#pragma omp target map(tofrom : vla) map(from : grid)
    {
        for (int i = 0; i < n; i++)
            vla[i] *= 2;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < n; c++)
                grid[r][c] = r * n + c;
    }
    EXPECT(vla[n - 1], 2 * (n - 1));
    EXPECT(grid[rows - 1][n - 1], rows * n - 1);
}

static void reference_counts(void) {
    int x = 1, offload = offloading();
    // While an outer region holds x, inner maps copy nothing.
#pragma omp target data map(tofrom : x)
    {
        x = 2;
#pragma omp target map(tofrom : x)
        x += 10;
        if (offload) {
            EXPECT(x, 2);
            EXPECT(present(&x), 1);
        }
        // `always` copies although x is there already.
#pragma omp target map(always, tofrom : x)
        x += 100;
        EXPECT(x, offload ? 102 : 112);
#pragma omp target map(always, to : x)
        x += 1000;
    }
    EXPECT(x, offload ? 1102 : 1112);
    if (offload)
        EXPECT(present(&x), 0);
}

static void alloc_release_delete(void) {
    int offload = offloading();
    int a[10] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, sum = 0;
#pragma omp target enter data map(alloc : a)
#pragma omp target enter data map(to : a) // second reference: copies nothing
#pragma omp target map(tofrom : sum)
    {
        for (int i = 0; i < 10; i++)
            a[i] = i;
        for (int i = 0; i < 10; i++)
            sum += a[i];
    }
    EXPECT(sum, 45);
#pragma omp target exit data map(release : a)
    if (offload) {
        EXPECT(present(a), 1);
        EXPECT(a[3], 7);
    }
#pragma omp target exit data map(from : a) // last reference: copies back
    EXPECT(a[3], 3);
    if (offload)
        EXPECT(present(a), 0);

    // delete drops every reference without copying.
#pragma omp target enter data map(to : a)
#pragma omp target enter data map(to : a)
#pragma omp target map(tofrom : a)
    a[5] = 55;
#pragma omp target exit data map(delete : a)
    if (offload) {
        EXPECT(present(a), 0);
        EXPECT(a[5], 5);
    }
    // Of something not mapped: no effect, no error.
#pragma omp target exit data map(delete : a)
#pragma omp target exit data map(release : a)
#pragma omp target exit data map(from : a)
}

static void conditions(void) {
    int x = 0, host = 0, offload = offloading();
#pragma omp target if (0) map(tofrom : x) map(from : host)
    {
        host = omp_is_initial_device();
        x = 1;
    }
    EXPECT(host, 1);
    EXPECT(x, 1);
#pragma omp target data if (0) map(tofrom : x)
    {
        if (offload)
            EXPECT(present(&x), 0);
#pragma omp target device(omp_get_initial_device()) map(tofrom : host)
        host = 10 + omp_is_initial_device();
    }
    EXPECT(host, 11);
    for (int device = 0; device < omp_get_num_devices(); device++) {
#pragma omp target device(device) map(from : host)
        host = omp_is_initial_device();
        EXPECT(host, 0);
    }
}

static void overlapping(void) {
    int a[20] = {0};
    // Extending what is mapped is an error; a part of it is fine and refers to the same memory.
#pragma omp target data map(tofrom : a)
    {
#pragma omp target map(tofrom : a[5 : 5])
        a[7] = 7;
#pragma omp target map(to : a[0 : 10])
        a[2] = a[7] + 1;
    }
    EXPECT(a[7], 7);
    EXPECT(a[2], 8);
}

static void implicit(void) {
    // Arrays are mapped tofrom implicitly, scalars firstprivate, pointers as zero-length sections.
    int a[4] = {1, 2, 3, 4}, scalar = 9, *p = a;
#pragma omp target
    {
        a[0] += scalar;
        scalar = 0;
    }
    EXPECT(a[0], 10);
    EXPECT(scalar, 9);
#pragma omp target data map(tofrom : p[0 : 4])
#pragma omp target
    p[3] = 40;
    EXPECT(a[3], 40);
#pragma omp target defaultmap(tofrom : scalar)
    scalar = 12;
    EXPECT(scalar, 12);
}

int main(void) {
    to_from();
    sections();
    variable_length(13);
    reference_counts();
    alloc_release_delete();
    conditions();
    overlapping();
    implicit();
    return done();
}
