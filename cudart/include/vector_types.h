// CUDA's vector types and dim3.
#ifndef OMPTARGET_VECTOR_TYPES_H
#define OMPTARGET_VECTOR_TYPES_H

#include "host_defines.h"

// `base` is the name without the number, `element` the type of an element. Types of two and four elements are aligned
// so that a GPU loads them at once.
#define OMPTARGET_VECTORS(base, element, align2, align4)                                                     \
    struct base##1 {                                                                                         \
        element x;                                                                                           \
    };                                                                                                       \
    struct __attribute__((aligned(align2))) base##2 {                                                        \
        element x, y;                                                                                        \
    };                                                                                                       \
    struct base##3 {                                                                                         \
        element x, y, z;                                                                                     \
    };                                                                                                       \
    struct __attribute__((aligned(align4))) base##4 {                                                        \
        element x, y, z, w;                                                                                  \
    };                                                                                                       \
    typedef struct base##1 base##1;                                                                          \
    typedef struct base##2 base##2;                                                                          \
    typedef struct base##3 base##3;                                                                          \
    typedef struct base##4 base##4

OMPTARGET_VECTORS(char, signed char, 2, 4);
OMPTARGET_VECTORS(uchar, unsigned char, 2, 4);
OMPTARGET_VECTORS(short, short, 4, 8);
OMPTARGET_VECTORS(ushort, unsigned short, 4, 8);
OMPTARGET_VECTORS(int, int, 8, 16);
OMPTARGET_VECTORS(uint, unsigned int, 8, 16);
OMPTARGET_VECTORS(long, long, 16, 16);
OMPTARGET_VECTORS(ulong, unsigned long, 16, 16);
OMPTARGET_VECTORS(longlong, long long, 16, 16);
OMPTARGET_VECTORS(ulonglong, unsigned long long, 16, 16);
OMPTARGET_VECTORS(float, float, 8, 16);
OMPTARGET_VECTORS(double, double, 16, 16);

#undef OMPTARGET_VECTORS

// The size of a grid or of a block. Dimensions that are not stated are 1.
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
        : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
