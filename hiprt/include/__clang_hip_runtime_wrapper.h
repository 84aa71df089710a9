// clang includes this before every HIP source: ours comes before clang's own, which expects a device library of ROCm's.
// Keywords, and what clang's wrappers of C++'s headers use.
#ifndef OMPTARGET_CLANG_HIP_RUNTIME_WRAPPER_H
#define OMPTARGET_CLANG_HIP_RUNTIME_WRAPPER_H

#include "host_defines.h"

#include <stdlib.h>

extern "C" {
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void *) __attribute__((nothrow));
}

#endif
