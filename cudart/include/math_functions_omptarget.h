// Functions that CUDA has beyond the C library's, for the host and for both sides.
#ifndef OMPTARGET_MATH_FUNCTIONS_H
#define OMPTARGET_MATH_FUNCTIONS_H

// min and max, which CUDA has in the global namespace. clang's headers have those of int for the device.
static __host__ __forceinline__ int min(int a, int b) { return b < a ? b : a; }
static __host__ __forceinline__ int max(int a, int b) { return a < b ? b : a; }

#define OMPTARGET_MIN_MAX(type)                                                                              \
    static __host__ __device__ __forceinline__ type min(type a, type b) { return b < a ? b : a; }            \
    static __host__ __device__ __forceinline__ type max(type a, type b) { return a < b ? b : a; }

OMPTARGET_MIN_MAX(unsigned int)
OMPTARGET_MIN_MAX(long)
OMPTARGET_MIN_MAX(unsigned long)
OMPTARGET_MIN_MAX(long long)
OMPTARGET_MIN_MAX(unsigned long long)

#undef OMPTARGET_MIN_MAX

// A number beats a NaN.
static __host__ __device__ __forceinline__ float min(float a, float b) { return __builtin_fminf(a, b); }
static __host__ __device__ __forceinline__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
static __host__ __device__ __forceinline__ double min(double a, double b) { return __builtin_fmin(a, b); }
static __host__ __device__ __forceinline__ double max(double a, double b) { return __builtin_fmax(a, b); }

#define OMPTARGET_MIXED(smaller, larger)                                                                     \
    static __host__ __device__ __forceinline__ larger min(smaller a, larger b) { return min((larger)a, b); } \
    static __host__ __device__ __forceinline__ larger min(larger a, smaller b) { return min(a, (larger)b); } \
    static __host__ __device__ __forceinline__ larger max(smaller a, larger b) { return max((larger)a, b); } \
    static __host__ __device__ __forceinline__ larger max(larger a, smaller b) { return max(a, (larger)b); }

OMPTARGET_MIXED(int, unsigned int)
OMPTARGET_MIXED(long, unsigned long)
OMPTARGET_MIXED(long long, unsigned long long)
OMPTARGET_MIXED(float, double)

#undef OMPTARGET_MIXED

static __host__ __forceinline__ float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static __host__ __forceinline__ double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
static __device__ __forceinline__ float rsqrt(float x) { return rsqrtf(x); }

#endif
