// Atomic functions of OpenCL C 2.0 and later (OpenCL C 3.0, 6.15.12): orders and scopes as the program gives them.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define OVERLOADABLE __attribute__((overloadable, always_inline))
#define SEQ memory_order_seq_cst
#define DEVICE memory_scope_device

// An operation in its three forms: order and scope may be left out. PARAMETERS and ARGUMENTS are those between the
// object and the order.
#define FORMS(RESULT, name, OBJECT, PARAMETERS, ARGUMENTS)                                                             \
    OVERLOADABLE RESULT name##_explicit(OBJECT *object PARAMETERS, memory_order order, memory_scope scope) {           \
        return __opencl_##name(object ARGUMENTS, order, scope);                                                        \
    }                                                                                                                  \
    OVERLOADABLE RESULT name##_explicit(OBJECT *object PARAMETERS, memory_order order) {                               \
        return __opencl_##name(object ARGUMENTS, order, DEVICE);                                                       \
    }                                                                                                                  \
    OVERLOADABLE RESULT name(OBJECT *object PARAMETERS) { return __opencl_##name(object ARGUMENTS, SEQ, DEVICE); }

#define COMMA ,

#define COMPARE(name, TYPE, OBJECT, EXPECTED)                                                                          \
    OVERLOADABLE bool name##_explicit(OBJECT *object, EXPECTED *expected, TYPE value, memory_order success,            \
                                      memory_order failure, memory_scope scope) {                                      \
        TYPE old = *expected;                                                                                          \
        bool done = __opencl_##name(object, &old, value, success, failure, scope);                                     \
        if (!done)                                                                                                     \
            *expected = old;                                                                                           \
        return done;                                                                                                   \
    }                                                                                                                  \
    OVERLOADABLE bool name##_explicit(OBJECT *object, EXPECTED *expected, TYPE value, memory_order success,            \
                                      memory_order failure) {                                                          \
        return name##_explicit(object, expected, value, success, failure, DEVICE);                                     \
    }                                                                                                                  \
    OVERLOADABLE bool name(OBJECT *object, EXPECTED *expected, TYPE value) {                                           \
        return name##_explicit(object, expected, value, SEQ, SEQ, DEVICE);                                             \
    }

#define COMPARES(TYPE, OBJECT)                                                                                         \
    COMPARE(atomic_compare_exchange_strong, TYPE, OBJECT, TYPE)                                                        \
    COMPARE(atomic_compare_exchange_strong, TYPE, OBJECT, global TYPE)                                                 \
    COMPARE(atomic_compare_exchange_strong, TYPE, OBJECT, local TYPE)                                                  \
    COMPARE(atomic_compare_exchange_weak, TYPE, OBJECT, TYPE)                                                          \
    COMPARE(atomic_compare_exchange_weak, TYPE, OBJECT, global TYPE)                                                   \
    COMPARE(atomic_compare_exchange_weak, TYPE, OBJECT, local TYPE)

#define ANY(TYPE, SPACE)                                                                                               \
    OVERLOADABLE void atomic_init(volatile SPACE atomic_##TYPE *object, TYPE value) {                                  \
        __opencl_atomic_init(object, value);                                                                           \
    }                                                                                                                  \
    FORMS(void, atomic_store, volatile SPACE atomic_##TYPE, COMMA TYPE value, COMMA value)                             \
    FORMS(TYPE, atomic_load, volatile SPACE atomic_##TYPE, , )                                                         \
    FORMS(TYPE, atomic_exchange, volatile SPACE atomic_##TYPE, COMMA TYPE value, COMMA value)                          \
    COMPARES(TYPE, volatile SPACE atomic_##TYPE)

#define FETCH(name, TYPE, SPACE)                                                                                       \
    FORMS(TYPE, atomic_fetch_##name, volatile SPACE atomic_##TYPE, COMMA TYPE value, COMMA value)

#define INTEGER(TYPE, SPACE)                                                                                           \
    ANY(TYPE, SPACE)                                                                                                   \
    FETCH(add, TYPE, SPACE)                                                                                            \
    FETCH(sub, TYPE, SPACE)                                                                                            \
    FETCH(or, TYPE, SPACE)                                                                                             \
    FETCH(xor, TYPE, SPACE)                                                                                            \
    FETCH(and, TYPE, SPACE)                                                                                            \
    FETCH(min, TYPE, SPACE)                                                                                            \
    FETCH(max, TYPE, SPACE)

#define FLAG(SPACE)                                                                                                    \
    OVERLOADABLE bool atomic_flag_test_and_set_explicit(volatile SPACE atomic_flag *flag, memory_order order,          \
                                                        memory_scope scope) {                                          \
        return __opencl_atomic_exchange((volatile SPACE atomic_int *)flag, 1, order, scope) != 0;                      \
    }                                                                                                                  \
    OVERLOADABLE bool atomic_flag_test_and_set_explicit(volatile SPACE atomic_flag *flag, memory_order order) {        \
        return atomic_flag_test_and_set_explicit(flag, order, DEVICE);                                                 \
    }                                                                                                                  \
    OVERLOADABLE bool atomic_flag_test_and_set(volatile SPACE atomic_flag *flag) {                                     \
        return atomic_flag_test_and_set_explicit(flag, SEQ, DEVICE);                                                   \
    }                                                                                                                  \
    OVERLOADABLE void atomic_flag_clear_explicit(volatile SPACE atomic_flag *flag, memory_order order,                 \
                                                 memory_scope scope) {                                                 \
        __opencl_atomic_store((volatile SPACE atomic_int *)flag, 0, order, scope);                                     \
    }                                                                                                                  \
    OVERLOADABLE void atomic_flag_clear_explicit(volatile SPACE atomic_flag *flag, memory_order order) {               \
        atomic_flag_clear_explicit(flag, order, DEVICE);                                                               \
    }                                                                                                                  \
    OVERLOADABLE void atomic_flag_clear(volatile SPACE atomic_flag *flag) {                                            \
        atomic_flag_clear_explicit(flag, SEQ, DEVICE);                                                                 \
    }

#define TYPES(SPACE)                                                                                                   \
    INTEGER(int, SPACE)                                                                                                \
    INTEGER(uint, SPACE)                                                                                               \
    INTEGER(long, SPACE)                                                                                               \
    INTEGER(ulong, SPACE)                                                                                              \
    ANY(float, SPACE)                                                                                                  \
    ANY(double, SPACE)                                                                                                 \
    FLAG(SPACE)

// Pointers as operands are of the other signedness (clang's declarations of `atomic_intptr_t` and `atomic_uintptr_t`).
#define FETCH_OTHER(name, TYPE, OTHER, SPACE)                                                                          \
    FORMS(TYPE, atomic_fetch_##name, volatile SPACE atomic_##TYPE, COMMA OTHER value, COMMA value)

#define POINTERS(SPACE)                                                                                                \
    FETCH_OTHER(add, ulong, long, SPACE)                                                                               \
    FETCH_OTHER(sub, ulong, long, SPACE)                                                                               \
    FETCH_OTHER(or, long, ulong, SPACE)                                                                                \
    FETCH_OTHER(or, ulong, long, SPACE)                                                                                \
    FETCH_OTHER(xor, long, ulong, SPACE)                                                                               \
    FETCH_OTHER(xor, ulong, long, SPACE)                                                                               \
    FETCH_OTHER(and, long, ulong, SPACE)                                                                               \
    FETCH_OTHER(and, ulong, long, SPACE)                                                                               \
    FETCH_OTHER(min, long, ulong, SPACE)                                                                               \
    FETCH_OTHER(min, ulong, long, SPACE)

TYPES(generic)
TYPES(global)
TYPES(local)
POINTERS(generic)
POINTERS(global)
POINTERS(local)
