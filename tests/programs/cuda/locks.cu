// Blocks that write one array in turn: one thread of each takes a lock for its block, as in HeCBench's `lda`.
#include <cstdio>

constexpr int length = 1000, blocks = 300;

__global__ void add_up(int *lock, int *sums) {
  if (threadIdx.x == 0)
    while (atomicCAS(lock, 0, 1)) {
    }
  __syncthreads();
  __threadfence();
  for (int i = threadIdx.x; i < length; i += blockDim.x)
    sums[i] += i;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    atomicExch(lock, 0);
}

int main() {
  int *lock, *sums;
  cudaMallocManaged((void **)&lock, sizeof *lock);
  cudaMallocManaged((void **)&sums, length * sizeof *sums);
  *lock = 0;
  for (int i = 0; i < length; ++i)
    sums[i] = 0;
  add_up<<<blocks, 96>>>(lock, sums);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return printf("FAIL: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
  for (int i = 0; i < length; ++i)
    if (sums[i] != blocks * i)
      return printf("FAIL: sum %d is %d, not %d\n", i, sums[i], blocks * i), 1;
  cudaFree(lock), cudaFree(sums);
  puts("PASS");
  return 0;
}
