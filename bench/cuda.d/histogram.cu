#include "kernel.cuh"

enum { BINS = 256 };

__global__ void histogram(const unsigned short *pixels, unsigned *bins, int n) {
    __shared__ unsigned own[BINS];
    int share = n / gridDim.x, first = blockIdx.x * share;
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = first + threadIdx.x; i < first + share; i += blockDim.x)
        atomicAdd(&own[pixels[i] >> 4], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&bins[i], own[i]);
}

BENCH_KERNEL(histogram)
