// Programs older than __syncwarp: warps in lockstep exchange values through volatile shared memory.
#include <cstdio>

constexpr int threads = 256, blocks = 40, length = 1 << 14;

__global__ void reduce(const int *x, int *sums) {
  volatile __shared__ int partial[threads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = blockIdx.x * threads + t; i < length; i += threads * blocks)
    sum += x[i];
  partial[t] = sum;
  __syncthreads();
  if (t < 128)
    partial[t] += partial[t + 128];
  __syncthreads();
  if (t < 64)
    partial[t] += partial[t + 64];
  __syncthreads();
  if (t < 32)
    for (int step = 32; step > 0; step /= 2)
      partial[t] += partial[t + step];
  if (t == 0)
    sums[blockIdx.x] = partial[0];
}

// A scan of each warp, under a mask that differs from step to step. Elements have 1, 2, 4 and 8 bytes.
template <typename T> __global__ void scan(const int *x, int *sums) {
  __shared__ T all[threads];
  volatile T *own = all + threadIdx.x / 32 * 32;
  const int lane = threadIdx.x % 32;
  own[lane] = T(x[threadIdx.x]);
  for (int step = 1; step < 32; step *= 2)
    if (lane >= step)
      own[lane] = own[lane] + own[lane - step];
  sums[threadIdx.x] = int(own[lane]);
}

// The lanes' places are no run: a permutation, by way of a table.
__global__ void permute(volatile int *x, const int *table) {
  const int value = x[table[threadIdx.x]];
  x[table[threadIdx.x] ^ 1] = value + 1;
}

static int failed(const char *what, int place, int is, int should) {
  printf("FAIL: %s: element %d is %d, not %d\n", what, place, is, should);
  return 1;
}

template <typename T> static int scans(const int *x, int *sums) {
  scan<T><<<1, threads>>>(x, sums);
  cudaDeviceSynchronize();
  for (int i = 0, sum = 0; i < threads; ++i) {
    sum = T((i % 32 ? sum : 0) + x[i]);
    if (sums[i] != sum)
      return failed("scan", i, sums[i], sum);
  }
  return 0;
}

int main() {
  int *x, *sums, *table;
  cudaMallocManaged((void **)&x, length * sizeof *x);
  cudaMallocManaged((void **)&sums, threads * sizeof *sums);
  cudaMallocManaged((void **)&table, threads * sizeof *table);
  long expected = 0, sum = 0;
  for (int i = 0; i < length; ++i)
    x[i] = i % 7, expected += x[i];
  reduce<<<blocks, threads>>>(x, sums);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return printf("FAIL: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
  for (int i = 0; i < blocks; ++i)
    sum += sums[i];
  if (sum != expected)
    return failed("sum", 0, int(sum), int(expected));
  if (scans<signed char>(x, sums) || scans<short>(x, sums) || scans<int>(x, sums) || scans<long>(x, sums))
    return 1;
  for (int i = 0; i < threads; ++i)
    x[i] = 10 * i, table[i] = i * 5 % threads;
  permute<<<1, 32>>>(x, table);
  cudaDeviceSynchronize();
  for (int t = 0; t < 32; ++t)
    if (x[table[t] ^ 1] != 10 * table[t] + 1)
      return failed("permute", table[t] ^ 1, x[table[t] ^ 1], 10 * table[t] + 1);
  cudaFree(x), cudaFree(sums), cudaFree(table);
  puts("PASS");
  return 0;
}
