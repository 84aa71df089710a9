// Mistakes in HIP programs.
#include "mistake.h"
#include <hip/hip_runtime.h>

static int *device_numbers(int n) {
  int *x = numbers(n), *d = nullptr;
  (void)hipMalloc(&d, n * sizeof(int));
  (void)hipMemcpy(d, x, n * sizeof(int), hipMemcpyHostToDevice);
  free(x);
  return d;
}

// mistake barrier_missing: race
__global__ void reversed(int *x) {
  __shared__ int tile[128];
  tile[threadIdx.x] = x[threadIdx.x]; // <- race
#ifdef RIGHT
  __syncthreads();
#endif
  x[threadIdx.x] = tile[127 - threadIdx.x]; // <- race
}

static void barrier_missing() {
  int *d = device_numbers(2 * unknown_size);
  reversed<<<1, 128>>>(d);
  (void)hipDeviceSynchronize();
  (void)hipFree(d);
}

// mistake copied_too_early: race, hipMemcpyAsync
__global__ void doubled(int *x) {
  x[threadIdx.x] *= 2; // <- race
}

static void copied_too_early() {
  int n = unknown_size, *d = device_numbers(n), *x = nullptr;
  hipStream_t one, two;
  (void)hipHostMalloc((void **)&x, n * sizeof(int), 0);
  (void)hipStreamCreate(&one);
  (void)hipStreamCreate(&two);
  doubled<<<1, 64, 0, one>>>(d);
  MISTAKE((void)0, (void)hipStreamSynchronize(one));
  (void)hipMemcpyAsync(x, d, n * sizeof(int), hipMemcpyDeviceToHost, two); // <- race
  (void)hipDeviceSynchronize();
  (void)hipStreamDestroy(one);
  (void)hipStreamDestroy(two);
  (void)hipHostFree(x);
  (void)hipFree(d);
}

int main(int argc, char **argv) {
  RUN(barrier_missing)
  RUN(copied_too_early)
  return 2;
}
