// Loads and stores with advice on caches that clang's headers lack. The advice changes no result, so it is left out.
#ifndef OMPTARGET_CACHED_ACCESS_H
#define OMPTARGET_CACHED_ACCESS_H

#define OMPTARGET_CACHED_ACCESS(type)                                                                    \
    static __device__ __forceinline__ type __ldca(const type *from) { return *from; }                    \
    static __device__ __forceinline__ type __ldlu(const type *from) { return *from; }                    \
    static __device__ __forceinline__ void __stwb(type *to, type value) { *to = value; }                 \
    static __device__ __forceinline__ void __stcg(type *to, type value) { *to = value; }                 \
    static __device__ __forceinline__ void __stcs(type *to, type value) { *to = value; }

#define OMPTARGET_CACHED_VECTORS(type) \
    OMPTARGET_CACHED_ACCESS(type##2)   \
    OMPTARGET_CACHED_ACCESS(type##4)

OMPTARGET_CACHED_ACCESS(char)
OMPTARGET_CACHED_ACCESS(signed char)
OMPTARGET_CACHED_ACCESS(unsigned char)
OMPTARGET_CACHED_ACCESS(short)
OMPTARGET_CACHED_ACCESS(unsigned short)
OMPTARGET_CACHED_ACCESS(int)
OMPTARGET_CACHED_ACCESS(unsigned int)
OMPTARGET_CACHED_ACCESS(long)
OMPTARGET_CACHED_ACCESS(unsigned long)
OMPTARGET_CACHED_ACCESS(long long)
OMPTARGET_CACHED_ACCESS(unsigned long long)
OMPTARGET_CACHED_ACCESS(float)
OMPTARGET_CACHED_ACCESS(double)
OMPTARGET_CACHED_VECTORS(char)
OMPTARGET_CACHED_VECTORS(uchar)
OMPTARGET_CACHED_VECTORS(short)
OMPTARGET_CACHED_VECTORS(ushort)
OMPTARGET_CACHED_VECTORS(int)
OMPTARGET_CACHED_VECTORS(uint)
OMPTARGET_CACHED_VECTORS(float)
OMPTARGET_CACHED_ACCESS(longlong2)
OMPTARGET_CACHED_ACCESS(ulonglong2)
OMPTARGET_CACHED_ACCESS(double2)

#undef OMPTARGET_CACHED_VECTORS
#undef OMPTARGET_CACHED_ACCESS

#endif
