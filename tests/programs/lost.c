// A device that is lost after an error: later calls on it say so, another device and the host go on, and the program ends in
// order. For a driver that fails the first copy within a device.
#include <omp.h>
#include <stdio.h>

int main(void) {
    int host = omp_get_initial_device();
    int value = 42, copy = 0;
    int *lost = omp_target_alloc(2 * sizeof *lost, 0);
    int *other = omp_target_alloc(sizeof *other, 1);
    if (!lost || !other)
        return 2;
    if (omp_target_memcpy(lost, &value, sizeof value, 0, 0, 0, host) != 0)
        return 3;
    // The driver fails here, and answers nothing from then on.
    if (omp_target_memcpy(lost, lost, sizeof value, sizeof value, 0, 0, 0) == 0)
        return 4;
    if (omp_target_memcpy(&copy, lost, sizeof copy, 0, 0, host, 0) == 0)
        return 5;
    if (omp_target_memcpy(other, &value, sizeof value, 0, 0, 1, host) != 0)
        return 6;
    if (omp_target_memcpy(&copy, other, sizeof copy, 0, 0, host, 1) != 0 || copy != value)
        return 7;
#pragma omp target map(tofrom : copy) device(1)
    copy += !omp_is_initial_device();
#pragma omp target map(tofrom : copy) device(host)
    copy += omp_is_initial_device();
    omp_target_free(other, 1);
    puts(copy == value + 2 ? "PASS" : "FAIL");
    return 0;
}
