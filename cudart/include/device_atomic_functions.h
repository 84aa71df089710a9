// atomicAdd and its like: of the device, of a block (…_block), of the whole system (…_system). Their order is relaxed.
#ifndef OMPTARGET_DEVICE_ATOMIC_FUNCTIONS_H
#define OMPTARGET_DEVICE_ATOMIC_FUNCTIONS_H

#define OMPTARGET_ATOMIC(name, type, operation, suffix, scope)                                               \
    static __device__ __forceinline__ type name##suffix(type *address, type value) {                         \
        return operation(address, value, __ATOMIC_RELAXED, scope);                                           \
    }
#define OMPTARGET_ATOMICS(name, type, operation)                                                             \
    OMPTARGET_ATOMIC(name, type, operation, , __MEMORY_SCOPE_DEVICE)                                         \
    OMPTARGET_ATOMIC(name, type, operation, _block, __MEMORY_SCOPE_WRKGRP)                                   \
    OMPTARGET_ATOMIC(name, type, operation, _system, __MEMORY_SCOPE_SYSTEM)
#define OMPTARGET_INTEGER_ATOMICS(name, operation)                                                           \
    OMPTARGET_ATOMICS(name, int, operation)                                                                  \
    OMPTARGET_ATOMICS(name, unsigned int, operation)                                                         \
    OMPTARGET_ATOMICS(name, unsigned long long, operation)

OMPTARGET_INTEGER_ATOMICS(atomicAdd, __scoped_atomic_fetch_add)
OMPTARGET_ATOMICS(atomicAdd, float, __scoped_atomic_fetch_add)
OMPTARGET_ATOMICS(atomicAdd, double, __scoped_atomic_fetch_add)
OMPTARGET_ATOMICS(atomicSub, int, __scoped_atomic_fetch_sub)
OMPTARGET_ATOMICS(atomicSub, unsigned int, __scoped_atomic_fetch_sub)
OMPTARGET_INTEGER_ATOMICS(atomicMin, __scoped_atomic_fetch_min)
OMPTARGET_ATOMICS(atomicMin, long long, __scoped_atomic_fetch_min)
OMPTARGET_INTEGER_ATOMICS(atomicMax, __scoped_atomic_fetch_max)
OMPTARGET_ATOMICS(atomicMax, long long, __scoped_atomic_fetch_max)
OMPTARGET_INTEGER_ATOMICS(atomicAnd, __scoped_atomic_fetch_and)
OMPTARGET_INTEGER_ATOMICS(atomicOr, __scoped_atomic_fetch_or)
OMPTARGET_INTEGER_ATOMICS(atomicXor, __scoped_atomic_fetch_xor)
OMPTARGET_INTEGER_ATOMICS(atomicExch, __scoped_atomic_exchange_n)

#define OMPTARGET_EXCHANGE(suffix, scope)                                                                    \
    static __device__ __forceinline__ float atomicExch##suffix(float *address, float value) {                \
        unsigned int bits = __builtin_bit_cast(unsigned int, value);                                         \
        bits = __scoped_atomic_exchange_n((unsigned int *)address, bits, __ATOMIC_RELAXED, scope);           \
        return __builtin_bit_cast(float, bits);                                                              \
    }
#define OMPTARGET_SWAP(type, suffix, scope)                                                                  \
    static __device__ __forceinline__ type atomicCAS##suffix(type *address, type expected, type value) {     \
        __scoped_atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED,               \
                                           __ATOMIC_RELAXED, scope);                                         \
        return expected;                                                                                     \
    }
#define OMPTARGET_WRAPPING(suffix, scope)                                                                    \
    static __device__ __forceinline__ unsigned int atomicInc##suffix(unsigned int *address,                  \
                                                                     unsigned int limit) {                   \
        unsigned int old = __scoped_atomic_load_n(address, __ATOMIC_RELAXED, scope);                         \
        while (!__scoped_atomic_compare_exchange_n(address, &old, old >= limit ? 0 : old + 1, false,         \
                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope))               \
            ;                                                                                                \
        return old;                                                                                          \
    }                                                                                                        \
    static __device__ __forceinline__ unsigned int atomicDec##suffix(unsigned int *address,                  \
                                                                     unsigned int limit) {                   \
        unsigned int old = __scoped_atomic_load_n(address, __ATOMIC_RELAXED, scope);                         \
        while (!__scoped_atomic_compare_exchange_n(address, &old, old == 0 || old > limit ? limit : old - 1, \
                                                   false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope))        \
            ;                                                                                                \
        return old;                                                                                          \
    }
#define OMPTARGET_SCOPE(suffix, scope)                                                                       \
    OMPTARGET_EXCHANGE(suffix, scope)                                                                        \
    OMPTARGET_SWAP(int, suffix, scope)                                                                       \
    OMPTARGET_SWAP(unsigned int, suffix, scope)                                                              \
    OMPTARGET_SWAP(unsigned short, suffix, scope)                                                            \
    OMPTARGET_SWAP(unsigned long long, suffix, scope)                                                        \
    OMPTARGET_WRAPPING(suffix, scope)

OMPTARGET_SCOPE(, __MEMORY_SCOPE_DEVICE)
OMPTARGET_SCOPE(_block, __MEMORY_SCOPE_WRKGRP)
OMPTARGET_SCOPE(_system, __MEMORY_SCOPE_SYSTEM)

#undef OMPTARGET_SCOPE
#undef OMPTARGET_WRAPPING
#undef OMPTARGET_SWAP
#undef OMPTARGET_EXCHANGE
#undef OMPTARGET_INTEGER_ATOMICS
#undef OMPTARGET_ATOMICS
#undef OMPTARGET_ATOMIC

#endif
