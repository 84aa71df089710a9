// A program for NVIDIA's runtime library in it: kernels, variables, streams, events, printf, threads, and functions with
// names like that library's.
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s\n", __LINE__, #condition);                                                             \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)
#define N 1024

extern "C" cudaError_t cudaThreadGetLimit(size_t *value, int limit);
extern "C" cudaError_t cudaMemset_ptds(void *memory, int value, size_t size);
extern "C" cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *how, const void *kernel, void **arguments);

// No function of NVIDIA's.
extern "C" __attribute__((noinline)) int cudaOfThisProgram(int n) {
    return n + 1;
}

__constant__ int factors[2];
__device__ int total;

__global__ void scale(int *numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] *= factors[i % 2];
    if (i == N - 1)
        printf("the last is %d\n", numbers[i]);
}

__global__ void add(const int *numbers) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, numbers[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&total, sum);
}

static int compute() {
    int *numbers, *managed;
    CHECK(cudaMalloc((void **)&numbers, N * sizeof(int)) == cudaSuccess);
    CHECK(cudaMallocManaged((void **)&managed, N * sizeof(int), 1) == cudaSuccess);
    for (int i = 0; i < N; i++)
        managed[i] = i;
    int two[2] = {2, 3};
    CHECK(cudaMemcpyToSymbol(factors, two, sizeof two) == cudaSuccess);
    cudaStream_t stream;
    cudaEvent_t begin, end;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess);
    CHECK(cudaEventRecord(begin, stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(numbers, managed, N * sizeof(int), cudaMemcpyDefault, stream) == cudaSuccess);
    scale<<<N / 128, 128, 0, stream>>>(numbers);
    cudaLaunchConfig_t how = {};
    how.gridDim = N / 256, how.blockDim = 256, how.stream = stream;
    void *arguments[] = {&numbers};
    CHECK(cudaLaunchKernelExC_ptsz(&how, (const void *)add, arguments) == cudaSuccess);
    CHECK(cudaEventRecord(end, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess);
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess && milliseconds >= 0);
    int found = 0;
    CHECK(cudaMemcpyFromSymbol(&found, total, sizeof found) == cudaSuccess);
    // Twice the even numbers, three times the odd ones.
    CHECK(found == 2 * (N / 2) * (N / 2 - 1) + 3 * (N / 2) * (N / 2));
    CHECK(cudaMemset_ptds(numbers, 0, N * sizeof(int)) == cudaSuccess);
    CHECK(cudaMemcpy(managed, numbers, N * sizeof(int), cudaMemcpyDeviceToDevice) == cudaSuccess && managed[9] == 0);
    CHECK(cudaFree(numbers) == cudaSuccess && cudaFree(managed) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaEventDestroy(begin) == cudaSuccess && cudaEventDestroy(end) == cudaSuccess);
    return 0;
}

static void *in_thread(void *) {
    int device = -1;
    return (void *)(size_t)(cudaGetDevice(&device) != cudaSuccess || device != 0);
}

int main() {
    cudaDeviceProp properties;
    cudaError_t code = cudaGetDeviceProperties(&properties, 0);
    if (code != cudaSuccess) {
        printf("no device: %s\n", cudaGetErrorString(code));
        return 2;
    }
    CHECK(properties.warpSize == 32 && cudaOfThisProgram(1) == 2);
    if (compute())
        return 1;
    pthread_t thread;
    void *failed = nullptr;
    CHECK(pthread_create(&thread, nullptr, in_thread, nullptr) == 0);
    CHECK(pthread_join(thread, &failed) == 0 && !failed);
    // What ours lacks.
    size_t value = 0;
    for (int i = 0; i < 2; i++)
        CHECK(cudaThreadGetLimit(&value, 0) == cudaErrorNotSupported);
    CHECK(cudaGetLastError() == cudaErrorNotSupported);
    puts("PASS");
}
