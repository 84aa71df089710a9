// Running sums by shuffles within a warp, then those of the warps.
#include "kernel.cuh"

__device__ int running_sum(int value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        int before = __shfl_up_sync(0xffffffff, value, distance);
        if (lane >= distance)
            value += before;
    }
    return value;
}

__global__ void scan(const int *from, int *to) {
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = running_sum(from[i], lane);
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0)
        sums[lane] = running_sum(lane < blockDim.x / 32 ? sums[lane] : 0, lane);
    __syncthreads();
    to[i] = sum + (warp > 0 ? sums[warp - 1] : 0);
}

BENCH_KERNEL(scan)
