// Wrong use of CUDA's driver interface gives its error codes, and the process lives.
#include "driver.h"

#define HEAD ".version 7.0\n.target sm_52\n.address_size 64\n"

enum { ERROR_LOG = 5, ERROR_LOG_SIZE = 6 };
enum { INVALID_VALUE = 1, NOT_INITIALIZED = 3, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NO_BINARY = 209,
       INVALID_PTX = 218, INVALID_HANDLE = 400, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, NOT_SUPPORTED = 801 };

static void logs(void) {
    char log[200];
    int options[] = {ERROR_LOG, ERROR_LOG_SIZE};
    void *values[] = {log, (void *)sizeof log};
    Handle module;
    EXPECT(INVALID_PTX, cuModuleLoadDataEx(&module, HEAD ".visible .entry k() {\n  mov.u32 %r1, 1; }", 2, options, values));
    CHECK(strstr(log, "line 5, column 3") != NULL);
    CHECK((size_t)values[1] == strlen(log) + 1);
    values[1] = (void *)4;
    EXPECT(INVALID_PTX, cuModuleLoadDataEx(&module, ".version 99.0\n", 2, options, values));
    CHECK(strlen(log) == 3);
    EXPECT(INVALID_VALUE, cuModuleLoadDataEx(&module, HEAD, 2, NULL, NULL));
}

// A fat binary whose header says so much; what follows is zeros.
static const void *fat(unsigned long long size) {
    static unsigned char bytes[256];
    unsigned magic = 0xba55ed50, version = 1 | 16 << 16;
    memcpy(bytes, &magic, 4);
    memcpy(bytes + 4, &version, 4);
    memcpy(bytes + 8, &size, 8);
    return bytes;
}

static void images(void) {
    Handle module;
    EXPECT(INVALID_VALUE, cuModuleLoadData(&module, NULL));
    EXPECT(INVALID_VALUE, cuModuleLoadData(NULL, HEAD));
    EXPECT(INVALID_IMAGE, cuModuleLoadData(&module, (void *)64));
    EXPECT(INVALID_IMAGE, cuModuleLoadData(&module, "not an image"));
    EXPECT(INVALID_IMAGE, cuModuleLoadData(&module, ""));
    EXPECT(INVALID_PTX, cuModuleLoadData(&module, HEAD ".visible .entry k() { mov.u32"));
    EXPECT(INVALID_IMAGE, cuModuleLoadData(&module, fat(100)));
    EXPECT(INVALID_IMAGE, cuModuleLoadData(&module, fat(1ull << 60)));
    EXPECT(INVALID_IMAGE, cuModuleLoadData(&module, fat(~0ull)));
    unsigned long long wrapper[3] = {0x1466243b1ull, (unsigned long long)(size_t)wrapper, 0};
    EXPECT(INVALID_IMAGE, cuModuleLoadData(&module, wrapper));
}

static void handles(void) {
    Handle module, kernel, stream;
    Address memory;
    int value;
    OK(cuModuleLoadData(&module, HEAD ".visible .entry k(.param .u64 p) { ret; }"));
    EXPECT(NOT_FOUND, cuModuleGetFunction(&kernel, module, "absent"));
    EXPECT(INVALID_VALUE, cuModuleGetFunction(&kernel, module, NULL));
    OK(cuModuleGetFunction(&kernel, module, "k"));
    void *nothing[] = {NULL};
    EXPECT(INVALID_VALUE, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(INVALID_VALUE, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, nothing, NULL));
    void *arguments[] = {&memory};
    EXPECT(INVALID_VALUE, cuLaunchKernel(kernel, 0, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    EXPECT(INVALID_VALUE, cuLaunchKernel(kernel, 1, 1, 1, 4096, 1, 1, 0, NULL, arguments, NULL));
    EXPECT(INVALID_VALUE, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, ~0u, NULL, arguments, NULL));
    EXPECT(INVALID_HANDLE, cuLaunchKernel((Handle)puts, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuModuleUnload(module));
    EXPECT(INVALID_HANDLE, cuModuleUnload(module));
    EXPECT(INVALID_HANDLE, cuFuncGetAttribute(&value, 0, kernel));
    OK(cuStreamCreate(&stream, 0));
    OK(cuStreamDestroy_v2(stream));
    EXPECT(INVALID_HANDLE, cuStreamSynchronize(stream));
    EXPECT(INVALID_HANDLE, cuStreamDestroy_v2(stream));
    EXPECT(INVALID_HANDLE, cuLinkDestroy((Handle)7));
    EXPECT(INVALID_VALUE, cuMemAlloc_v2(&memory, 0));
    EXPECT(2, cuMemAlloc_v2(&memory, 1ull << 60));
    EXPECT(INVALID_VALUE, cuMemFree_v2(0x1234));
}

// The kernel that has an instruction which is not known is refused, and no other.
static void refusals(void) {
    Handle module, kernel;
    OK(cuModuleLoadData(&module, HEAD ".visible .entry bad() { wgmma.fence.sync.aligned; ret; }\n"
                                      ".visible .entry good() { ret; }"));
    OK(cuModuleGetFunction(&kernel, module, "bad"));
    EXPECT(NOT_SUPPORTED, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuModuleGetFunction(&kernel, module, "good"));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuCtxSynchronize());
    OK(cuModuleUnload(module));
}

static int launched(Handle kernel, unsigned x, unsigned y) {
    return cuLaunchKernel(kernel, 1, 1, 1, x, y, 1, 0, NULL, NULL, NULL);
}

// A kernel's launch bounds are the program's promise.
static void launch_bounds(void) {
    Handle module, most, exact;
    int threads;
    OK(cuModuleLoadData(&module, HEAD ".visible .entry most() .maxntid 16, 4 { ret; }\n"
                                      ".visible .entry exact() .reqntid 32, 2 { ret; }"));
    OK(cuModuleGetFunction(&most, module, "most"));
    OK(cuModuleGetFunction(&exact, module, "exact"));
    OK(cuFuncGetAttribute(&threads, 0, most));
    CHECK(threads == 64);
    OK(launched(most, 64, 1));
    EXPECT(INVALID_VALUE, launched(most, 65, 1));
    OK(cuFuncGetAttribute(&threads, 0, exact));
    CHECK(threads == 64);
    OK(launched(exact, 32, 2));
    EXPECT(INVALID_VALUE, launched(exact, 64, 1));
    EXPECT(INVALID_VALUE, launched(exact, 32, 1));
    OK(cuCtxSynchronize());
    OK(cuModuleUnload(module));
}

// A kernel that fails takes its context with it, and no other.
static void failed_contexts(int device) {
    Handle failed, module, kernel;
    Address memory;
    OK(cuCtxCreate_v2(&failed, 0, device));
    OK(cuModuleLoadData(&module, HEAD ".visible .entry wild() { .reg .b64 %d; mov.u64 %d, 64;\n"
                                      " st.global.u32 [%d], 0; ret; }"));
    OK(cuModuleGetFunction(&kernel, module, "wild"));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(ILLEGAL_ADDRESS, cuCtxSynchronize());
    EXPECT(ILLEGAL_ADDRESS, cuMemAlloc_v2(&memory, 4));
    OK(cuCtxDestroy(failed));
    EXPECT(INVALID_CONTEXT, cuCtxDestroy_v2(failed));
    EXPECT(INVALID_CONTEXT, cuCtxSetCurrent(failed));
    OK(cuMemAlloc_v2(&memory, 4));
    OK(cuMemFree_v2(memory));
}

static void names(void) {
    const char *text;
    void *function;
    int status;
    OK(cuGetErrorName(INVALID_PTX, &text));
    CHECK(strcmp(text, "CUDA_ERROR_INVALID_PTX") == 0);
    EXPECT(INVALID_VALUE, cuGetErrorString(12345, &text));
    CHECK(text == NULL);
    OK(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, &status));
    CHECK(status == 0 && function == (void *)cuMemAlloc_v2);
    OK(cuGetProcAddress_v2("cuLibraryLoadData", &function, 11000, 0, &status));
    CHECK(status == 2 && function == NULL);
    OK(cuGetProcAddress_v2("cuNothing", &function, 12000, 0, &status));
    CHECK(status == 1);
    EXPECT(NOT_FOUND, cuGetProcAddress_v2("cuNothing", &function, 12000, 0, NULL));
    EXPECT(INVALID_VALUE, cuGetProcAddress_v2(NULL, &function, 12000, 0, &status));
}

int main(void) {
    Handle context;
    Address memory;
    int device;
    EXPECT(NOT_INITIALIZED, cuDeviceGet(&device, 0));
    EXPECT(INVALID_VALUE, cuInit(1));
    OK(cuInit(0));
    EXPECT(101, cuDeviceGet(&device, 1000));
    EXPECT(INVALID_VALUE, cuDeviceGet(NULL, 0));
    OK(cuDeviceGet(&device, 0));
    EXPECT(INVALID_CONTEXT, cuMemAlloc_v2(&memory, 4));
    EXPECT(INVALID_CONTEXT, cuCtxSetCurrent((Handle)&device));
    OK(cuCtxCreate_v2(&context, 0, device));
    names();
    logs();
    images();
    handles();
    refusals();
    launch_bounds();
    failed_contexts(device);
    OK(cuCtxDestroy_v2(context));
    return verdict();
}
