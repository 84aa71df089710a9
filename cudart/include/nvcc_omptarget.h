// What sources see that ask for NVIDIA's compiler by its name, where `omptarget nvcc` stands for it.
#ifndef OMPTARGET_NVCC_H
#define OMPTARGET_NVCC_H

#ifdef OMPTARGET_AS_NVCC
// NVIDIA's own headers ask by the same name, but must know that clang reads them.
#if __has_include(<cuda/std/__cccl/compiler.h>)
#include <cuda/std/__cccl/compiler.h>
#endif
#define __NVCC__ 1
#endif

#endif
