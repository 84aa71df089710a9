// __match_any_sync and __match_all_sync for every type. clang's headers have the functions for 32 and 64 bits, and
// include this file behind them.
#ifndef OMPTARGET_SM_70_RT_HPP
#define OMPTARGET_SM_70_RT_HPP

#define OMPTARGET_MATCH(type, bits)                                                                          \
    static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, type value) {         \
        return __match##bits##_any_sync(mask, __builtin_bit_cast(omptarget_bits##bits, value));              \
    }                                                                                                        \
    static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, type value, int *all) { \
        return __match##bits##_all_sync(mask, __builtin_bit_cast(omptarget_bits##bits, value), all);         \
    }

typedef unsigned int omptarget_bits32;
typedef unsigned long long omptarget_bits64;

OMPTARGET_MATCH(unsigned int, 32)
OMPTARGET_MATCH(int, 32)
OMPTARGET_MATCH(float, 32)
OMPTARGET_MATCH(unsigned long, 64)
OMPTARGET_MATCH(long, 64)
OMPTARGET_MATCH(unsigned long long, 64)
OMPTARGET_MATCH(long long, 64)
OMPTARGET_MATCH(double, 64)

#undef OMPTARGET_MATCH

#endif
