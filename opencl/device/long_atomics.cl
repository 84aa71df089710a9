// Atomic functions on 64-bit integers (cl_khr_int64_base_atomics, cl_khr_int64_extended_atomics), which libclc has not
// for NVPTX. They have no order (OpenCL C 3.0, 6.15.12.8). The objects are volatile in name only, as an atomic
// operation is never left out.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define OVERLOADABLE __attribute__((overloadable, always_inline))

#define FETCH(name, TYPE, SPACE)                                                                                       \
    OVERLOADABLE TYPE atom_##name(volatile SPACE TYPE *object, TYPE value) {                                           \
        return __scoped_atomic_fetch_##name((SPACE TYPE *)object, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);     \
    }

#define FUNCTIONS(TYPE, SPACE)                                                                                         \
    FETCH(add, TYPE, SPACE)                                                                                            \
    FETCH(sub, TYPE, SPACE)                                                                                            \
    FETCH(min, TYPE, SPACE)                                                                                            \
    FETCH(max, TYPE, SPACE)                                                                                            \
    FETCH(and, TYPE, SPACE)                                                                                            \
    FETCH(or, TYPE, SPACE)                                                                                             \
    FETCH(xor, TYPE, SPACE)                                                                                            \
    OVERLOADABLE TYPE atom_inc(volatile SPACE TYPE *object) { return atom_add(object, (TYPE)1); }                      \
    OVERLOADABLE TYPE atom_dec(volatile SPACE TYPE *object) { return atom_sub(object, (TYPE)1); }                      \
    OVERLOADABLE TYPE atom_xchg(volatile SPACE TYPE *object, TYPE value) {                                             \
        return __scoped_atomic_exchange_n(object, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);                     \
    }                                                                                                                  \
    OVERLOADABLE TYPE atom_cmpxchg(volatile SPACE TYPE *object, TYPE expected, TYPE value) {                           \
        __scoped_atomic_compare_exchange_n(object, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,        \
                                           __MEMORY_SCOPE_DEVICE);                                                     \
        return expected;                                                                                               \
    }

FUNCTIONS(long, global)
FUNCTIONS(ulong, global)
FUNCTIONS(long, local)
FUNCTIONS(ulong, local)
