// A sum by shuffles within a warp, then one of the warps' sums.
#include "kernel.cuh"

__device__ double sum_of_warp(double value) {
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

__global__ void sum(const double *x, double *partial, int n) {
    __shared__ double sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i];
    sum = sum_of_warp(sum);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = sum_of_warp(lane < blockDim.x / 32 ? sums[lane] : 0.0);
        if (lane == 0)
            partial[blockIdx.x] = sum;
    }
}

BENCH_KERNEL(sum)
