// clang includes this before every HIP source: ours comes before clang's own, which expects a device library of ROCm's.
// Keywords, what clang's wrappers of C++'s headers use, and mathematics: that of clang's other headers, over the device
// library (`__ocml_*`). Programs expect all that before they include anything.
#ifndef OMPTARGET_CLANG_HIP_RUNTIME_WRAPPER_H
#define OMPTARGET_CLANG_HIP_RUNTIME_WRAPPER_H

#include "host_defines.h"

#include <stdlib.h>

extern "C" {
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void *) __attribute__((nothrow));
}

#ifdef __cplusplus
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <__clang_hip_libdevice_declares.h>
#include <__clang_hip_math.h>
#include <__clang_hip_stdlib.h>

#include <__clang_cuda_math_forward_declares.h>
#include <__clang_hip_cmath.h>
#endif

#endif
