// What tests/programs/driver need of CUDA's driver interface: its functions by the names that the library exports.
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long Address;
typedef struct Opaque *Handle;

int cuInit(unsigned flags);
int cuGetErrorName(int error, const char **name);
int cuGetErrorString(int error, const char **text);
int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDevicePrimaryCtxRetain(Handle *context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxCreate_v2(Handle *context, unsigned flags, int device);
int cuCtxDestroy(Handle context);
int cuCtxDestroy_v2(Handle context);
int cuCtxGetCurrent(Handle *context);
int cuCtxPopCurrent_v2(Handle *context);
int cuCtxPushCurrent_v2(Handle context);
int cuCtxSetCurrent(Handle context);
int cuCtxSynchronize(void);
int cuModuleLoadData(Handle *module, const void *image);
int cuModuleLoadDataEx(Handle *module, const void *image, unsigned count, int *options, void **values);
int cuModuleUnload(Handle module);
int cuModuleGetFunction(Handle *function, Handle module, const char *name);
int cuModuleGetGlobal_v2(Address *address, size_t *bytes, Handle module, const char *name);
int cuLibraryLoadData(Handle *library, const void *image, int *options, void **values, unsigned count,
                      int *library_options, void **library_values, unsigned library_count);
int cuLibraryGetKernel(Handle *kernel, Handle library, const char *name);
int cuLibraryUnload(Handle library);
int cuLinkCreate_v2(unsigned count, int *options, void **values, Handle *link);
int cuLinkAddData_v2(Handle link, int kind, const void *data, size_t size, const char *name, unsigned count,
                     int *options, void **values);
int cuLinkComplete(Handle link, void **image, size_t *size);
int cuLinkDestroy(Handle link);
int cuFuncGetAttribute(int *value, int attribute, Handle function);
int cuFuncSetAttribute(Handle function, int attribute, int value);
int cuLaunchKernel(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, Handle stream, void **arguments, void **extra);
int cuMemAlloc_v2(Address *memory, size_t bytes);
int cuMemAllocManaged(Address *memory, size_t bytes, unsigned flags);
int cuMemFree_v2(Address memory);
int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags);
int cuMemHostGetDevicePointer_v2(Address *device, void *host, unsigned flags);
int cuMemHostUnregister(void *memory);
int cuMemcpyHtoD_v2(Address to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, Address from, size_t bytes);
int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Handle stream);
int cuMemsetD32_v2(Address to, unsigned value, size_t count);
int cuMemsetD16_v2(Address to, unsigned short value, size_t count);
int cuPointerGetAttribute(void *data, int attribute, Address address);
int cuStreamCreate(Handle *stream, unsigned flags);
int cuStreamDestroy_v2(Handle stream);
int cuStreamSynchronize(Handle stream);
int cuEventCreate(Handle *event, unsigned flags);
int cuEventRecord(Handle event, Handle stream);
int cuEventSynchronize(Handle event);
int cuEventElapsedTime(float *milliseconds, Handle start, Handle end);
int cuEventDestroy_v2(Handle event);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Handle function, int threads, size_t shared);

static int failures;

// Whether a call gives the code that it should.
#define EXPECT(code, call)                                                                                             \
    do {                                                                                                               \
        int is = (call);                                                                                               \
        if (is != (code)) {                                                                                            \
            printf("line %d: %s gives %d, not %d\n", __LINE__, #call, is, (code));                                     \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)
#define OK(call) EXPECT(0, call)
#define CHECK(condition) EXPECT(1, !!(condition))

static inline int verdict(void) {
    puts(failures ? "FAIL" : "PASS");
    return failures != 0;
}

#endif
