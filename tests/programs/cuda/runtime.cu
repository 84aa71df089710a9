// The runtime's functions for memory, streams, events, devices and kernels, when nothing goes wrong.
// C's own headers, as most programs have them.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#include "../expect.h"

// Programs ask by these whether they have the headers.
#if !defined __DRIVER_TYPES_H__ || !defined __CUDA_RUNTIME_H__ || !defined __CUDA_RUNTIME_API_H__
#error "a header's name is not defined"
#endif

#define CHECK(call) EXPECT(call, cudaSuccess)

__global__ void step(int *values, int n, int factor, int amount) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = values[i] * factor + amount;
}

static void test_memory() {
    int *managed, *pinned, *mapped, *device;
    const int n = 1000;
    CHECK(cudaMallocManaged(&managed, n * sizeof(int)));
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        managed[i] = pinned[i] = mapped[i] = i;
    int *mapped_device;
    CHECK(cudaHostGetDevicePointer(&mapped_device, mapped, 0));
    step<<<8, 128>>>(managed, n, 2, 1);
    step<<<8, 128>>>(mapped_device, n, 3, 1);
    CHECK(cudaMemcpy(device, pinned, n * sizeof(int), cudaMemcpyDefault));
    step<<<8, 128>>>(device, n, 4, 1);
    CHECK(cudaMemset(pinned, 0, n * sizeof(int)));
    CHECK(cudaMemcpy(pinned, device, n * sizeof(int), cudaMemcpyDefault));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        EXPECT(managed[i], 2 * i + 1);
        EXPECT(mapped[i], 3 * i + 1);
        EXPECT(pinned[i], 4 * i + 1);
    }
    struct {
        void *pointer;
        int type;
    } cases[] = {{managed + 5, cudaMemoryTypeManaged},
                 {pinned + 5, cudaMemoryTypeHost},
                 {device + 5, cudaMemoryTypeDevice},
                 {cases, cudaMemoryTypeUnregistered}};
    for (auto one : cases) {
        cudaPointerAttributes attributes;
        CHECK(cudaPointerGetAttributes(&attributes, one.pointer));
        EXPECT(attributes.type, one.type);
    }
    size_t before, after, total;
    CHECK(cudaMemGetInfo(&before, &total));
    CHECK(cudaFree(device));
    CHECK(cudaMemGetInfo(&after, &total));
    EXPECT(after > before && total >= after, 1);
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFree(nullptr));
}

static void test_rectangles() {
    char host[8][20], back[8][20], *device;
    size_t pitch;
    memset(back, 7, sizeof back);
    for (int row = 0; row < 8; row++)
        for (int i = 0; i < 20; i++)
            host[row][i] = (char)(row * 20 + i);
    CHECK(cudaMallocPitch(&device, &pitch, 10, 8));
    EXPECT(pitch >= 10 && pitch % 256 == 0, 1);
    CHECK(cudaMemcpy2D(device, pitch, &host[0][3], 20, 10, 8, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device + 2 * pitch, 99, 10));
    CHECK(cudaMemcpy2D(&back[0][0], 20, device, pitch, 10, 8, cudaMemcpyDeviceToHost));
    for (int row = 0; row < 8; row++)
        for (int i = 0; i < 20; i++)
            EXPECT(back[row][i], i >= 10 ? 7 : row == 2 ? 99 : host[row][i + 3]);
    CHECK(cudaFree(device));
}

__device__ int numbers[8];

// Memory, rectangles and variables in a stream's order.
static void test_asynchronous_forms() {
    cudaStream_t stream;
    unsigned flags = 7;
    int least = 5, greatest = 5, can = 5, *device, *managed, back[8] = {0}, sent[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamGetFlags(stream, &flags));
    EXPECT(flags, cudaStreamNonBlocking);
    CHECK(cudaStreamGetFlags(0, &flags));
    EXPECT(flags, cudaStreamDefault);
    CHECK(cudaMallocAsync(&device, sizeof sent, stream));
    CHECK(cudaMemset2DAsync(device, 8, 1, 4, 4, stream));
    CHECK(cudaMemset2D(device + 1, 8, 2, 4, 4));
    CHECK(cudaMemcpyAsync(back, device, sizeof back, cudaMemcpyDeviceToHost, stream));
    for (int i = 0; i < 8; i++)
        EXPECT(back[i], i % 2 ? 0x02020202 : 0x01010101);
    CHECK(cudaMemcpyToSymbolAsync(numbers, sent, sizeof sent, 0, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyFromSymbolAsync(back, numbers, 4 * sizeof(int), 4 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    EXPECT(back[0], 5);
    EXPECT(back[3], 8);
    CHECK(cudaFreeAsync(device, stream));
    CHECK(cudaMallocManaged(&managed, 100));
    CHECK(cudaMemPrefetchAsync(managed, 100, 0, stream));
    CHECK(cudaMemPrefetchAsync(managed, 100, cudaCpuDeviceId));
    EXPECT(cudaMemPrefetchAsync(managed, 101, 0), cudaErrorInvalidValue);
    CHECK(cudaFree(managed));
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
    EXPECT(can, 0);
    CHECK(cudaStreamDestroy(stream));
    (void)cudaGetLastError();
}

// Copies between two devices, if there are two.
static void test_several_devices() {
    int count, sent[4] = {1, 2, 3, 4}, back[4] = {0}, *first, *second;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2)
        return;
    CHECK(cudaMalloc(&first, sizeof sent));
    CHECK(cudaMemcpy(first, sent, sizeof sent, cudaMemcpyHostToDevice));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&second, sizeof sent));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyPeer(second, 1, first, 0, sizeof sent));
    EXPECT(cudaMemcpyPeer(second, 0, first, 1, sizeof sent), cudaErrorInvalidValue);
    step<<<1, 4, 0, stream>>>(second, 4, 10, 1);
    CHECK(cudaMemcpy(back, second, sizeof back, cudaMemcpyDefault));
    EXPECT(back[3], 41);
    CHECK(cudaSetDevice(0));
    (void)cudaGetLastError();
    step<<<1, 4, 0, stream>>>(second, 4, 10, 1);
    EXPECT(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    CHECK(cudaMemcpy(first, second, sizeof back, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(back, first, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[0], 11);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    puts("several devices");
}

// A kernel of one device writes memory of another, where it can.
static void test_peers() {
    int count, can, back[4] = {0}, *second;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2)
        return;
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (!can) {
        EXPECT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
        (void)cudaGetLastError();
        return;
    }
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&second, sizeof back));
    CHECK(cudaMemset(second, 0, sizeof back));
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    step<<<1, 4>>>(second, 4, 10, 7);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(back, second, sizeof back, cudaMemcpyDefault));
    EXPECT(back[3], 7);
    CHECK(cudaMemset(second, 1, 4));
    CHECK(cudaMemcpy(second + 1, second, 4, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(second + 2, back, 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(back, second, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back[1], 0x01010101);
    EXPECT(back[2], 7);
    CHECK(cudaDeviceDisablePeerAccess(1));
    EXPECT(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    (void)cudaGetLastError();
    CHECK(cudaFree(second));
    puts("peers");
}

static void add_one(void *counter) { ++*(int *)counter; }

// Two streams, ordered by an event; the default stream waits for both.
static void test_streams() {
    const int n = 5000;
    cudaStream_t first, second, independent;
    cudaEvent_t begin, done;
    int *values, *host, counter = 0;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamDefault));
    CHECK(cudaStreamCreateWithFlags(&independent, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&done));
    CHECK(cudaMalloc(&values, n * sizeof(int)));
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        host[i] = i % 10;
    CHECK(cudaEventRecord(begin, first));
    CHECK(cudaMemcpyAsync(values, host, n * sizeof(int), cudaMemcpyHostToDevice, first));
    int expected = 0;
    for (int round = 0; round < 5; round++) {
        step<<<(n + 127) / 128, 128, 0, first>>>(values, n, 2, 1);
        CHECK(cudaEventRecord(done, first));
        CHECK(cudaStreamWaitEvent(second, done));
        step<<<(n + 127) / 128, 128, 0, second>>>(values, n, 3, 2);
        CHECK(cudaEventRecord(done, second));
        CHECK(cudaStreamWaitEvent(first, done, 0));
        expected = (expected * 2 + 1) * 3 + 2;
    }
    CHECK(cudaLaunchHostFunc(second, add_one, &counter));
    // On the default stream, behind both.
    step<<<(n + 127) / 128, 128>>>(values, n, 1, 5);
    // Behind the default stream.
    CHECK(cudaMemcpyAsync(host, values, n * sizeof(int), cudaMemcpyDeviceToHost, first));
    CHECK(cudaEventRecord(done, first));
    CHECK(cudaEventSynchronize(done));
    EXPECT(counter, 1);
    int factor = 6 * 6 * 6 * 6 * 6;
    for (int i = 0; i < n; i++)
        EXPECT(host[i], i % 10 * factor + expected + 5);
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, done));
    EXPECT(milliseconds > 0 && milliseconds < 1e6, 1);
    CHECK(cudaEventQuery(done));
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamQuery(first));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    step<<<1, 32, 0, independent>>>(values, 32, 0, 9);
    CHECK(cudaStreamDestroy(independent));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, values, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(host[0], 9);
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaFree(values));
    CHECK(cudaFreeHost(host));
}

// Pageable memory may be changed as soon as the call returns.
static void test_pageable_copies() {
    int value = 5, back = 0, *device;
    CHECK(cudaMalloc(&device, sizeof(int)));
    CHECK(cudaMemcpyAsync(device, &value, sizeof value, cudaMemcpyHostToDevice));
    value = 6;
    step<<<1, 1>>>(device, 1, 10, 1);
    CHECK(cudaMemcpyAsync(&back, device, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back, 51);
    CHECK(cudaMemsetAsync(device, 1, sizeof(int)));
    CHECK(cudaMemcpy(&back, device, sizeof back, cudaMemcpyDeviceToHost));
    EXPECT(back, 0x01010101);
    CHECK(cudaFree(device));
}

static_assert(sizeof(cudaDeviceProp) == 1032, "CUDA 12's layout");
static_assert(sizeof(cudaFuncAttributes) == 144, "CUDA 12's layout");

static void test_devices() {
    int count = 0, current = -1, value = 0, version = 0;
    CHECK(cudaGetDeviceCount(&count));
    EXPECT(count >= 1, 1);
    CHECK(cudaSetDevice(count - 1));
    CHECK(cudaGetDevice(&current));
    EXPECT(current, count - 1);
    CHECK(cudaSetDevice(0));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(strlen(properties.name) > 0, 1);
    EXPECT(properties.warpSize, 32);
    EXPECT(properties.maxThreadsPerBlock, 1024);
    EXPECT(properties.sharedMemPerBlock, 48 << 10);
    EXPECT(properties.totalGlobalMem > 1 << 20, 1);
    EXPECT(properties.major >= 7 && properties.multiProcessorCount >= 1, 1);
    EXPECT(properties.unifiedAddressing && properties.managedMemory && properties.concurrentKernels, 1);
    EXPECT(properties.sharedMemPerBlockOptin >= properties.sharedMemPerBlock, 1);
    EXPECT(properties.maxGridSize[1], 65535);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value, properties.multiProcessorCount);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxBlockDimZ, 0));
    EXPECT(value, 64);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeMode, 0));
    EXPECT(value, cudaComputeModeDefault);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    EXPECT(value, properties.clockRate);
    EXPECT(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0), cudaErrorInvalidValue);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    CHECK(cudaRuntimeGetVersion(&version));
    EXPECT(version, CUDART_VERSION);
    CHECK(cudaDriverGetVersion(&version));
    EXPECT(version >= CUDART_VERSION, 1);
}

// The driver's interface, without its library.
static void test_driver_entry_points() {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult status;
    CHECK(cudaGetDriverEntryPoint("cuDeviceGetCount", &function, cudaEnableDefault, &status));
    EXPECT(status, cudaDriverEntryPointSuccess);
    int there = 0, count = 0;
    EXPECT(((int (*)(int *))function)(&there), 0);
    CHECK(cudaGetDeviceCount(&count));
    EXPECT(there, count);
    CHECK(cudaGetDriverEntryPoint("cuAbsent", &function, cudaEnableDefault, &status));
    EXPECT(status, cudaDriverEntryPointSymbolNotFound);
    EXPECT(function == nullptr, 1);
    CHECK(cudaGetDriverEntryPointByVersion("cuLibraryLoadData", &function, 11000, cudaEnableDefault, &status));
    EXPECT(status, cudaDriverEntryPointVersionNotSufficent);
}

__global__ void __launch_bounds__(256) limited(int *out) {
    __shared__ int fixed[100];
    extern __shared__ char dynamic[];
    fixed[threadIdx.x % 100] = dynamic[0] = 1;
    __syncthreads();
    *out = fixed[0];
}

static void test_functions() {
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, limited));
    EXPECT(attributes.sharedSizeBytes, 400);
    EXPECT(attributes.maxThreadsPerBlock, 256);
    EXPECT(attributes.maxDynamicSharedSizeBytes, (48 << 10) - 400);
    int blocks = 0, *out;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, limited, 128, 0));
    EXPECT(blocks >= 1, 1);
    int grid = 0, block = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, limited, 0, 128));
    EXPECT(block, 128);
    EXPECT(grid >= 1, 1);
    CHECK(cudaFuncSetCacheConfig(limited, cudaFuncCachePreferShared));
    CHECK(cudaMalloc(&out, sizeof(int)));
    limited<<<1, 257>>>(out);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    const int large = 60 << 10;
    limited<<<1, 32, large>>>(out);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    CHECK(cudaFuncSetAttribute(limited, cudaFuncAttributeMaxDynamicSharedMemorySize, large));
    limited<<<1, 32, large>>>(out);
    CHECK(cudaDeviceSynchronize());
    int amount = 0;
    void *arguments[] = {&out, &blocks, &blocks, &amount};
    blocks = 1;
    amount = 3;
    CHECK(cudaLaunchKernel(step, dim3(1), dim3(1), arguments));
    CHECK(cudaMemcpy(&amount, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(amount, 4);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributePriority;
    cudaLaunchConfig_t configuration = {dim3(1), dim3(1), 0, 0, &attribute, 1};
    CHECK(cudaLaunchKernelExC(&configuration, (const void *)step, arguments));
    CHECK(cudaMemcpy(&amount, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(amount, 8);
    CHECK(cudaFree(out));
}

int main() {
    test_memory();
    test_rectangles();
    test_streams();
    test_pageable_copies();
    test_devices();
    test_functions();
    test_driver_entry_points();
    test_asynchronous_forms();
    test_several_devices();
    test_peers();
    CHECK(cudaDeviceReset());
    test_memory();
    puts(failed ? "FAIL" : "PASS");
    return failed != 0;
}
