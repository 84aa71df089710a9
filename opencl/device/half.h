// What the files on half precision have in common: the declarations of OpenCL C, lists of widths, and vectors of
// singles for vectors of halves.

#pragma once

#include <opencl-c.h>

// The header ends with all extensions off.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define CONST __attribute__((overloadable, const))
#define PLAIN __attribute__((overloadable))

#define VECTORS(MACRO) MACRO(2) MACRO(3) MACRO(4) MACRO(8) MACRO(16)
#define SCALAR_AND_VECTORS(MACRO) MACRO() VECTORS(MACRO)
// The same with something more.
#define ALL(MACRO, more) MACRO(, more) MACRO(2, more) MACRO(3, more) MACRO(4, more) MACRO(8, more) MACRO(16, more)

#define INLINE static __attribute__((overloadable, always_inline, unused))
INLINE float wide(half x) { return x; }
INLINE half narrow(float x) { return (half)x; }
#define WIDTHS(N)                                                                                                      \
    INLINE float##N wide(half##N x) { return __builtin_convertvector(x, float##N); }                                   \
    INLINE half##N narrow(float##N x) { return __builtin_convertvector(x, half##N); }
VECTORS(WIDTHS)
#undef WIDTHS
