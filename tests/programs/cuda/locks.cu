// Blocks that write one array in turn: one thread of each takes a lock for its block, as in HeCBench's `lda`. And blocks
// that wait for later ones, until a flag that branches set says that all is done, as in its `mis`.
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

// Each place is done when the next one is. `together`: the lanes of a warp go on until all of them are through.
template <bool together> __global__ void follow(volatile unsigned char *done, const int *next, int count) {
  bool missing;
  do {
    missing = false;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < count; i += blockDim.x * gridDim.x) {
      if (done[i])
        continue;
      if (next[i] == count || done[next[i]])
        done[i] = 1;
      else
        missing = true;
    }
  } while (together ? __any_sync(~0u, missing) : missing);
}

template <bool together> bool blocks_follow() {
  const int count = 24 * 64, grid = 24;
  unsigned char *done;
  int *next;
  cudaMallocManaged((void **)&done, count);
  cudaMallocManaged((void **)&next, count * sizeof *next);
  for (int i = 0; i < count; ++i)
    done[i] = 0, next[i] = i + 1;
  follow<together><<<grid, 32>>>(done, next, count);
  bool right = cudaDeviceSynchronize() == cudaSuccess;
  for (int i = 0; i < count; ++i)
    right &= done[i] == 1;
  cudaFree(done), cudaFree(next);
  return right;
}

int main() {
  if (!blocks_follow<false>() || !blocks_follow<true>())
    return puts("FAIL: blocks that wait for later ones"), 1;
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
