// CUDA's runtime interface for C++, and the device's side. Every CUDA source gets it without asking.
// Programs ask by this name whether they have the header, so it is NVIDIA's.
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef __cplusplus
// The functions that take an address, for any type behind it.
template <typename T> static inline cudaError_t cudaMalloc(T **memory, size_t bytes) {
    return cudaMalloc((void **)memory, bytes);
}
template <typename T> static inline cudaError_t cudaMallocHost(T **memory, size_t bytes) {
    return cudaMallocHost((void **)memory, bytes);
}
template <typename T>
static inline cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned int flags = cudaHostAllocDefault) {
    return cudaHostAlloc((void **)memory, bytes, flags);
}
template <typename T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags = 0) {
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <typename T>
static inline cudaError_t cudaMallocManaged(T **memory, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void **)memory, bytes, flags);
}
template <typename T> static inline cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync((void **)memory, bytes, stream);
}
template <typename T>
static inline cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height) {
    return cudaMallocPitch((void **)memory, pitch, width, height);
}
template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset,
                                                  cudaMemcpyKind kind, cudaStream_t stream = 0) {
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <typename T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset,
                                                    cudaMemcpyKind kind, cudaStream_t stream = 0) {
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <typename T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
    return cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <typename T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

// The functions that take a kernel.
template <typename... P>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                                           size_t shared = 0, cudaStream_t stream = 0) {
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
template <typename... P>
static inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                                           size_t shared = 0, cudaStream_t stream = 0) {
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
template <typename... P>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*kernel)(P...)) {
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <typename... P>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <typename... P>
static inline cudaError_t cudaFuncSetCacheConfig(void (*kernel)(P...), cudaFuncCache preference) {
    return cudaFuncSetCacheConfig((const void *)kernel, preference);
}
template <typename... P>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(P...), int threads,
                                                                        size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared);
}

// The largest block of a kernel, and a grid of such blocks that fills the device.
template <typename K>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, K kernel, size_t shared = 0,
                                                             int limit = 0) {
    cudaFuncAttributes attributes;
    int device, multiprocessors, blocks;
    cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
    if (error == cudaSuccess)
        error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    int threads = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < threads)
        threads = limit;
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
    if (error != cudaSuccess)
        return error;
    *block = threads;
    *grid = blocks * multiprocessors;
    return cudaSuccess;
}
#endif

#ifdef __CUDA__
#include "device_functions_omptarget.h"
#endif

#endif
