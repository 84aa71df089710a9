// How long libomp's threads look for work before they sleep, in ms: before the first target region, and after it.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc > 1)
        kmp_set_blocktime(atoi(argv[1]));
    int before = kmp_get_blocktime(), device = 0;
#pragma omp target map(from : device)
    device = !omp_is_initial_device();
    printf("%d %d %d\n", before, device, kmp_get_blocktime());
    return 0;
}
