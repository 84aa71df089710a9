// A region on every device, and a copy from each to the next: with images for GPUs of two makers, each takes its own
// (tests/tests/amdgpu_device.rs).
#include <omp.h>
#include <stdio.h>

int main(void) {
    int devices = omp_get_num_devices();
    for (int device = 0; device < devices; device++) {
        int sum = 0;
#pragma omp target teams distribute parallel for device(device) map(tofrom : sum) reduction(+ : sum)
        for (int i = 0; i <= 1000; i++)
            sum += i;
        if (sum != 500500) {
            printf("FAIL: %d on device %d\n", sum, device);
            return 1;
        }
    }
    int numbers[100], found[100];
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    int host = omp_get_initial_device(), last = host;
    int *before = numbers;
    for (int device = 0; device < devices; device++) {
        int *here = omp_target_alloc(sizeof numbers, device);
        int failed = omp_target_memcpy(here, before, sizeof numbers, 0, 0, device, last);
#pragma omp target is_device_ptr(here) device(device)
        for (int i = 0; i < 100; i++)
            here[i]++;
        if (failed) {
            printf("FAIL: no copy to device %d\n", device);
            return 1;
        }
        if (last != host)
            omp_target_free(before, last);
        before = here, last = device;
    }
    omp_target_memcpy(found, before, sizeof found, 0, 0, host, last);
    omp_target_free(before, last);
    for (int i = 0; i < 100; i++)
        if (found[i] != i + devices) {
            printf("FAIL: %d is %d\n", i, found[i]);
            return 1;
        }
    printf("PASS on %d devices\n", devices);
    return 0;
}
