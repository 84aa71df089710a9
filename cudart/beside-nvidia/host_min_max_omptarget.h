// min and max in the global namespace, on the host. clang's headers and NVIDIA's have them for the device.
#ifndef OMPTARGET_HOST_MIN_MAX_H
#define OMPTARGET_HOST_MIN_MAX_H

#if __cplusplus >= 201103L
#define OMPTARGET_CONSTEXPR constexpr
#else
#define OMPTARGET_CONSTEXPR
#endif
#define OMPTARGET_MIN_MAX(first, second, result)                            \
    static __host__ __forceinline__ OMPTARGET_CONSTEXPR result min(first a, second b) \
    {                                                                       \
        return (result)b < (result)a ? (result)b : (result)a;               \
    }                                                                       \
    static __host__ __forceinline__ OMPTARGET_CONSTEXPR result max(first a, second b) \
    {                                                                       \
        return (result)a < (result)b ? (result)b : (result)a;               \
    }

#define OMPTARGET_MIXED(smaller, larger)        \
    OMPTARGET_MIN_MAX(smaller, smaller, smaller) \
    OMPTARGET_MIN_MAX(larger, larger, larger)    \
    OMPTARGET_MIN_MAX(smaller, larger, larger)   \
    OMPTARGET_MIN_MAX(larger, smaller, larger)

OMPTARGET_MIXED(int, unsigned int)
OMPTARGET_MIXED(long, unsigned long)
OMPTARGET_MIXED(long long, unsigned long long)
OMPTARGET_MIXED(float, double)

#undef OMPTARGET_MIXED
#undef OMPTARGET_MIN_MAX
#undef OMPTARGET_CONSTEXPR

#endif
