// CUDA's keywords, as clang's attributes.
#ifndef OMPTARGET_HOST_DEFINES_H
#define OMPTARGET_HOST_DEFINES_H

#if defined(__CUDA__) || defined(__HIP__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __grid_constant__ __attribute__((grid_constant))
#ifdef __HIP__
#define __managed__ __attribute__((managed))
// clang's `launch_bounds` says nothing to AMD's back end.
#define __launch_bounds__(threads, ...) \
    __attribute__((amdgpu_flat_work_group_size(1, threads) __VA_OPT__(, amdgpu_waves_per_eu(__VA_ARGS__))))
#else
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#include "managed_variables_omptarget.h"
#endif
#else
#ifdef __cplusplus
// clang's wrapper of this header is found in C++ units, too, if there are CUDA units on the same command line. With the
// keywords defined, it would take them for CUDA.
#include <new>
#ifndef __CLANG_CUDA_WRAPPERS_NEW
#define __CLANG_CUDA_WRAPPERS_NEW
#endif
#endif
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
// `__noinline__` stays clang's own keyword: libstdc++ writes `__attribute__((__noinline__))`.
#define __align__(bytes) __attribute__((aligned(bytes)))
#define CUDARTAPI
#define CUDART_CB
#define CUDART_VERSION 12090

#endif
