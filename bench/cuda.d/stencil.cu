#include "kernel.cuh"

__global__ void stencil(const float *from, float *to) {
    int columns = gridDim.x * blockDim.x, rows = gridDim.y * blockDim.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int at = row * columns + column;
    if (row > 0 && row < rows - 1 && column > 0 && column < columns - 1)
        to[at] = 0.5f * from[at] + 0.125f * (from[at - columns] + from[at + columns] + from[at - 1] + from[at + 1]);
}

BENCH_KERNEL(stencil)
