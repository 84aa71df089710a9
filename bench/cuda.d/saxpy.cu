#include "kernel.cuh"

__global__ void saxpy(const float *x, float *y, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}

BENCH_KERNEL(saxpy)
