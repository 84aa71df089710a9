// Everything of the device's side: built-in variables, mathematics, atomics, output. clang's own headers have most of
// it; what they expect of a toolkit is here.
#ifndef OMPTARGET_DEVICE_FUNCTIONS_H
#define OMPTARGET_DEVICE_FUNCTIONS_H

// clang's headers ask for the toolkit's version, and declare for the host what the newest GPUs have.
#include "cuda.h"
#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 9999
#endif

#include <__clang_cuda_math_forward_declares.h>

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
// With "using std::free" they would refuse what is declared below, so they come first. A program's own include of them
// then does nothing.
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

#include <__clang_cuda_builtin_vars.h>

#include <__clang_cuda_libdevice_declares.h>

#include <__clang_cuda_device_functions.h>

#include <__clang_cuda_math.h>

#pragma pop_macro("__CUDA_ARCH__")

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t character);
// What the C library's assert calls. A failure is reported at the line of the assert.
__device__ static inline __attribute__((always_inline, nodebug)) void
__assert_fail(const char *message, const char *file, unsigned line, const char *function) {
    __assertfail(message, file, line, function, 1);
}
}

namespace std {
__device__ static inline void free(void *memory) { ::free(memory); }
__device__ static inline void *malloc(size_t bytes) { return ::malloc(bytes); }
} // namespace std

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return {x, y, z}; }

// Which memory a generic address is in.
static __device__ __forceinline__ unsigned int __isGlobal(const void *address) {
    return __nvvm_isspacep_global(address);
}
static __device__ __forceinline__ unsigned int __isShared(const void *address) {
    return __nvvm_isspacep_shared(address);
}
static __device__ __forceinline__ unsigned int __isConstant(const void *address) {
    return __nvvm_isspacep_const(address);
}
static __device__ __forceinline__ unsigned int __isLocal(const void *address) {
    return __nvvm_isspacep_local(address);
}
static __device__ __forceinline__ size_t __cvta_generic_to_shared(const void *address) {
    return (size_t)(__attribute__((address_space(3))) const void *)address;
}

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>

#include "device_atomic_functions.h"
#include "math_functions_omptarget.h"

#endif
