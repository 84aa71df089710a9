// What goes wrong has CUDA's error codes. With a name as its argument, the program has a kernel that fails.
#include <cassert>
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

static int failed = 0;
static void expect(cudaError_t is, cudaError_t expected, int line) {
    if (is != expected && ++failed < 10)
        printf("line %d: %s, expected %s\n", line, cudaGetErrorName(is), cudaGetErrorName(expected));
}
#define EXPECT(is, expected) expect(is, expected, __LINE__)

__global__ void nothing() {}
__global__ void wild(int *address) { *address = 1; }
__global__ void trap(int) { __trap(); }
__global__ void asserts(int number) { assert(number == 3); }
__global__ void deadlock(int) {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 96;");
}

__global__ void refused() { asm volatile("pmevent 1;"); }

static __device__ int variable[4];
static int no_variable[4];

static void test_launches() {
    nothing<<<1, 2048>>>();
    EXPECT(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError(), cudaSuccess);
    nothing<<<0, 32>>>();
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<dim3(1, 70000), 32>>>();
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<1, dim3(1, 1, 65)>>>();
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<1, 32, 1 << 30>>>();
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT(cudaLaunchKernel((const void *)no_variable, dim3(1), dim3(1), nullptr), cudaErrorInvalidDeviceFunction);
    cudaFuncAttributes attributes;
    EXPECT(cudaFuncGetAttributes(&attributes, (const void *)no_variable), cudaErrorInvalidDeviceFunction);
    (void)cudaGetLastError();
    // The virtual GPU lacks an instruction of this kernel.
    refused<<<1, 32>>>();
    EXPECT(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    // Nothing of this fails the device.
    nothing<<<1, 32>>>();
    EXPECT(cudaDeviceSynchronize(), cudaSuccess);
}

static void test_memory() {
    char host[64], *device, *pinned;
    EXPECT(cudaMalloc(&device, (size_t)1 << 60), cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT(cudaMalloc((void **)nullptr, 8), cudaErrorInvalidValue);
    EXPECT(cudaMalloc(&device, 64), cudaSuccess);
    EXPECT(cudaMallocHost(&pinned, 64), cudaSuccess);
    EXPECT(cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(device + 1, host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(host, host + 32, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(nullptr, host, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(device, host, 8, (cudaMemcpyKind)17), cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaMemcpy2D(device, 8, host, 16, 12, 4, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    EXPECT(cudaMemset(host, 0, 8), cudaErrorInvalidValue);
    EXPECT(cudaFree(device + 1), cudaErrorInvalidValue);
    EXPECT(cudaFree(pinned), cudaErrorInvalidValue);
    EXPECT(cudaFreeHost(device), cudaErrorInvalidValue);
    EXPECT(cudaFreeHost(pinned), cudaSuccess);
    EXPECT(cudaFree(device), cudaSuccess);
    EXPECT(cudaFree(device), cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToSymbol(no_variable, host, 4), cudaErrorInvalidSymbol);
    EXPECT(cudaMemcpyToSymbol(variable, host, 8, 12), cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToSymbol(variable, host, 16, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaMemcpyToSymbol(variable, host, 16), cudaSuccess);
}

static void test_handles() {
    cudaStream_t stream;
    cudaEvent_t event, other;
    float time;
    EXPECT(cudaStreamCreate(&stream), cudaSuccess);
    EXPECT(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    EXPECT(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    nothing<<<1, 1, 0, stream>>>();
    EXPECT(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventCreate(&event), cudaSuccess);
    EXPECT(cudaEventCreateWithFlags(&other, cudaEventDisableTiming), cudaSuccess);
    EXPECT(cudaEventElapsedTime(&time, event, event), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord(event), cudaSuccess);
    EXPECT(cudaEventRecord(other), cudaSuccess);
    EXPECT(cudaEventSynchronize(other), cudaSuccess);
    EXPECT(cudaEventElapsedTime(&time, event, other), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventDestroy(event), cudaSuccess);
    EXPECT(cudaEventRecord(event), cudaErrorInvalidResourceHandle);
    EXPECT(cudaSetDevice(1000), cudaErrorInvalidDevice);
    EXPECT(cudaSetDevice(-1), cudaErrorInvalidDevice);
    int value;
    EXPECT(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)5000, 0), cudaErrorInvalidValue);
}

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const void *, char *, const char *, int, void *, void *, void *, void *, int *);
}

// A fat binary whose container announces more than is there.
static void test_truncated_fat_binary() {
    static struct {
        unsigned magic;
        unsigned short version, header;
        unsigned long size;
        unsigned char container[48];
    } binary = {0xba55ed50, 1, 16, 48, {0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0, 0xff, 0xff}};
    struct {
        unsigned magic, version;
        void *data, *reserved;
    } wrapper = {0x466243b1, 1, &binary, nullptr};
    static char kernel;
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &kernel, nullptr, "kernel", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(handle);
    EXPECT(cudaLaunchKernel((const void *)&kernel, dim3(1), dim3(1), nullptr), cudaErrorInvalidKernelImage);
    __cudaUnregisterFatBinary(handle);
    EXPECT(cudaLaunchKernel((const void *)&kernel, dim3(1), dim3(1), nullptr), cudaErrorInvalidDeviceFunction);
    (void)cudaGetLastError();
}

// A kernel that fails fails its device, until that is reset.
static int fail(const char *how) {
    int *device;
    EXPECT(cudaMalloc(&device, 4), cudaSuccess);
    cudaError_t expected = cudaErrorUnknown;
    if (!strcmp(how, "wild")) {
        expected = cudaErrorIllegalAddress;
        wild<<<1, 1>>>((int *)64);
    } else if (!strcmp(how, "trap")) {
        expected = cudaErrorLaunchFailure;
        trap<<<1, 32>>>(0);
    } else if (!strcmp(how, "assert")) {
        expected = cudaErrorAssert;
        asserts<<<1, 32>>>(4);
    } else if (!strcmp(how, "deadlock")) {
        expected = cudaErrorLaunchTimeout;
        deadlock<<<1, 64>>>(0);
    }
    EXPECT(cudaDeviceSynchronize(), expected);
    EXPECT(cudaGetLastError(), expected);
    EXPECT(cudaGetLastError(), expected);
    EXPECT(cudaMalloc(&device, 4), expected);
    nothing<<<1, 1>>>();
    EXPECT(cudaGetLastError(), expected);
    EXPECT(cudaDeviceReset(), cudaSuccess);
    (void)cudaGetLastError();
    EXPECT(cudaGetLastError(), cudaSuccess);
    EXPECT(cudaFree(device), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    nothing<<<1, 1>>>();
    EXPECT(cudaDeviceSynchronize(), cudaSuccess);
    puts(failed ? "FAIL" : "PASS");
    return failed != 0;
}

int main(int count, char **arguments) {
    if (count > 1)
        return fail(arguments[1]);
    test_launches();
    test_memory();
    test_handles();
    test_truncated_fat_binary();
    puts(failed ? "FAIL" : "PASS");
    return failed != 0;
}
