// The runtime's functions in HIP: memory, streams, events, devices, graphs, errors.
#include <stdio.h>
#include <string.h>

#include <hip/hip_runtime.h>

#include "../expect.h"

#define CHECK(call) EXPECT(call, hipSuccess)

static_assert(sizeof(hipDeviceProp_t) == 1472, "ROCm 6's layout");
static_assert(sizeof(hipFuncAttributes) == 56, "ROCm 6's layout");
static_assert(sizeof(hipPointerAttribute_t) == 32, "ROCm 6's layout");

__global__ void step(int *values, int n, int factor, int amount) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = values[i] * factor + amount;
}

__global__ void __launch_bounds__(128, 2) limited() {}

static void add_one(void *counter) { ++*(int *)counter; }

static void test_memory() {
    const int n = 100;
    int *device, *pinned, *managed, back[n];
    CHECK(hipMalloc(&device, n * sizeof(int)));
    CHECK(hipHostMalloc(&pinned, n * sizeof(int), hipHostMallocMapped));
    CHECK(hipMallocManaged(&managed, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        pinned[i] = managed[i] = i;
    CHECK(hipMemcpyHtoD(device, pinned, n * sizeof(int)));
    step<<<1, 128>>>(device, n, 2, 1);
    step<<<1, 128>>>(managed, n, 3, 1);
    CHECK(hipMemcpyDtoH(back, device, n * sizeof(int)));
    CHECK(hipDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        EXPECT(back[i], 2 * i + 1);
        EXPECT(managed[i], 3 * i + 1);
    }
    CHECK(hipMemsetD32(device, 0x01020304, n));
    CHECK(hipMemcpy(back, device, sizeof back, hipMemcpyDefault));
    EXPECT(back[n - 1], 0x01020304);
    hipPointerAttribute_t attributes;
    CHECK(hipPointerGetAttributes(&attributes, managed + 3));
    EXPECT(attributes.type == hipMemoryTypeManaged && attributes.isManaged, 1);
    CHECK(hipFree(device));
    CHECK(hipFree(managed));
    CHECK(hipHostFree(pinned));
    EXPECT(hipFree(&back), hipErrorInvalidValue);
    EXPECT(hipGetLastError(), hipErrorInvalidValue);
    EXPECT(strcmp(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory"), 0);
}

static void test_devices() {
    int count = 0, value = 0;
    CHECK(hipGetDeviceCount(&count));
    EXPECT(count >= 1, 1);
    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    EXPECT(strncmp(properties.gcnArchName, "gfx", 3), 0);
    EXPECT(properties.major >= 9, 1);
    CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
    EXPECT(value, properties.warpSize);
    CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
    EXPECT(value, properties.multiProcessorCount);
    CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxBlockDimZ, 0));
    EXPECT(value, properties.maxThreadsDim[2]);
    CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeManagedMemory, 0));
    EXPECT(value, properties.managedMemory);
    EXPECT(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)5000, 0), hipErrorInvalidValue);
    EXPECT(hipSetDevice(99), hipErrorInvalidDevice);
    (void)hipGetLastError();
    hipFuncAttributes attributes;
    CHECK(hipFuncGetAttributes(&attributes, step));
    EXPECT(attributes.maxThreadsPerBlock >= 256, 1);
    int grid = 0, block = 0;
    CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, step, 0, 128));
    EXPECT(grid >= 1 && block == 128, 1);
}

static void test_streams() {
    const int n = 1000;
    hipStream_t first, second;
    hipEvent_t begin, done;
    int *values, *host, counter = 0;
    CHECK(hipStreamCreate(&first));
    CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    CHECK(hipEventCreate(&begin));
    CHECK(hipEventCreateWithFlags(&done, hipEventDefault));
    CHECK(hipMalloc(&values, n * sizeof(int)));
    CHECK(hipHostMalloc(&host, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        host[i] = i;
    CHECK(hipEventRecord(begin, first));
    CHECK(hipMemcpyAsync(values, host, n * sizeof(int), hipMemcpyHostToDevice, first));
    step<<<8, 128, 0, first>>>(values, n, 2, 1);
    CHECK(hipEventRecord(done, first));
    CHECK(hipStreamWaitEvent(second, done, 0));
    step<<<8, 128, 0, second>>>(values, n, 3, 2);
    CHECK(hipLaunchHostFunc(second, add_one, &counter));
    CHECK(hipMemcpyAsync(host, values, n * sizeof(int), hipMemcpyDeviceToHost, second));
    CHECK(hipEventRecord(done, second));
    CHECK(hipEventSynchronize(done));
    EXPECT(counter, 1);
    for (int i = 0; i < n; i++)
        EXPECT(host[i], (i * 2 + 1) * 3 + 2);
    float milliseconds = -1;
    CHECK(hipEventElapsedTime(&milliseconds, begin, done));
    EXPECT(milliseconds > 0, 1);

    // A graph of the second stream.
    hipGraph_t graph;
    hipGraphExec_t executable;
    CHECK(hipStreamBeginCapture(second, hipStreamCaptureModeGlobal));
    step<<<8, 128, 0, second>>>(values, n, 1, 1);
    CHECK(hipMemcpyAsync(host, values, n * sizeof(int), hipMemcpyDeviceToHost, second));
    CHECK(hipStreamEndCapture(second, &graph));
    CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    for (int round = 1; round <= 3; round++) {
        CHECK(hipGraphLaunch(executable, first));
        CHECK(hipStreamSynchronize(first));
        EXPECT(host[0], 5 + round);
    }
    CHECK(hipGraphExecDestroy(executable));
    CHECK(hipGraphDestroy(graph));
    CHECK(hipStreamDestroy(first));
    CHECK(hipStreamDestroy(second));
    EXPECT(hipStreamSynchronize(first), hipErrorInvalidHandle);
    CHECK(hipEventDestroy(begin));
    CHECK(hipEventDestroy(done));
    CHECK(hipFree(values));
    CHECK(hipHostFree(host));
    (void)hipGetLastError();
    step<<<1, 5000>>>(nullptr, 0, 0, 0);
    EXPECT(hipGetLastError(), hipErrorInvalidConfiguration);
    limited<<<1, 128>>>();
    CHECK(hipGetLastError());
    limited<<<1, 129>>>();
    EXPECT(hipGetLastError(), hipErrorLaunchFailure);
}

int main() {
    test_memory();
    test_devices();
    test_streams();
    CHECK(hipDeviceReset());
    test_memory();
    puts(failed ? "FAIL" : "PASS");
    return failed != 0;
}
