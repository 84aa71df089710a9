// An image without a region: variables that the host reads, writes and finds on the device.

#include <stddef.h>
#include <stdio.h>

#include <omp.h>

int counter = 42;
int other[4] = {1, 2, 3, 4};
#pragma omp declare target to(counter, other)

int main(void) {
    counter = 0;
#pragma omp target update from(counter)
    if (counter != 42)
        return printf("FAIL: counter is %d\n", counter);
    other[2] = 30;
#pragma omp target update to(other)
    int device = omp_get_default_device(), read = 0;
    void *there = omp_get_mapped_ptr(&other, device);
    if (omp_target_memcpy(&read, there, sizeof(int), 0, 2 * sizeof(int), omp_get_initial_device(), device) || read != 30)
        return printf("FAIL: other[2] is %d\n", read);
    return puts("PASS") < 0;
}
