// Atomic functions with a memory order and a scope of threads, which NVIDIA's compiler has built in since CUDA 12.8:
// CUDA C++ Programming Guide, "__nv_atomic functions".
#ifndef OMPTARGET_SCOPED_ATOMICS_H
#define OMPTARGET_SCOPED_ATOMICS_H

#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST

#define __NV_THREAD_SCOPE_THREAD __MEMORY_SCOPE_SINGLE
#define __NV_THREAD_SCOPE_BLOCK __MEMORY_SCOPE_WRKGRP
#define __NV_THREAD_SCOPE_CLUSTER __MEMORY_SCOPE_CLUSTR
#define __NV_THREAD_SCOPE_DEVICE __MEMORY_SCOPE_DEVICE
#define __NV_THREAD_SCOPE_SYSTEM __MEMORY_SCOPE_SYSTEM

#define OMPTARGET_ATOMIC static __device__ __forceinline__

// The value that these functions take besides the pointer, which alone decides the type.
template <typename T> struct omptarget_atomic_value { typedef T type; };
template <typename T> struct omptarget_atomic_value<volatile T> { typedef T type; };
template <typename T> struct omptarget_atomic_value<const T> { typedef T type; };
template <typename T> struct omptarget_atomic_value<const volatile T> { typedef T type; };
#define OMPTARGET_ATOMIC_VALUE typename omptarget_atomic_value<T>::type

// clang's functions whose names end in _n take integers alone, those without take every type.
template <typename T>
OMPTARGET_ATOMIC void __nv_atomic_load(T *from, OMPTARGET_ATOMIC_VALUE *value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM) {
    __scoped_atomic_load(from, value, order, scope);
}
template <typename T>
OMPTARGET_ATOMIC OMPTARGET_ATOMIC_VALUE __nv_atomic_load_n(T *from, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    OMPTARGET_ATOMIC_VALUE value;
    __scoped_atomic_load(from, &value, order, scope);
    return value;
}
template <typename T>
OMPTARGET_ATOMIC void __nv_atomic_store(T *to, OMPTARGET_ATOMIC_VALUE *value, int order,
                                        int scope = __NV_THREAD_SCOPE_SYSTEM) {
    __scoped_atomic_store(to, value, order, scope);
}
template <typename T>
OMPTARGET_ATOMIC void __nv_atomic_store_n(T *to, OMPTARGET_ATOMIC_VALUE value, int order,
                                          int scope = __NV_THREAD_SCOPE_SYSTEM) {
    __scoped_atomic_store(to, &value, order, scope);
}
template <typename T>
OMPTARGET_ATOMIC void __nv_atomic_exchange(T *at, OMPTARGET_ATOMIC_VALUE *value, OMPTARGET_ATOMIC_VALUE *before,
                                           int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    __scoped_atomic_exchange(at, value, before, order, scope);
}
template <typename T>
OMPTARGET_ATOMIC OMPTARGET_ATOMIC_VALUE __nv_atomic_exchange_n(T *at, OMPTARGET_ATOMIC_VALUE value, int order,
                                                               int scope = __NV_THREAD_SCOPE_SYSTEM) {
    OMPTARGET_ATOMIC_VALUE before;
    __scoped_atomic_exchange(at, &value, &before, order, scope);
    return before;
}
template <typename T>
OMPTARGET_ATOMIC bool __nv_atomic_compare_exchange(T *at, OMPTARGET_ATOMIC_VALUE *expected,
                                                   OMPTARGET_ATOMIC_VALUE *wanted, bool weak, int success, int failure,
                                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return __scoped_atomic_compare_exchange(at, expected, wanted, weak, success, failure, scope);
}
template <typename T>
OMPTARGET_ATOMIC bool __nv_atomic_compare_exchange_n(T *at, OMPTARGET_ATOMIC_VALUE *expected,
                                                     OMPTARGET_ATOMIC_VALUE wanted, bool weak, int success,
                                                     int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return __scoped_atomic_compare_exchange(at, expected, &wanted, weak, success, failure, scope);
}

#define OMPTARGET_ATOMIC_UPDATE(operation)                                                                      \
    template <typename T>                                                                                       \
    OMPTARGET_ATOMIC OMPTARGET_ATOMIC_VALUE __nv_atomic_fetch_##operation(T *at, OMPTARGET_ATOMIC_VALUE value,   \
                                                                          int order,                            \
                                                                          int scope = __NV_THREAD_SCOPE_SYSTEM) { \
        return __scoped_atomic_fetch_##operation(at, value, order, scope);                                      \
    }                                                                                                           \
    template <typename T>                                                                                       \
    OMPTARGET_ATOMIC void __nv_atomic_##operation(T *at, OMPTARGET_ATOMIC_VALUE value, int order,                \
                                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {                        \
        __scoped_atomic_fetch_##operation(at, value, order, scope);                                             \
    }
OMPTARGET_ATOMIC_UPDATE(add)
OMPTARGET_ATOMIC_UPDATE(sub)
OMPTARGET_ATOMIC_UPDATE(and)
OMPTARGET_ATOMIC_UPDATE(or)
OMPTARGET_ATOMIC_UPDATE(xor)
OMPTARGET_ATOMIC_UPDATE(min)
OMPTARGET_ATOMIC_UPDATE(max)

// A fence takes constants alone.
#define __nv_atomic_thread_fence(order, ...) \
    __scoped_atomic_thread_fence(order, OMPTARGET_SCOPE_OF(__VA_ARGS__ __VA_OPT__(,) __NV_THREAD_SCOPE_SYSTEM))
#define OMPTARGET_SCOPE_OF(scope, ...) scope

#undef OMPTARGET_ATOMIC_UPDATE
#undef OMPTARGET_ATOMIC_VALUE
#undef OMPTARGET_ATOMIC

#endif
