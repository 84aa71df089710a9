// Device code that is made a file of its own (`nvcc -ptx`, `-fatbin`), for device_file.c.
#include <cstdio>

extern "C" __global__ void add_one(int *words) {
  __shared__ int turned[32];
  turned[31 - threadIdx.x] = words[threadIdx.x];
  __syncthreads();
  words[threadIdx.x] = turned[threadIdx.x] + 1;
  if (threadIdx.x == 0)
    printf("adds\n");
}
