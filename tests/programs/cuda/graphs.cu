// Graphs: made by capturing streams and node by node, launched several times, and changed. Pools, boxes of memory,
// settings of devices.
#include <stdio.h>
#include <string.h>
#include <vector>

#include <cuda_runtime.h>

#include "../expect.h"

#define CHECK(call) EXPECT(call, cudaSuccess)

__global__ void step(int *values, int n, int factor, int amount) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = values[i] * factor + amount;
}

__device__ int variable[2];
static void add_one(void *counter) { ++*(int *)counter; }
static void called(cudaStream_t, cudaError_t status, void *counter) { *(int *)counter += status == cudaSuccess; }

// Two streams become one graph, which is launched three times.
static void test_capture() {
    const int n = 100;
    int host[n], back[n], *values, counter = 0;
    cudaStream_t first, second;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaEventCreate(&forked));
    CHECK(cudaEventCreate(&joined));
    CHECK(cudaMalloc(&values, n * sizeof(int)));
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(values, host, sizeof host, cudaMemcpyHostToDevice, first));
    step<<<1, 128, 0, first>>>(values, n / 2, 2, 1);
    CHECK(cudaEventRecord(forked, first));
    CHECK(cudaStreamWaitEvent(second, forked));
    step<<<1, 128, 0, second>>>(values + n / 2, n / 2, 3, 1);
    CHECK(cudaLaunchHostFunc(second, add_one, &counter));
    CHECK(cudaEventRecord(joined, second));
    step<<<1, 128, 0, first>>>(values, n / 2, 1, 1);
    CHECK(cudaStreamWaitEvent(first, joined));
    CHECK(cudaMemcpyAsync(back, values, sizeof back, cudaMemcpyDeviceToHost, first));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(second, &status));
    EXPECT(status, cudaStreamCaptureStatusActive);
    CHECK(cudaStreamEndCapture(first, &graph));
    CHECK(cudaStreamIsCapturing(second, &status));
    EXPECT(status, cudaStreamCaptureStatusNone);
    size_t nodes = 0, edges = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
    EXPECT(nodes, 6);
    EXPECT(edges, 6);
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < n; i++)
            host[i] = i * round;
        CHECK(cudaGraphLaunch(executable, first));
        CHECK(cudaStreamSynchronize(first));
        for (int i = 0; i < n; i++)
            EXPECT(back[i], i < n / 2 ? i * round * 2 + 2 : i * round * 3 + 1);
        EXPECT(counter, round);
    }
    CHECK(cudaGraphExecDestroy(executable));
    EXPECT(cudaGraphLaunch(executable, first), cudaErrorInvalidValue);

    // What no graph can have ends the capture.
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    EXPECT(cudaStreamSynchronize(first), cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT(graph == nullptr, 1);
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(forked, first));
    CHECK(cudaStreamWaitEvent(second, forked));
    step<<<1, 1, 0, second>>>(values, 1, 1, 1);
    EXPECT(cudaStreamEndCapture(second, &graph), cudaErrorStreamCaptureUnmatched);
    EXPECT(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT(cudaStreamEndCapture(first, &graph), cudaErrorIllegalState);
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(forked, first));
    CHECK(cudaStreamWaitEvent(second, forked));
    step<<<1, 1, 0, second>>>(values, 1, 1, 1);
    EXPECT(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureUnjoined);
    EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    // The default stream would wait for it, but not for a stream that is not ordered with it.
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    EXPECT(cudaStreamQuery(0), cudaErrorStreamCaptureImplicit);
    EXPECT(cudaMemsetAsync(values, 0, 4, 0), cudaErrorStreamCaptureImplicit);
    EXPECT(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);
    cudaStream_t independent;
    CHECK(cudaStreamCreateWithFlags(&independent, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(independent, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMemsetAsync(values, 0, 4, 0));
    CHECK(cudaStreamEndCapture(independent, &graph));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(independent));
    (void)cudaGetLastError();
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(values));
}

// Nodes one by one: a fill, a kernel, a child graph, a copy from a variable.
static void test_nodes() {
    int n = 8, factor = 3, amount = 1, back[8], pair[2] = {1, 2}, counter = 0, *values;
    CHECK(cudaMalloc(&values, n * sizeof(int)));
    cudaGraph_t graph, child, clone;
    cudaGraphNode_t fill, kernel, host, copy, inner, to, from, empty;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    cudaMemsetParams fills = {values, 0, 0x00020001, 4, (size_t)n, 1};
    CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &fills));
    void *arguments[] = {&values, &n, &factor, &amount};
    cudaKernelNodeParams kernels = {(void *)step, dim3(1), dim3(32), 0, arguments, nullptr};
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &kernels));
    cudaHostNodeParams hosts = {add_one, &counter};
    CHECK(cudaGraphAddHostNode(&host, child, nullptr, 0, &hosts));
    CHECK(cudaGraphAddChildGraphNode(&inner, graph, &kernel, 1, child));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, back, values, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddDependencies(graph, &inner, &copy, 1));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, variable, pair, sizeof pair, 0,
                                         cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, pair, variable, sizeof(int), sizeof(int),
                                           cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddEmptyNode(&empty, graph, &from, 1));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(inner, &type));
    EXPECT(type, cudaGraphNodeTypeGraph);
    size_t roots = 0;
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    EXPECT(roots, 2);
    cudaGraphExec_t executable, second;
    CHECK(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaDeviceSynchronize());
    for (int value : back)
        EXPECT(value, 0x00020001 * 3 + 1);
    EXPECT(counter, 1);
    EXPECT(pair[0], 2);
    // What nodes were made with, and a launch without one of them.
    cudaKernelNodeParams made;
    cudaMemsetParams filled;
    cudaHostNodeParams calls;
    cudaMemcpy3DParms copied;
    CHECK(cudaGraphKernelNodeGetParams(kernel, &made));
    EXPECT(made.func == (void *)step && made.blockDim.x == 32 && *(int *)made.kernelParams[2] == 3, true);
    CHECK(cudaGraphMemsetNodeGetParams(fill, &filled));
    EXPECT(filled.dst == values && filled.value == 0x00020001 && filled.width == (size_t)n, true);
    CHECK(cudaGraphHostNodeGetParams(host, &calls));
    EXPECT(calls.fn == add_one && calls.userData == &counter, true);
    CHECK(cudaGraphMemcpyNodeGetParams(copy, &copied));
    EXPECT(copied.dstPtr.ptr == back && copied.extent.width == sizeof back, true);
    EXPECT(cudaGraphMemsetNodeGetParams(kernel, &filled), cudaErrorInvalidValue);
    unsigned enabled = 2;
    CHECK(cudaGraphNodeSetEnabled(executable, kernel, 0));
    CHECK(cudaGraphNodeGetEnabled(executable, kernel, &enabled));
    EXPECT(enabled, 0);
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(back[3], 0x00020001);
    CHECK(cudaGraphNodeSetEnabled(executable, kernel, 1));
    counter = 1;
    // Other arguments, in the executable graph and in a clone.
    amount = 5;
    CHECK(cudaGraphExecKernelNodeSetParams(executable, kernel, &kernels));
    EXPECT(cudaGraphExecKernelNodeSetParams(executable, copy, &kernels), cudaErrorInvalidValue);
    CHECK(cudaGraphLaunch(executable, cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    EXPECT(back[7], 0x00020001 * 3 + 5);
    CHECK(cudaGraphClone(&clone, graph));
    cudaGraphNode_t cloned;
    CHECK(cudaGraphNodeFindInClone(&cloned, kernel, clone));
    amount = 7;
    CHECK(cudaGraphKernelNodeSetParams(cloned, &kernels));
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(executable, clone, &info));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(back[0], 0x00020001 * 3 + 7);
    CHECK(cudaGraphDestroyNode(empty));
    EXPECT(cudaGraphExecUpdate(executable, graph, &info), cudaErrorGraphExecUpdateFailure);
    EXPECT(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    // A circle cannot be launched.
    CHECK(cudaGraphAddDependencies(clone, &cloned, &cloned, 0));
    cudaGraphNode_t before;
    CHECK(cudaGraphNodeFindInClone(&before, fill, clone));
    CHECK(cudaGraphAddDependencies(clone, &cloned, &before, 1));
    EXPECT(cudaGraphInstantiate(&second, clone, 0), cudaErrorInvalidValue);
    CHECK(cudaGraphDestroy(clone));
    EXPECT(cudaGraphNodeGetType(cloned, &type), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaFree(values));
}

static void test_pools() {
    cudaMemPool_t pool, own;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ull, used = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    int *values, back[64];
    for (int round = 0; round < 3; round++) {
        CHECK(cudaMallocAsync(&values, sizeof back, stream));
        CHECK(cudaMemsetAsync(values, 0, sizeof back, stream));
        step<<<1, 64, 0, stream>>>(values, 64, 1, round);
        CHECK(cudaMemcpyAsync(back, values, sizeof back, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
        EXPECT(used, sizeof back);
        CHECK(cudaFreeAsync(values, stream));
        EXPECT(cudaFreeAsync(values, stream), cudaErrorInvalidValue);
        EXPECT(back[63], round);
    }
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    CHECK(cudaMemPoolCreate(&own, &properties));
    CHECK(cudaMallocFromPoolAsync(&values, 100, own, stream));
    CHECK(cudaMemPoolDestroy(own));
    EXPECT(cudaMemPoolTrimTo(own, 0), cudaErrorInvalidValue);
    CHECK(cudaFreeAsync(values, stream));
    (void)cudaGetLastError();
    CHECK(cudaStreamDestroy(stream));
}

static void test_boxes() {
    const int width = 10, height = 5, depth = 3;
    char host[depth][height][width], back[depth][height][width];
    for (int i = 0; i < width * height * depth; i++)
        (&host[0][0][0])[i] = (char)i;
    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(width, height, depth);
    CHECK(cudaMalloc3D(&box, extent));
    EXPECT(box.pitch >= width && box.ysize == height, 1);
    CHECK(cudaMemset3D(box, 7, extent));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, width, width, height);
    copy.dstPtr = box;
    copy.srcPos = copy.dstPos = make_cudaPos(2, 1, 1);
    copy.extent = make_cudaExtent(width - 2, height - 1, depth - 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaMemcpy3DParms whole = {};
    whole.srcPtr = box;
    whole.dstPtr = make_cudaPitchedPtr(back, width, width, height);
    whole.extent = extent;
    whole.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&whole, 0));
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                EXPECT(back[z][y][x], x < 2 || y < 1 || z < 1 ? 7 : host[z][y][x]);
    CHECK(cudaFree(box.ptr));
}

static void test_settings() {
    size_t limit = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    EXPECT(limit, 64 << 20);
    EXPECT(cudaDeviceSetLimit((cudaLimit)99, 1), cudaErrorUnsupportedLimit);
    int peers = 0, counter = 0;
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceDisablePeerAccess(99), cudaErrorInvalidDevice);
    std::vector<int> mine(1000, 3), back(1000);
    CHECK(cudaHostRegister(mine.data(), 4000, cudaHostRegisterDefault));
    EXPECT(cudaHostRegister(&mine[10], 4, 0), cudaErrorHostMemoryAlreadyRegistered);
    int *device;
    CHECK(cudaMalloc(&device, 4000));
    CHECK(cudaMemcpyAsync(device, mine.data(), 4000, cudaMemcpyHostToDevice, cudaStreamPerThread));
    step<<<8, 128, 0, cudaStreamPerThread>>>(device, 1000, 2, 1);
    CHECK(cudaStreamAddCallback(cudaStreamPerThread, called, &counter, 0));
    CHECK(cudaMemcpyAsync(back.data(), device, 4000, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    EXPECT(back[999], 7);
    EXPECT(counter, 1);
    CHECK(cudaHostUnregister(mine.data()));
    EXPECT(cudaHostUnregister(mine.data()), cudaErrorHostMemoryNotRegistered);
    EXPECT(strcmp(cudaGetErrorName(cudaErrorHostMemoryNotRegistered), "cudaErrorHostMemoryNotRegistered"), 0);
    const char *name = nullptr;
    CHECK(cudaFuncGetName(&name, step));
    EXPECT(strcmp(name, "_Z4stepPiiii"), 0);
    CHECK(cudaMallocManaged(&device, 4096));
    CHECK(cudaMemAdvise(device, 4096, cudaMemAdviseSetReadMostly, 0));
    int where = 5;
    CHECK(cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributePreferredLocation, device, 4096));
    EXPECT(where, cudaInvalidDeviceId);
    CHECK(cudaStreamAttachMemAsync(0, device));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    char bus[20];
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(cudaDeviceGetByPCIBusId(&peers, bus));
    EXPECT(peers, 0);
    (void)cudaGetLastError();
}

int main() {
    test_capture();
    test_nodes();
    test_pools();
    test_boxes();
    test_settings();
    puts(failed ? "FAIL" : "PASS");
    return failed != 0;
}
