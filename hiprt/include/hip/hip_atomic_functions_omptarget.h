// Atomic functions: among the threads of a device, of a block (`_block`) or of the system (`_system`).
#ifndef OMPTARGET_HIP_ATOMIC_FUNCTIONS_H
#define OMPTARGET_HIP_ATOMIC_FUNCTIONS_H

#define OMPTARGET_ATOMIC(name, builtin, type, scope)                                                         \
    static __device__ __forceinline__ type name(type *address, type value) {                                 \
        return builtin(address, value, __ATOMIC_RELAXED, scope);                                             \
    }
#define OMPTARGET_SCOPES(name, builtin, type)                                                                \
    OMPTARGET_ATOMIC(name, builtin, type, __HIP_MEMORY_SCOPE_AGENT)                                          \
    OMPTARGET_ATOMIC(name##_block, builtin, type, __HIP_MEMORY_SCOPE_WORKGROUP)                              \
    OMPTARGET_ATOMIC(name##_system, builtin, type, __HIP_MEMORY_SCOPE_SYSTEM)
#define OMPTARGET_INTEGERS(name, builtin)                                                                    \
    OMPTARGET_SCOPES(name, builtin, int)                                                                     \
    OMPTARGET_SCOPES(name, builtin, unsigned int)                                                            \
    OMPTARGET_SCOPES(name, builtin, unsigned long)                                                           \
    OMPTARGET_SCOPES(name, builtin, unsigned long long)
#define OMPTARGET_NUMBERS(name, builtin)                                                                     \
    OMPTARGET_INTEGERS(name, builtin)                                                                        \
    OMPTARGET_SCOPES(name, builtin, float)                                                                   \
    OMPTARGET_SCOPES(name, builtin, double)

OMPTARGET_NUMBERS(atomicAdd, __hip_atomic_fetch_add)
// AMD's additions that may pass by memory of fine grain, where GPUs have no instruction for them.
OMPTARGET_ATOMIC(unsafeAtomicAdd, __hip_atomic_fetch_add, float, __HIP_MEMORY_SCOPE_AGENT)
OMPTARGET_ATOMIC(unsafeAtomicAdd, __hip_atomic_fetch_add, double, __HIP_MEMORY_SCOPE_AGENT)
OMPTARGET_NUMBERS(atomicSub, __hip_atomic_fetch_sub)
OMPTARGET_NUMBERS(atomicMin, __hip_atomic_fetch_min)
OMPTARGET_NUMBERS(atomicMax, __hip_atomic_fetch_max)
OMPTARGET_NUMBERS(atomicExch, __hip_atomic_exchange)
OMPTARGET_INTEGERS(atomicAnd, __hip_atomic_fetch_and)
OMPTARGET_INTEGERS(atomicOr, __hip_atomic_fetch_or)
OMPTARGET_INTEGERS(atomicXor, __hip_atomic_fetch_xor)
OMPTARGET_SCOPES(atomicMin, __hip_atomic_fetch_min, long long)
OMPTARGET_SCOPES(atomicMax, __hip_atomic_fetch_max, long long)

#undef OMPTARGET_NUMBERS
#undef OMPTARGET_INTEGERS
#undef OMPTARGET_SCOPES
#undef OMPTARGET_ATOMIC

#define OMPTARGET_EXCHANGES(name, type, scope)                                                               \
    static __device__ __forceinline__ type name(type *address, type expected, type value) {                  \
        __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,  \
                                             scope);                                                         \
        return expected;                                                                                     \
    }
#define OMPTARGET_EXCHANGE(type)                                                                             \
    OMPTARGET_EXCHANGES(atomicCAS, type, __HIP_MEMORY_SCOPE_AGENT)                                           \
    OMPTARGET_EXCHANGES(atomicCAS_block, type, __HIP_MEMORY_SCOPE_WORKGROUP)                                 \
    OMPTARGET_EXCHANGES(atomicCAS_system, type, __HIP_MEMORY_SCOPE_SYSTEM)
OMPTARGET_EXCHANGE(int)
OMPTARGET_EXCHANGE(unsigned int)
OMPTARGET_EXCHANGE(unsigned long)
OMPTARGET_EXCHANGE(unsigned long long)
OMPTARGET_EXCHANGE(float)
OMPTARGET_EXCHANGE(double)
#undef OMPTARGET_EXCHANGE
#undef OMPTARGET_EXCHANGES

// Counts up to a limit, and down from it, in a circle.
static __device__ __forceinline__ unsigned int atomicInc(unsigned int *address, unsigned int limit) {
    unsigned int old = __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    while (!__hip_atomic_compare_exchange_strong(address, &old, old >= limit ? 0 : old + 1, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT))
        ;
    return old;
}
static __device__ __forceinline__ unsigned int atomicDec(unsigned int *address, unsigned int limit) {
    unsigned int old = __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    while (!__hip_atomic_compare_exchange_strong(address, &old, old == 0 || old > limit ? limit : old - 1,
                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT))
        ;
    return old;
}

#endif
