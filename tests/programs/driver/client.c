// A program in C that uses CUDA's driver interface: PTX becomes kernels, which run.
#include "driver.h"

#define HEAD ".version 7.0\n.target sm_52\n.address_size 64\n"

// out[i] = in[i] * factor + offset()
static const char scale[] = HEAD
    ".visible .const .align 4 .u32 factor = 3;\n"
    ".extern .func (.param .b32 result) offset;\n"
    ".visible .entry scale(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
    " .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d<5>;\n"
    " mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;\n"
    " ld.param.u32 %r5, [n]; setp.ge.u32 %p, %r4, %r5; @%p bra END;\n"
    " ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mul.wide.u32 %d3, %r4, 4;\n"
    " add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;\n"
    " { .param .b32 got; call (got), offset; ld.param.b32 %r8, [got]; }\n"
    " ld.global.u32 %r6, [%d1]; ld.const.u32 %r7, [factor]; mad.lo.u32 %r6, %r6, %r7, %r8; st.global.u32 [%d2], %r6;\n"
    "END: ret; }\n";
static const char offset[] = HEAD
    ".visible .func (.param .b32 result) offset { st.param.b32 [result], 40; ret; }\n";

enum { N = 1000, PTX = 1 };

static Handle linked(void) {
    Handle link, module;
    void *image;
    size_t size;
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    OK(cuLinkAddData_v2(link, PTX, scale, sizeof scale, "scale", 0, NULL, NULL));
    OK(cuLinkAddData_v2(link, PTX, offset, sizeof offset, "offset", 0, NULL, NULL));
    OK(cuLinkComplete(link, &image, &size));
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(link));
    return module;
}

static int right(Address out, unsigned factor) {
    static unsigned got[N];
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (unsigned i = 0; i < N; i++)
        if (got[i] != i * factor + 40)
            return 0;
    return 1;
}

static void launches(Handle module, Address in, Address out) {
    Handle kernel, stream, start, end;
    float milliseconds = -1;
    unsigned n = N, factor = 5;
    int value, blocks = 0;
    OK(cuModuleGetFunction(&kernel, module, "scale"));
    OK(cuStreamCreate(&stream, 1));
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventRecord(start, stream));
    void *arguments[] = {&in, &out, &n};
    OK(cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
    OK(cuEventRecord(end, stream));
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&milliseconds, start, end));
    CHECK(milliseconds >= 0);
    CHECK(right(out, 3));
    // The same with arguments in a buffer, after a change of the constant.
    Address variable;
    size_t bytes;
    OK(cuModuleGetGlobal_v2(&variable, &bytes, module, "factor"));
    CHECK(bytes == 4);
    OK(cuMemcpyHtoD_v2(variable, &factor, bytes));
    struct {
        Address in, out;
        unsigned n;
    } buffer = {in, out, N};
    size_t size = sizeof buffer;
    void *extra[] = {(void *)1, &buffer, (void *)2, &size, NULL};
    OK(cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    OK(cuCtxSynchronize());
    CHECK(right(out, 5));
    OK(cuFuncGetAttribute(&value, 0, kernel));
    CHECK(value == 1024);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 0));
    CHECK(blocks > 0);
    OK(cuEventDestroy_v2(start));
    OK(cuEventDestroy_v2(end));
    OK(cuStreamDestroy_v2(stream));
}

// Kernels reach memory of the program's own as long as it is registered, and only its own bytes.
static void registered(Handle module, Address out) {
    static unsigned mine[2 * N];
    Address in = 0;
    Handle kernel;
    unsigned n = N;
    for (unsigned i = 0; i < N; i++)
        mine[i] = i;
    OK(cuMemHostRegister_v2(mine, N * sizeof *mine, 0));
    OK(cuMemHostGetDevicePointer_v2(&in, mine, 0));
    CHECK(in == (Address)mine);
    OK(cuModuleGetFunction(&kernel, module, "scale"));
    void *arguments[] = {&in, &out, &n};
    OK(cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    OK(cuCtxSynchronize());
    CHECK(right(out, 5));
    // It is written, too: 40 more at each of the first places.
    Address back = in;
    in = out;
    out = back;
    OK(cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    OK(cuCtxSynchronize());
    for (unsigned i = 0; i < N; i++)
        CHECK(mine[i] == (i * 5 + 40) * 5 + 40);
    OK(cuMemHostUnregister(mine));
    EXPECT(713, cuMemHostUnregister(mine));
}

// One side of CUDA_MEMCPY3D, and the structure.
typedef struct {
    size_t x, y, z, level;
    int kind;
    void *host;
    Address device;
    Handle array, reserved;
    size_t pitch, height;
} Side;
typedef struct {
    Side from, to;
    size_t width, height, depth;
} Copy;
int cuGraphCreate(Handle *graph, unsigned flags);
int cuGraphAddMemcpyNode(Handle *node, Handle graph, const Handle *after, size_t count, const Copy *copy, Handle context);
int cuGraphExecMemcpyNodeSetParams(Handle executable, Handle node, const Copy *copy, Handle context);
int cuGraphInstantiateWithFlags(Handle *executable, Handle graph, unsigned long long flags);
int cuGraphLaunch(Handle executable, Handle stream);
int cuGraphExecDestroy(Handle executable);
int cuGraphDestroy(Handle graph);

// A graph copies words to the device and back; the second launch brings others.
static void copies_of_graphs(Address memory, Handle context) {
    static unsigned here[4] = {1, 2, 3, 4}, others[4] = {5, 6, 7, 8}, back[4];
    Handle graph, executable, to, from;
    Copy copy = {.from = {.kind = 1, .host = here}, .to = {.kind = 2, .device = memory}, .width = sizeof here};
    copy.height = copy.depth = 1;
    Copy again = {.from = copy.to, .to = {.kind = 1, .host = back}, .width = sizeof here, .height = 1, .depth = 1};
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemcpyNode(&to, graph, NULL, 0, &copy, context));
    OK(cuGraphAddMemcpyNode(&from, graph, &to, 1, &again, context));
    EXPECT(1, cuGraphAddMemcpyNode(&from, graph, NULL, 0, NULL, context));
    OK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuCtxSynchronize());
    CHECK(!memcmp(here, back, sizeof back));
    copy.from.host = others;
    OK(cuGraphExecMemcpyNodeSetParams(executable, to, &copy, context));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuCtxSynchronize());
    CHECK(!memcmp(others, back, sizeof back));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
}

static void libraries(void) {
    Handle library, kernel;
    OK(cuLibraryLoadData(&library, HEAD ".visible .entry nothing() { ret; }", NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "nothing"));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuCtxSynchronize());
    OK(cuLibraryUnload(library));
    EXPECT(400, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
}

static void fills(Address memory) {
    unsigned short got[6] = {0};
    OK(cuMemsetD32_v2(memory, 0x10002, 3));
    OK(cuMemsetD16_v2(memory, 7, 2));
    OK(cuMemcpyDtoH_v2(got, memory, sizeof got));
    CHECK(got[0] == 7 && got[1] == 7 && got[2] == 2 && got[3] == 1 && got[4] == 2 && got[5] == 1);
    // The same in memory of the host's.
    Address managed;
    OK(cuMemAllocManaged(&managed, sizeof got, 1));
    OK(cuMemsetD32_v2(managed, 0x30004, 3));
    OK(cuCtxSynchronize());
    CHECK(((unsigned short *)managed)[4] == 4 && ((unsigned short *)managed)[5] == 3);
    OK(cuMemFree_v2(managed));
}

int main(void) {
    Handle context, primary, current, popped;
    Address in, out, whose;
    unsigned values[N];
    int device;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate_v2(&context, 0, device));
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuCtxPushCurrent_v2(primary));
    OK(cuCtxPopCurrent_v2(&popped));
    OK(cuCtxGetCurrent(&current));
    CHECK(popped == primary && current == context);
    OK(cuMemAlloc_v2(&in, sizeof values));
    OK(cuMemAlloc_v2(&out, sizeof values));
    OK(cuPointerGetAttribute(&whose, 1, in + 8));
    CHECK(whose == (Address)context);
    for (unsigned i = 0; i < N; i++)
        values[i] = i;
    OK(cuMemcpyHtoD_v2(in, values, sizeof values));
    Handle module = linked();
    launches(module, in, out);
    registered(module, out);
    libraries();
    fills(in);
    copies_of_graphs(in, context);
    OK(cuModuleUnload(module));
    OK(cuMemFree_v2(in));
    OK(cuCtxDestroy_v2(context));
    OK(cuCtxSetCurrent(primary));
    // It went with its context.
    EXPECT(1, cuMemFree_v2(out));
    OK(cuDevicePrimaryCtxRelease_v2(device));
    return verdict();
}
