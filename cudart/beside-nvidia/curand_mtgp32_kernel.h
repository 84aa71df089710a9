// clang's __clang_cuda_runtime_wrapper.h includes this file of cuRAND's in every CUDA source, because its declarations
// of blockDim and threadIdx must get clang's types. That costs time, so it waits until a program asks for it.
#if !defined(__CUDA__)
#include_next <curand_mtgp32_kernel.h>
#elif !defined(OMPTARGET_CURAND_MTGP32_KERNEL_H)
#define OMPTARGET_CURAND_MTGP32_KERNEL_H
#else
#pragma push_macro("dim3")
#pragma push_macro("uint3")
#define dim3 __cuda_builtin_blockDim_t
#define uint3 __cuda_builtin_threadIdx_t
#include_next <curand_mtgp32_kernel.h>
#pragma pop_macro("dim3")
#pragma pop_macro("uint3")
#endif
