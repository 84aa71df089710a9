// Mistakes in CUDA programs.
#include "mistake.h"
#include <cuda_runtime.h>

// Device memory with the numbers from 0.
static int *device_numbers(int n) {
  int *x = numbers(n), *d = nullptr;
  cudaMalloc(&d, n * sizeof(int));
  cudaMemcpy(d, x, n * sizeof(int), cudaMemcpyHostToDevice);
  free(x);
  return d;
}

// mistake one_thread_too_many: memory, past the end
__global__ void doubled(int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n - MISTAKE(0, 1))
    x[i] *= 2; // <- memory
}

static void one_thread_too_many() {
  int n = unknown_size, *d = device_numbers(n);
  doubled<<<2, 64>>>(d, n);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake freed_too_early: memory, freed
__global__ void summed(const int *x, int *sum) {
  atomicAdd(sum, x[threadIdx.x]); // <- memory
}

static void freed_too_early() {
  int n = unknown_size, *d = device_numbers(n), *sum = device_numbers(1);
  MISTAKE(cudaFree(d), (void)0);
  summed<<<1, 64>>>(d, sum);
  cudaDeviceSynchronize();
  MISTAKE((void)0, cudaFree(d));
  cudaFree(sum);
}

// mistake vector_anywhere: memory, no multiple of 16
__global__ void quads(const int *x, int *sum) {
  int4 four = *(const int4 *)(x + 4 * threadIdx.x + MISTAKE(1, 0)); // <- memory
  atomicAdd(sum, four.x + four.y + four.z + four.w);
}

static void vector_anywhere() {
  int n = unknown_size, *d = device_numbers(n), *sum = device_numbers(1);
  quads<<<1, 8>>>(d, sum);
  cudaDeviceSynchronize();
  cudaFree(d);
  cudaFree(sum);
}

// mistake tile_without_halo: memory, past the end
__global__ void shifted(int *x) {
  __shared__ int tile[64];
  tile[threadIdx.x + MISTAKE(1, 0)] = x[threadIdx.x]; // <- memory
  __syncthreads();
  if (threadIdx.x > 0)
    x[threadIdx.x] = tile[threadIdx.x];
}

static void tile_without_halo() {
  int n = unknown_size, *d = device_numbers(n);
  shifted<<<1, 64>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake syncthreads_missing: race
__global__ void reversed(int *x) {
  __shared__ int tile[64];
  tile[threadIdx.x] = x[threadIdx.x]; // <- race
#ifdef RIGHT
  __syncthreads();
#endif
  x[threadIdx.x] = tile[63 - threadIdx.x]; // <- race
}

static void syncthreads_missing() {
  int n = unknown_size, *d = device_numbers(n);
  reversed<<<1, 64>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake syncwarp_missing: race
__global__ void warp_sum(int *x) {
  __shared__ int tile[64];
  volatile int *sums = tile;
  int t = threadIdx.x;
  tile[t] = x[t];
  tile[t + 32] = 0;
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    int other = sums[t + step]; // <- race
#ifdef RIGHT
    __syncwarp();
#endif
    sums[t] = sums[t] + other; // <- race
#ifdef RIGHT
    __syncwarp();
#endif
  }
  x[t] = tile[t];
}

static void syncwarp_missing() {
  int n = unknown_size, *d = device_numbers(n);
  warp_sum<<<1, 32>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake blocks_count_without_atomic: race
__global__ void counted(int *count) {
#ifdef RIGHT
  atomicAdd(count, 1);
#else
  *count += 1; // <- race
#endif
}

static void blocks_count_without_atomic() {
  int *d = device_numbers(1);
  counted<<<8, 1>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake streams_without_event: race
__global__ void added(int *x, int value) {
  x[threadIdx.x] += value; // <- race
}

static void streams_without_event() {
  int n = unknown_size, *d = device_numbers(n);
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  added<<<1, 64, 0, one>>>(d, 1);
  MISTAKE((void)0, cudaStreamSynchronize(one));
  added<<<1, 64, 0, two>>>(d, 2);
  cudaDeviceSynchronize();
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(d);
}

// mistake never_copied: init
__global__ void scaled(const int *x, int *y) {
  y[threadIdx.x] = x[threadIdx.x] > 3 ? 1 : 0; // <- init
}

static void never_copied() {
  int n = unknown_size, *y = device_numbers(n), *x = nullptr;
  cudaMalloc(&x, n * sizeof(int));
  MISTAKE((void)0, cudaMemset(x, 0, n * sizeof(int)));
  scaled<<<1, 64>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

// mistake never_written: init
__global__ void doubled(const int *x, int *y) {
  y[threadIdx.x] = x[threadIdx.x] > 3 ? 2 : 0; // <- init
}

static void never_written() {
  int n = unknown_size, *y = device_numbers(n), *x = nullptr;
#ifdef RIGHT
  cudaMallocManaged(&x, n * sizeof(int));
  for (int i = 0; i < n; i++)
    x[i] = i;
#else
  cudaMalloc(&x, n * sizeof(int));
#endif
  doubled<<<1, 64>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

// mistake syncthreads_in_a_branch: sync, barrier
__global__ void half_waits(int *x) {
  if (threadIdx.x < MISTAKE(32, 64)) {
    x[threadIdx.x] = 1;
    __syncthreads(); // <- sync
  }
}

static void syncthreads_in_a_branch() {
  int n = unknown_size, *d = device_numbers(n);
  half_waits<<<1, 64>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake return_before_syncthreads: sync, barrier
__global__ void early_return(int *x, int n) {
  if ((int)threadIdx.x >= n - MISTAKE(1, 0))
    return;
  x[threadIdx.x] = 1;
  __syncthreads(); // <- sync
  if (threadIdx.x > 0)
    x[threadIdx.x] += x[0];
}

static void return_before_syncthreads() {
  int n = unknown_size, *d = device_numbers(n);
  early_return<<<1, 64>>>(d, n);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake mask_names_absent_lanes: sync
__global__ void half_a_warp(int *x) {
  if (threadIdx.x < 16) {
    x[threadIdx.x] = 1;
    __syncwarp(MISTAKE(0xffffffff, 0x0000ffff)); // <- sync
    x[threadIdx.x] += 1;
  }
}

static void mask_names_absent_lanes() {
  int n = unknown_size, *d = device_numbers(n);
  half_a_warp<<<1, 32>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake copied_too_early: race, cudaMemcpyAsync
static void copied_too_early() {
  int n = unknown_size, *d = device_numbers(n), *x = nullptr;
  cudaStream_t one, two;
  cudaEvent_t done;
  cudaMallocHost(&x, n * sizeof(int));
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaEventCreate(&done);
  added<<<1, 64, 0, one>>>(d, 1);
  cudaEventRecord(done, one);
  MISTAKE((void)0, cudaStreamWaitEvent(two, done, 0));
  cudaMemcpyAsync(x, d, n * sizeof(int), cudaMemcpyDeviceToHost, two); // <- race
  cudaDeviceSynchronize();
  cudaEventDestroy(done);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFreeHost(x);
  cudaFree(d);
}

// mistake cleared_too_late: race, cudaMemsetAsync
static void cleared_too_late() {
  int n = unknown_size, *d = device_numbers(n);
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaMemsetAsync(d, 0, n * sizeof(int), one); // <- race
  added<<<1, 64, 0, MISTAKE(two, one)>>>(d, 1);
  cudaDeviceSynchronize();
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  cudaFree(d);
}

// mistake device_variable: race
__device__ int arrivals;

__global__ void arrive() {
#ifdef RIGHT
  atomicAdd(&arrivals, 1);
#else
  arrivals++; // <- race
#endif
}

static void device_variable() {
  arrive<<<4, 32>>>();
  cudaDeviceSynchronize();
}

// mistake dynamic_shared_too_small: memory, outside
__global__ void tiled(int *x) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = x[threadIdx.x]; // <- memory
  __syncthreads();
  x[threadIdx.x] = tile[63 - threadIdx.x];
}

static void dynamic_shared_too_small() {
  int n = unknown_size, *d = device_numbers(n);
  tiled<<<1, 64, MISTAKE(64, 64 * sizeof(int))>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake divergent_shuffle: sync
__global__ void half_shuffles(int *x) {
  int value = x[threadIdx.x];
  if (threadIdx.x < MISTAKE(16, 32))
    value += __shfl_down_sync(0xffffffff, value, 8); // <- sync
  x[threadIdx.x] = value;
}

static void divergent_shuffle() {
  int *d = device_numbers(32);
  half_shuffles<<<1, 32>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake tile_is_reused: race
__global__ void smoothed(int *x) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  for (int round = 0; round < 2; round++) {
    tile[t] = x[t]; // <- race
    __syncthreads();
    x[t] = tile[t] + tile[(t + 33) % 64]; // <- race
#ifdef RIGHT
    __syncthreads();
#endif
  }
}

static void tile_is_reused() {
  int n = unknown_size, *d = device_numbers(n);
  smoothed<<<1, 64>>>(d);
  cudaDeviceSynchronize();
  cudaFree(d);
}

// mistake flag_without_fence: race
__global__ void handed_over(int *x, int *flag) {
  if (blockIdx.x == 0) {
    x[0] = 42; // <- race
#ifdef RIGHT
    __threadfence();
#endif
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0)
      ;
#ifdef RIGHT
    __threadfence();
#endif
    x[1] = x[0]; // <- race
  }
}

static void flag_without_fence() {
  int *d = device_numbers(2), *flag = device_numbers(1);
  handed_over<<<2, 1>>>(d, flag);
  cudaDeviceSynchronize();
  cudaFree(d);
  cudaFree(flag);
}

// mistake copy_past_the_allocation: host, invalid argument
static void copy_past_the_allocation() {
  int n = unknown_size, *d = device_numbers(n), *x = numbers(2 * n);
  cudaMemcpy(x, d, MISTAKE(2, 1) * n * sizeof(int), cudaMemcpyDeviceToHost); // <- host
  cudaFree(d);
  free(x);
}

// mistake result_is_not_copied: host, own code reads device memory
static void result_is_not_copied() {
  int n = unknown_size, *d = device_numbers(n), first = 0;
#ifdef RIGHT
  cudaMemcpy(&first, d, sizeof first, cudaMemcpyDeviceToHost);
#else
  first = d[0]; // <- host
#endif
  printf("%d\n", first);
  cudaFree(d);
}

// mistake not_managed: host, own code writes device memory
static void not_managed() {
  int n = unknown_size, *d;
#ifdef RIGHT
  cudaMallocManaged(&d, n * sizeof(int));
#else
  cudaMalloc(&d, n * sizeof(int));
#endif
  for (int i = 0; i < n; i++)
    d[i] = i; // <- host
  cudaFree(d);
}

// mistake managed_too_early: race, host's own code
__global__ void increased(int *x, int by) {
  x[threadIdx.x] += by; // <- race
}

static void managed_too_early() {
  int n = unknown_size, sum = 0, *x = nullptr;
  cudaMallocManaged(&x, n * sizeof(int));
  for (int i = 0; i < n; i++)
    x[i] = i;
  increased<<<1, 64>>>(x, 2);
#ifdef RIGHT
  cudaDeviceSynchronize();
#endif
  for (int i = 0; i < n; i++)
    sum += x[i]; // <- race
  cudaFree(x);
  printf("%d\n", sum);
}

// mistake managed_is_changed: race, host's own code
__global__ void copied(const int *x, int *y) {
  y[threadIdx.x] = x[threadIdx.x]; // <- race
}

static void managed_is_changed() {
  int n = unknown_size, *x = nullptr, *d = device_numbers(n);
  cudaMallocManaged(&x, n * sizeof(int));
  memset(x, 0, n * sizeof(int));
  copied<<<1, 64>>>(x, d);
  MISTAKE((void)0, cudaStreamSynchronize(0));
  x[7] = 1; // <- race
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(d);
}

// mistake pinned_too_early: race, host's own code
static void pinned_too_early() {
  int n = unknown_size, *d = device_numbers(n), *x = nullptr;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocHost(&x, n * sizeof(int));
  cudaMemcpyAsync(x, d, n * sizeof(int), cudaMemcpyDeviceToHost, stream); // <- race
  MISTAKE((void)0, cudaStreamSynchronize(stream));
  printf("%d\n", x[n - 1]); // <- race
  cudaStreamDestroy(stream);
  cudaFreeHost(x);
  cudaFree(d);
}

// mistake pinned_is_reused: race, host's own code
static void pinned_is_reused() {
  int n = unknown_size, *d = device_numbers(2 * n), *x = nullptr;
  cudaEvent_t done;
  cudaEventCreate(&done);
  cudaMallocHost(&x, n * sizeof(int));
  for (int half = 0; half < 2; half++) {
    for (int i = 0; i < n; i++)
      x[i] = half; // <- race
    cudaMemcpyAsync(d + half * n, x, n * sizeof(int), cudaMemcpyHostToDevice, 0); // <- race
    cudaEventRecord(done, 0);
    MISTAKE((void)0, cudaEventSynchronize(done));
  }
  cudaDeviceSynchronize();
  cudaEventDestroy(done);
  cudaFreeHost(x);
  cudaFree(d);
}

int main(int argc, char **argv) {
  RUN(one_thread_too_many)
  RUN(freed_too_early)
  RUN(vector_anywhere)
  RUN(tile_without_halo)
  RUN(syncthreads_missing)
  RUN(syncwarp_missing)
  RUN(blocks_count_without_atomic)
  RUN(streams_without_event)
  RUN(never_copied)
  RUN(never_written)
  RUN(syncthreads_in_a_branch)
  RUN(return_before_syncthreads)
  RUN(mask_names_absent_lanes)
  RUN(copied_too_early)
  RUN(cleared_too_late)
  RUN(device_variable)
  RUN(dynamic_shared_too_small)
  RUN(divergent_shuffle)
  RUN(tile_is_reused)
  RUN(flag_without_fence)
  RUN(copy_past_the_allocation)
  RUN(result_is_not_copied)
  RUN(not_managed)
  RUN(managed_too_early)
  RUN(managed_is_changed)
  RUN(pinned_too_early)
  RUN(pinned_is_reused)
  return 2;
}
