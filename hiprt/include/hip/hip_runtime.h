// HIP's runtime interface for C++, and the device's side. Every HIP source includes it.
#ifndef OMPTARGET_HIP_RUNTIME_H
#define OMPTARGET_HIP_RUNTIME_H

#ifdef __HIP__
#define __HIPCC__ 1
#endif
#define __HIP_PLATFORM_AMD__ 1

#include <stdio.h>

#include "hip_runtime_api.h"

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

#ifdef __cplusplus
// The functions that take an address, for any type behind it.
template <typename T> static inline hipError_t hipMalloc(T **memory, size_t bytes) {
    return hipMalloc((void **)memory, bytes);
}
template <typename T> static inline hipError_t hipHostMalloc(T **memory, size_t bytes, unsigned int flags = 0) {
    return hipHostMalloc((void **)memory, bytes, flags);
}
template <typename T> static inline hipError_t hipHostAlloc(T **memory, size_t bytes, unsigned int flags) {
    return hipHostAlloc((void **)memory, bytes, flags);
}
template <typename T> static inline hipError_t hipMallocHost(T **memory, size_t bytes) {
    return hipMallocHost((void **)memory, bytes);
}
template <typename T>
static inline hipError_t hipMallocManaged(T **memory, size_t bytes, unsigned int flags = hipMemAttachGlobal) {
    return hipMallocManaged((void **)memory, bytes, flags);
}
template <typename T> static inline hipError_t hipMallocAsync(T **memory, size_t bytes, hipStream_t stream) {
    return hipMallocAsync((void **)memory, bytes, stream);
}
template <typename T>
static inline hipError_t hipMallocPitch(T **memory, size_t *pitch, size_t width, size_t height) {
    return hipMallocPitch((void **)memory, pitch, width, height);
}
template <typename T>
static inline hipError_t hipHostGetDevicePointer(T **device, void *host, unsigned int flags) {
    return hipHostGetDevicePointer((void **)device, host, flags);
}
template <typename T>
static inline hipError_t hipMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                           hipMemcpyKind kind = hipMemcpyHostToDevice) {
    return hipMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
static inline hipError_t hipMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                             hipMemcpyKind kind = hipMemcpyDeviceToHost) {
    return hipMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T> static inline hipError_t hipGetSymbolAddress(void **address, const T &symbol) {
    return hipGetSymbolAddress(address, (const void *)&symbol);
}
template <typename T> static inline hipError_t hipGetSymbolSize(size_t *bytes, const T &symbol) {
    return hipGetSymbolSize(bytes, (const void *)&symbol);
}

// The functions that take a kernel.
template <typename... P>
static inline hipError_t hipLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                                         size_t shared = 0, hipStream_t stream = 0) {
    return hipLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
template <typename... P>
static inline hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, void (*kernel)(P...)) {
    return hipFuncGetAttributes(attributes, (const void *)kernel);
}
template <typename... P>
static inline hipError_t hipFuncSetAttribute(void (*kernel)(P...), hipFuncAttribute attribute, int value) {
    return hipFuncSetAttribute((const void *)kernel, attribute, value);
}
template <typename... P>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(P...), int threads,
                                                                      size_t shared) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared);
}
template <typename... P>
static inline hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, void (*kernel)(P...),
                                                           size_t shared = 0, int limit = 0) {
    return hipOccupancyMaxPotentialBlockSize(grid, block, (const void *)kernel, shared, limit);
}
#endif

#ifdef __HIP__
#include "hip_device_functions_omptarget.h"
#ifdef __cplusplus
#include "hip_texture_functions_omptarget.h"
#endif

// A launch as a macro. Templates with several arguments are passed through HIP_KERNEL_NAME.
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)                                         \
    do {                                                                                                     \
        (kernel)<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__);                                      \
    } while (0)
#endif

#endif
