// For the programs in CUDA and HIP: what peers.h has, and a check of each call.
#ifdef __HIP__
#include "hip.cuh"
#endif

#include "peers.h"

#define check(call) check_at(call, __FILE__, __LINE__)

static inline void check_at(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
        exit(1);
    }
}
