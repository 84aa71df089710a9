// Copies between host and device, of pinned and of pageable memory.
#include <omp.h>

#include "peers.h"

// Pinned memory: routines of LLVM's libomptarget and of ours.
void *llvm_omp_target_alloc_host(size_t bytes, int device);
void llvm_omp_target_free_host(void *memory, int device);

static long n;
static float *memory;

static void to_device(void) {
    float *data = memory;
#pragma omp target update to(data[0 : n])
}

static void to_host(void) {
    float *data = memory;
#pragma omp target update from(data[0 : n])
}

// Copies there, changes there, copies back.
static long check_values(void) {
    float *data = memory;
    long wrong = 0;
    for (long i = 0; i < n; i++)
        data[i] = (float)(i % 1000);
    to_device();
#pragma omp target teams distribute parallel for
    for (long i = 0; i < n; i++)
        data[i] += 1.0f;
    to_host();
    for (long i = 0; i < n; i++)
        wrong += data[i] != (float)(i % 1000 + 1);
    return wrong;
}

static long both_ways(float *data, const char *to, const char *from, int samples) {
    if (!data) {
        fprintf(stderr, "%s: no memory for %ld bytes\n", to, n * (long)sizeof *data);
        exit(1);
    }
    memory = data;
#pragma omp target enter data map(alloc : data[0 : n])
    long wrong = check_values();
    measure(to, (double)n * sizeof *data, 1, samples, to_device);
    measure(from, (double)n * sizeof *data, 1, samples, to_host);
#pragma omp target exit data map(release : data[0 : n])
    return wrong;
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    int device = omp_get_default_device();
    n = chosen.elements;
    float *pinned = (float *)llvm_omp_target_alloc_host(n * sizeof *pinned, device);
    long wrong = both_ways(pinned, "to device, pinned", "from device, pinned", chosen.samples);
    llvm_omp_target_free_host(pinned, device);
    float *pageable = (float *)malloc(n * sizeof *pageable);
    wrong += both_ways(pageable, "to device, pageable", "from device, pageable", chosen.samples);
    free(pageable);
    return ended(wrong);
}
