// What nodes of graphs were made with, nodes that are left out, and parts of a device, by CUDA's driver interface.
#include "driver.h"

static const char kernels[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry put(.param .u64 out, .param .u32 value) {\n"
    " .reg .b32 %r<3>; .reg .b64 %d<3>; ld.param.u64 %d1, [out]; ld.param.u32 %r1, [value];\n"
    " mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r1; ret; }\n";

typedef struct {
    Handle function;
    unsigned grid[3], block[3], shared;
    void **arguments, **extra;
    Handle kernel, context;
} Kernel;
typedef struct {
    Address to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} Fill;
typedef struct {
    size_t from_position[4];
    int from_kind;
    const void *from_host;
    Address from_device;
    Handle from_array, from_reserved;
    size_t from_pitch, from_height, to_position[4];
    int to_kind;
    void *to_host;
    Address to_device;
    Handle to_array, to_reserved;
    size_t to_pitch, to_height, width, height, depth;
} Copy;
typedef struct {
    void (*function)(void *);
    void *data;
} Host;
typedef struct {
    int sort, zeros[3];
    union {
        Kernel kernel;
        struct { int flags, reserved; Handle context; Copy copy; } copy;
        Fill fill;
        Host host;
        Handle handle;
        struct { size_t pool[11]; const void *access; size_t count, bytes; Address address; } memory;
        size_t words[29];
    };
    size_t last_zero;
} Any;
typedef struct { unsigned char from, to, sort, zeros[5]; } Edge;
typedef struct {
    int kind;
    unsigned char own[92];
    union {
        unsigned count;
        unsigned char size[48];
    };
} Resource;

int cuGraphCreate(Handle *graph, unsigned flags);
int cuGraphAddKernelNode_v2(Handle *node, Handle graph, const Handle *before, size_t count, const Kernel *parameters);
int cuGraphKernelNodeGetParams_v2(Handle node, Kernel *parameters);
int cuGraphKernelNodeSetParams_v2(Handle node, const Kernel *parameters);
int cuGraphExecKernelNodeSetParams_v2(Handle executable, Handle node, const Kernel *parameters);
int cuGraphAddMemsetNode(Handle *node, Handle graph, const Handle *before, size_t count, const Fill *parameters,
                         Handle context);
int cuGraphMemsetNodeGetParams(Handle node, Fill *parameters);
int cuGraphAddMemcpyNode(Handle *node, Handle graph, const Handle *before, size_t count, const Copy *parameters,
                         Handle context);
int cuGraphMemcpyNodeGetParams(Handle node, Copy *parameters);
int cuGraphAddHostNode(Handle *node, Handle graph, const Handle *before, size_t count, const Host *parameters);
int cuGraphHostNodeGetParams(Handle node, Host *parameters);
int cuGraphAddEventRecordNode(Handle *node, Handle graph, const Handle *before, size_t count, Handle event);
int cuGraphEventRecordNodeGetEvent(Handle node, Handle *event);
int cuGraphAddNode(Handle *node, Handle graph, const Handle *before, size_t count, Any *parameters);
int cuGraphAddNode_v2(Handle *node, Handle graph, const Handle *before, const Edge *edges, size_t count,
                      Any *parameters);
int cuGraphNodeSetParams(Handle node, Any *parameters);
int cuGraphExecNodeSetParams(Handle executable, Handle node, Any *parameters);
int cuGraphMemFreeNodeGetParams(Handle node, Address *address);
int cuImportExternalMemory(Handle *memory, const void *described);
int cuDestroyExternalMemory(Handle memory);
int cuImportExternalSemaphore(Handle *semaphore, const void *described);
int cuGraphicsGLRegisterBuffer(Handle *resource, unsigned buffer, unsigned flags);
int cuGraphicsMapResources(unsigned count, Handle *list, Handle stream);
int cuGraphicsUnregisterResource(Handle resource);
int cuGraphInstantiateWithFlags(Handle *executable, Handle graph, unsigned long long flags);
int cuGraphExecGetFlags(Handle executable, unsigned long long *flags);
int cuGraphExecUpdate_v2(Handle executable, Handle graph, void *result);
int cuGraphNodeSetEnabled(Handle executable, Handle node, unsigned enabled);
int cuGraphNodeGetEnabled(Handle executable, Handle node, unsigned *enabled);
int cuGraphGetNodes(Handle graph, Handle *nodes, size_t *count);
int cuGraphDebugDotPrint(Handle graph, const char *path, unsigned flags);
int cuGraphLaunch(Handle executable, Handle stream);
int cuGraphAddKernelNode(Handle *node, Handle graph, const Handle *after, size_t count, const Kernel *parameters);
int cuGraphKernelNodeGetParams(Handle node, Kernel *parameters);
int cuGraphExecKernelNodeSetParams(Handle executable, Handle node, const Kernel *parameters);
int cuGraphInstantiate_v2(Handle *executable, Handle graph, Handle *error, char *log, size_t bytes);
int cuGraphExecUpdate(Handle executable, Handle graph, Handle *error, int *result);
int cuGraphExecDestroy(Handle executable);
int cuGraphDestroy(Handle graph);
int cuStreamBeginCapture_v2(Handle stream, int mode);
int cuStreamEndCapture(Handle stream, Handle *graph);
int cuStreamGetGreenCtx(Handle stream, Handle *part);
int cuMemsetD8Async(Address to, unsigned char value, size_t count, Handle stream);
int cuDeviceGetDevResource(int device, Resource *resource, int kind);
int cuDevSmResourceSplitByCount(Resource *groups, unsigned *count, const Resource *whole, Resource *rest,
                                unsigned flags, unsigned least);
int cuDevResourceGenerateDesc(Handle *described, Resource *list, unsigned count);
int cuGreenCtxCreate(Handle *part, Handle described, int device, unsigned flags);
int cuGreenCtxDestroy(Handle part);
int cuGreenCtxGetDevResource(Handle part, Resource *resource, int kind);
int cuGreenCtxStreamCreate(Handle *stream, Handle part, unsigned flags, int priority);
int cuGreenCtxRecordEvent(Handle part, Handle event);
int cuGreenCtxWaitEvent(Handle part, Handle event);
int cuCtxFromGreenCtx(Handle *context, Handle part);
int cuCtxGetDevResource(Handle context, Resource *resource, int kind);

enum { COUNT = 4, HOST = 1, DEVICE = 2, SMS = 1 };

static int calls;
static void called(void *data) { calls += *(int *)data; }

static Handle function, stream;
static Address memory;
static unsigned words[COUNT];

static void expect_words(unsigned expected) {
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(words, memory, sizeof words));
    for (int i = 0; i < COUNT; i++)
        CHECK(words[i] == expected);
}

// A kernel behind a fill and in front of a copy, a call of the host's and an event.
static void parameters_of_nodes(Handle event) {
    Handle graph, executable, nodes[5], found;
    unsigned value = 7, copied[COUNT] = {0};
    int by = 3;
    void *arguments[] = {&memory, &value};
    Kernel kernel = {function, {1, 1, 1}, {COUNT, 1, 1}, 0, arguments, NULL, NULL, NULL}, asked_kernel;
    Fill fill = {memory, 0, 5, 4, COUNT, 1}, asked_fill;
    Copy copy = {.from_kind = DEVICE, .from_device = memory, .to_kind = HOST, .to_host = copied,
                 .width = sizeof copied, .height = 1, .depth = 1}, asked_copy;
    Host host = {called, &by}, asked_host;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill, NULL));
    OK(cuGraphAddKernelNode_v2(&nodes[1], graph, &nodes[0], 1, &kernel));
    OK(cuGraphAddMemcpyNode(&nodes[2], graph, &nodes[1], 1, &copy, NULL));
    OK(cuGraphAddHostNode(&nodes[3], graph, &nodes[2], 1, &host));
    OK(cuGraphAddEventRecordNode(&nodes[4], graph, &nodes[3], 1, event));

    OK(cuGraphMemsetNodeGetParams(nodes[0], &asked_fill));
    CHECK(memcmp(&fill, &asked_fill, sizeof fill) == 0);
    OK(cuGraphKernelNodeGetParams_v2(nodes[1], &asked_kernel));
    CHECK(asked_kernel.function == function && asked_kernel.block[0] == COUNT && asked_kernel.grid[2] == 1);
    CHECK(*(Address *)asked_kernel.arguments[0] == memory && *(unsigned *)asked_kernel.arguments[1] == 7);
    OK(cuGraphMemcpyNodeGetParams(nodes[2], &asked_copy));
    CHECK(asked_copy.from_device == memory && asked_copy.to_host == copied && asked_copy.width == sizeof copied);
    OK(cuGraphHostNodeGetParams(nodes[3], &asked_host));
    CHECK(asked_host.function == called && asked_host.data == &by);
    OK(cuGraphEventRecordNodeGetEvent(nodes[4], &found));
    CHECK(found == event);
    CHECK(cuGraphMemsetNodeGetParams(nodes[1], &asked_fill) != 0);
    CHECK(cuGraphKernelNodeGetParams_v2(nodes[0], &asked_kernel) != 0);

    unsigned long long flags = 9;
    unsigned enabled = 0;
    OK(cuGraphInstantiateWithFlags(&executable, graph, 1));
    OK(cuGraphExecGetFlags(executable, &flags));
    CHECK(flags == 1);
    OK(cuGraphLaunch(executable, stream));
    expect_words(7);
    CHECK(copied[0] == 7 && copied[COUNT - 1] == 7 && calls == 3);
    // Without the kernel.
    OK(cuGraphNodeSetEnabled(executable, nodes[1], 0));
    OK(cuGraphNodeGetEnabled(executable, nodes[1], &enabled));
    CHECK(enabled == 0 && cuGraphNodeSetEnabled(executable, nodes[3], 0) != 0);
    OK(cuGraphLaunch(executable, stream));
    expect_words(5);
    OK(cuGraphNodeSetEnabled(executable, nodes[1], 1));
    // With another number, which the graph is asked for and given back.
    OK(cuGraphKernelNodeGetParams_v2(nodes[1], &asked_kernel));
    void *changed[] = {asked_kernel.arguments[0], &value};
    asked_kernel.arguments = changed;
    value = 9;
    OK(cuGraphExecKernelNodeSetParams_v2(executable, nodes[1], &asked_kernel));
    OK(cuGraphLaunch(executable, stream));
    expect_words(9);
    value = 11;
    OK(cuGraphKernelNodeSetParams_v2(nodes[1], &asked_kernel));
    struct { int result; Handle node, from; } result;
    OK(cuGraphExecUpdate_v2(executable, graph, &result));
    OK(cuGraphLaunch(executable, stream));
    expect_words(11);
    OK(cuGraphDebugDotPrint(graph, "/dev/null", 0));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
}

// The same sorts of nodes, and others, by one function.
static void nodes_of_any_sort(Handle event) {
    enum { KERNEL, COPY, FILL, CALL, CHILD, EMPTY, WAIT, RECORD, ALLOCATE = 10, FREE, CONDITION = 13, OTHER = 99 };
    Handle graph, child, executable, nodes[9];
    unsigned value = 13, copied[COUNT] = {0};
    int by = 5;
    void *arguments[] = {&memory, &value};
    Any fill = {FILL, .fill = {memory, 0, 5, 4, COUNT, 1}};
    Any kernel = {KERNEL, .kernel = {function, {1, 1, 1}, {COUNT, 1, 1}, 0, arguments, NULL, NULL, NULL}};
    Any copy = {COPY, .copy = {.copy = {.from_kind = DEVICE, .from_device = memory, .to_kind = HOST, .to_host = copied,
                                        .width = sizeof copied, .height = 1, .depth = 1}}};
    Any call = {CALL, .host = {called, &by}};
    Any record = {RECORD, .handle = event}, wait = {WAIT, .handle = event}, empty = {EMPTY}, inner = {CHILD};
    Any allocation = {ALLOCATE, .memory = {.pool = {1, 1}, .bytes = 64}}, gone = {FREE};
    Edge plain[1] = {{0}}, early[1] = {{1, 0, 1}};
    calls = 0;
    OK(cuGraphCreate(&child, 0));
    OK(cuGraphAddNode(&nodes[0], child, NULL, 0, &call));
    inner.handle = child;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddNode(&nodes[0], graph, NULL, 0, &fill));
    OK(cuGraphAddNode_v2(&nodes[1], graph, &nodes[0], plain, 1, &kernel));
    CHECK(cuGraphAddNode_v2(&nodes[2], graph, &nodes[1], early, 1, &copy) != 0);
    OK(cuGraphAddNode(&nodes[2], graph, &nodes[1], 1, &copy));
    OK(cuGraphAddNode(&nodes[3], graph, &nodes[2], 1, &inner));
    OK(cuGraphAddNode(&nodes[4], graph, &nodes[3], 1, &record));
    OK(cuGraphAddNode(&nodes[5], graph, &nodes[4], 1, &wait));
    OK(cuGraphAddNode(&nodes[6], graph, &nodes[5], 1, &empty));
    OK(cuGraphAddNode(&nodes[7], graph, &nodes[6], 1, &allocation));
    CHECK(allocation.memory.address != 0);
    *(Address *)gone.words = allocation.memory.address;
    OK(cuGraphAddNode(&nodes[8], graph, &nodes[7], 1, &gone));
    Address freed = 0;
    OK(cuGraphMemFreeNodeGetParams(nodes[8], &freed));
    CHECK(freed == allocation.memory.address);
    OK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    OK(cuGraphLaunch(executable, stream));
    expect_words(13);
    CHECK(copied[0] == 13 && copied[COUNT - 1] == 13 && calls == 5);
    value = 17;
    OK(cuGraphExecNodeSetParams(executable, nodes[1], &kernel));
    copy.copy.copy.width = sizeof copied[0];
    OK(cuGraphExecNodeSetParams(executable, nodes[2], &copy));
    OK(cuGraphLaunch(executable, stream));
    expect_words(17);
    CHECK(copied[0] == 17 && copied[1] == 13);
    fill.fill.value = 19;
    kernel.sort = OTHER;
    OK(cuGraphNodeSetParams(nodes[0], &fill));
    CHECK(cuGraphNodeSetParams(nodes[1], &kernel) == 1 && cuGraphNodeSetParams(nodes[1], &fill) == 1);
    Fill asked;
    OK(cuGraphMemsetNodeGetParams(nodes[0], &asked));
    CHECK(asked.value == 19);
    Any condition = {CONDITION};
    CHECK(cuGraphAddNode(&nodes[8], graph, NULL, 0, &condition) == 801);
    CHECK(cuGraphExecNodeSetParams(executable, nodes[7], &allocation) == 801);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuGraphDestroy(child));
}

// What only other interfaces could give.
static void nothing_external(void) {
    Handle found = NULL;
    char described[104] = {1};
    CHECK(cuImportExternalMemory(&found, described) == 801 && cuImportExternalSemaphore(&found, described) == 801);
    CHECK(cuImportExternalMemory(NULL, described) == 1 && cuDestroyExternalMemory(found) == 400);
    CHECK(cuGraphicsGLRegisterBuffer(&found, 1, 0) == 801 && cuGraphicsGLRegisterBuffer(NULL, 1, 0) == 1);
    CHECK(cuGraphicsMapResources(1, &found, NULL) == 400 && cuGraphicsMapResources(0, &found, NULL) == 1);
    CHECK(cuGraphicsUnregisterResource(found) == 400);
}

// The same by the names of CUDA 10 and 11. An event is recorded on a stream where no context is current.
static void earlier(Handle context, Handle event) {
    Handle graph, executable, node, error = stream;
    unsigned value = 31;
    int result = -1;
    char log[8] = "unused";
    void *arguments[] = {&memory, &value};
    Kernel kernel = {function, {1, 1, 1}, {COUNT, 1, 1}, 0, arguments, NULL, NULL, NULL}, asked;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    CHECK(cuGraphAddKernelNode(&node, graph, NULL, 0, NULL) == 1);
    OK(cuGraphKernelNodeGetParams(node, &asked));
    CHECK(asked.function == function && asked.block[0] == COUNT && *(unsigned *)asked.arguments[1] == 31);
    OK(cuGraphInstantiate_v2(&executable, graph, &error, log, sizeof log));
    CHECK(error == NULL && log[0] == 0);
    OK(cuGraphLaunch(executable, stream));
    expect_words(31);
    value = 32;
    OK(cuGraphExecKernelNodeSetParams(executable, node, &kernel));
    OK(cuCtxSetCurrent(NULL));
    CHECK(cuEventRecord(event, NULL) == 201);
    OK(cuEventRecord(event, stream));
    OK(cuCtxSetCurrent(context));
    OK(cuGraphLaunch(executable, stream));
    expect_words(32);
    OK(cuGraphExecUpdate(executable, graph, &error, &result));
    CHECK(error == NULL && result == 0);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
}

// Nodes that came of a captured stream tell as much.
static void captured(void) {
    Handle graph, nodes[2];
    size_t count = 2;
    unsigned value = 21;
    void *arguments[] = {&memory, &value};
    Kernel kernel;
    Fill fill;
    OK(cuStreamBeginCapture_v2(stream, 0));
    OK(cuMemsetD8Async(memory, 1, 8, stream));
    OK(cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, stream, arguments, NULL));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphGetNodes(graph, nodes, &count));
    CHECK(count == 2);
    OK(cuGraphMemsetNodeGetParams(nodes[0], &fill));
    CHECK(fill.to == memory && fill.value == 1 && fill.width == 8 && fill.height == 1);
    OK(cuGraphKernelNodeGetParams_v2(nodes[1], &kernel));
    CHECK(kernel.function == function && *(unsigned *)kernel.arguments[1] == 21);
    OK(cuGraphDestroy(graph));
}

// A part of the device with one multiprocessor, whose stream runs the kernel.
static void parts(Handle event) {
    Resource whole, group, rest, has;
    Handle described, part, own, context, found;
    unsigned groups = 1, possible = 0, value = 33;
    void *arguments[] = {&memory, &value};
    OK(cuDeviceGetDevResource(0, &whole, SMS));
    CHECK(whole.kind == SMS && whole.count >= 1 && cuDeviceGetDevResource(0, &has, 2) != 0);
    OK(cuDevSmResourceSplitByCount(NULL, &possible, &whole, NULL, 0, 1));
    CHECK(possible == whole.count);
    CHECK(cuDevSmResourceSplitByCount(&group, &groups, &whole, NULL, 0, whole.count + 1) != 0);
    OK(cuDevSmResourceSplitByCount(&group, &groups, &whole, &rest, 0, 1));
    CHECK(groups == 1 && group.count == 1 && rest.count == whole.count - 1);
    Resource twice[] = {group, whole};
    CHECK(cuDevResourceGenerateDesc(&described, twice, 2) != 0);
    OK(cuDevResourceGenerateDesc(&described, &group, 1));
    CHECK(cuGreenCtxCreate(&part, described, 0, 0) != 0);
    OK(cuGreenCtxCreate(&part, described, 0, 1));
    OK(cuGreenCtxGetDevResource(part, &has, SMS));
    CHECK(has.count == 1);
    OK(cuCtxFromGreenCtx(&context, part));
    OK(cuCtxGetDevResource(context, &has, SMS));
    CHECK(has.count == 1);
    CHECK(cuGreenCtxStreamCreate(&own, part, 0, 0) != 0);
    OK(cuGreenCtxStreamCreate(&own, part, 1, 0));
    OK(cuStreamGetGreenCtx(own, &found));
    CHECK(found == part);
    OK(cuStreamGetGreenCtx(stream, &found));
    CHECK(found == NULL);
    OK(cuGreenCtxWaitEvent(part, event));
    OK(cuCtxPushCurrent_v2(context));
    OK(cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, own, arguments, NULL));
    OK(cuGreenCtxRecordEvent(part, event));
    OK(cuCtxPopCurrent_v2(&found));
    OK(cuEventSynchronize(event));
    expect_words(33);
    OK(cuStreamDestroy_v2(own));
    OK(cuGreenCtxDestroy(part));
    CHECK(cuGreenCtxDestroy(part) != 0);
}

int main(void) {
    Handle context, module, event;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, kernels));
    OK(cuModuleGetFunction(&function, module, "put"));
    OK(cuMemAlloc_v2(&memory, sizeof words));
    OK(cuStreamCreate(&stream, 0));
    OK(cuEventCreate(&event, 0));
    parameters_of_nodes(event);
    nodes_of_any_sort(event);
    nothing_external();
    earlier(context, event);
    captured();
    parts(event);
    return verdict();
}
