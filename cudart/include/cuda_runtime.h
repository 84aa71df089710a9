// CUDA's runtime interface for C++, and the device's side. Every CUDA source gets it without asking.
// Programs ask by this name whether they have the header, so it is NVIDIA's.
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

#include "channel_descriptor.h"

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

template <typename... P>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void (*kernel)(P...),
                                                                                 int threads, size_t shared,
                                                                                 unsigned int flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, threads, shared, flags);
}
template <typename... P>
static inline cudaError_t cudaFuncSetSharedMemConfig(void (*kernel)(P...), cudaSharedMemConfig width) {
    return cudaFuncSetSharedMemConfig((const void *)kernel, width);
}
template <typename... P>
static inline cudaError_t cudaFuncGetName(const char **name, void (*kernel)(P...)) {
    return cudaFuncGetName(name, (const void *)kernel);
}
template <typename... P>
static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, void (*kernel)(P...)) {
    return cudaGetFuncBySymbol(function, (const void *)kernel);
}
template <typename T>
static inline cudaError_t cudaMallocFromPoolAsync(T **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)memory, bytes, pool, stream);
}
template <typename T>
static inline cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)memory, bytes, pool, stream);
}
template <typename T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *memory, size_t bytes = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
    return cudaStreamAttachMemAsync(stream, (void *)memory, bytes, flags);
}
// The form of CUDA 11, which also says where a failure was.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *,
                                               char *, size_t) {
    return cudaGraphInstantiate(executable, graph, 0);
}

// The largest block of a kernel, and a grid of such blocks that fills the device. The amount of dynamic shared memory
// may depend on the size of the block.
template <typename S, typename K>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, K kernel,
                                                                                 S shared_of, int limit = 0,
                                                                                 unsigned int flags = 0) {
    cudaFuncAttributes attributes;
    int device, multiprocessors, most = 0;
    cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
    if (error == cudaSuccess)
        error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess)
        return error;
    int largest = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < largest)
        largest = limit;
    // Whole warps, and the largest block first: of equal ones, it stays.
    int step = largest < 32 ? largest : 32;
    for (int threads = largest / step * step; threads > 0; threads -= step) {
        int blocks;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, threads, shared_of(threads),
                                                                       flags);
        if (error != cudaSuccess)
            return error;
        if (blocks * threads > most) {
            most = blocks * threads;
            *block = threads;
            *grid = blocks * multiprocessors;
        }
    }
    return most != 0 ? cudaSuccess : cudaErrorInvalidValue;
}
template <typename S, typename K>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, K kernel, S shared_of,
                                                                         int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, shared_of, limit);
}
template <typename K>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, K kernel,
                                                                      size_t shared = 0, int limit = 0,
                                                                      unsigned int flags = 0) {
    auto same = [shared](int) { return shared; };
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, kernel, same, limit, flags);
}
template <typename K>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, K kernel, size_t shared = 0,
                                                             int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared, limit);
}
#endif

#ifdef __CUDA__
#include "device_functions_omptarget.h"
#include "not_a_number_omptarget.h"
#include "nvcc_omptarget.h"
#include "scoped_atomics_omptarget.h"
#include "texture_indirect_functions.h"
#ifdef OMPTARGET_TEXTURE_REFERENCES
#include "texture_references_omptarget.h"
#endif
#endif

#endif
