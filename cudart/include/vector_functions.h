// make_int4(…) and its like.
#ifndef OMPTARGET_VECTOR_FUNCTIONS_H
#define OMPTARGET_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define OMPTARGET_MAKE(base, element)                                                                        \
    static __inline__ __host__ __device__ base##1 make_##base##1(element x) {                                \
        base##1 made = {x};                                                                                  \
        return made;                                                                                         \
    }                                                                                                        \
    static __inline__ __host__ __device__ base##2 make_##base##2(element x, element y) {                     \
        base##2 made = {x, y};                                                                               \
        return made;                                                                                         \
    }                                                                                                        \
    static __inline__ __host__ __device__ base##3 make_##base##3(element x, element y, element z) {          \
        base##3 made = {x, y, z};                                                                            \
        return made;                                                                                         \
    }                                                                                                        \
    static __inline__ __host__ __device__ base##4 make_##base##4(element x, element y, element z,            \
                                                                 element w) {                                \
        base##4 made = {x, y, z, w};                                                                         \
        return made;                                                                                         \
    }

OMPTARGET_MAKE(char, signed char)
OMPTARGET_MAKE(uchar, unsigned char)
OMPTARGET_MAKE(short, short)
OMPTARGET_MAKE(ushort, unsigned short)
OMPTARGET_MAKE(int, int)
OMPTARGET_MAKE(uint, unsigned int)
OMPTARGET_MAKE(long, long)
OMPTARGET_MAKE(ulong, unsigned long)
OMPTARGET_MAKE(longlong, long long)
OMPTARGET_MAKE(ulonglong, unsigned long long)
OMPTARGET_MAKE(float, float)
OMPTARGET_MAKE(double, double)

#undef OMPTARGET_MAKE

#endif
