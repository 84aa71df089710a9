// A region on every device: with images for GPUs of two makers, each takes its own (tests/tests/amdgpu_device.rs).
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
    printf("PASS on %d devices\n", devices);
    return 0;
}
