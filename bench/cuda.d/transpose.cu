#include "kernel.cuh"

enum { TILE = 32 };

__global__ void transpose(const float *from, float *to) {
    __shared__ float tile[TILE][TILE + 1];
    int n = gridDim.x * TILE, x = threadIdx.x, row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    for (int y = threadIdx.y; y < TILE; y += blockDim.y)
        tile[y][x] = from[(row0 + y) * n + column0 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += blockDim.y)
        to[(column0 + y) * n + row0 + x] = tile[x][y];
}

BENCH_KERNEL(transpose)
