// A CUDA program: the sum of many numbers, and the largest, by shared memory and by warp shuffles, timed by events.
//
// omptarget run examples/reduction.cu
#include <algorithm>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

// Each block adds its elements in shared memory, halving the number of threads in each step.
__global__ void sum_in_shared_memory(int n, const int *values, unsigned long long *sum) {
    extern __shared__ unsigned long long part[];
    unsigned long long own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += values[i];
    part[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

// The lanes of a warp pass their values on without shared memory. One lane per warp speaks for it.
__global__ void largest_by_shuffles(int n, const int *values, int *largest) {
    int own = INT_MIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own = max(own, values[i]);
    for (int distance = warpSize / 2; distance > 0; distance /= 2)
        own = max(own, __shfl_down_sync(0xffffffff, own, distance));
    if (threadIdx.x % warpSize == 0)
        atomicMax(largest, own);
}

static void check(cudaError_t error, int line) {
    if (error == cudaSuccess)
        return;
    printf("line %d: %s: %s\n", line, cudaGetErrorName(error), cudaGetErrorString(error));
    exit(1);
}
#define CHECK(call) check(call, __LINE__)

int main() {
    const int n = 1 << 20, threads = 256, blocks = 64;
    std::vector<int> values(n);
    unsigned long long expected_sum = 0;
    unsigned random = 1;
    for (int &value : values) {
        random = random * 1664525 + 1013904223;
        value = (int)(random >> 8);
        expected_sum += value;
    }
    int expected_largest = *std::max_element(values.begin(), values.end());

    int *values_device;
    CHECK(cudaMalloc(&values_device, n * sizeof(int)));
    CHECK(cudaMemcpy(values_device, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    // Host and device use the same memory for the results.
    unsigned long long *sum;
    int *largest;
    CHECK(cudaMallocManaged(&sum, sizeof *sum));
    CHECK(cudaMallocManaged(&largest, sizeof *largest));
    *sum = 0;
    *largest = INT_MIN;

    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(start));
    sum_in_shared_memory<<<blocks, threads, threads * sizeof *sum>>>(n, values_device, sum);
    largest_by_shuffles<<<blocks, threads>>>(n, values_device, largest);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, start, end));

    bool right = *sum == expected_sum && *largest == expected_largest;
    printf("sum %llu, largest %d, in %.2f ms\n", *sum, *largest, milliseconds);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(values_device));
    CHECK(cudaFree(sum));
    CHECK(cudaFree(largest));
    puts(right ? "PASS" : "FAIL");
    return !right;
}
