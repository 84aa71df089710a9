// Comparisons, choices, loads, stores and shuffles of half precision (cl_khr_fp16; OpenCL C 3.0, 6.15.7 to 6.15.13).

#include "half.h"

// Comparisons of vectors give vectors of short, -1 for what holds.
#define COMPARISONS(N, RESULT)                                                                                         \
    CONST RESULT isequal(half##N x, half##N y) { return x == y; }                                                      \
    CONST RESULT isnotequal(half##N x, half##N y) { return x != y; }                                                   \
    CONST RESULT isgreater(half##N x, half##N y) { return x > y; }                                                     \
    CONST RESULT isgreaterequal(half##N x, half##N y) { return x >= y; }                                               \
    CONST RESULT isless(half##N x, half##N y) { return x < y; }                                                        \
    CONST RESULT islessequal(half##N x, half##N y) { return x <= y; }                                                  \
    CONST RESULT islessgreater(half##N x, half##N y) { return (x < y) | (x > y); }                                     \
    CONST RESULT isordered(half##N x, half##N y) { return (x == x) & (y == y); }                                       \
    CONST RESULT isunordered(half##N x, half##N y) { return (x != x) | (y != y); }                                     \
    CONST RESULT isnan(half##N x) { return x != x; }                                                                   \
    CONST RESULT isinf(half##N x) { return (as_short##N(x) & (short)0x7fff) == (short)0x7c00; }                        \
    CONST RESULT isfinite(half##N x) { return (as_short##N(x) & (short)0x7c00) != (short)0x7c00; }                     \
    CONST RESULT isnormal(half##N x) { return isfinite(x) & ((as_short##N(x) & (short)0x7c00) != (short)0); }          \
    CONST RESULT signbit(half##N x) { return as_short##N(x) < (short)0; }
COMPARISONS(, int)
COMPARISONS(2, short2)
COMPARISONS(3, short3)
COMPARISONS(4, short4)
COMPARISONS(8, short8)
COMPARISONS(16, short16)

#define CHOICES(N)                                                                                                     \
    CONST half##N select(half##N x, half##N y, short##N which) { return which ? y : x; }                               \
    CONST half##N select(half##N x, half##N y, ushort##N which) { return select(x, y, as_short##N(which)); }           \
    CONST half##N bitselect(half##N x, half##N y, half##N bits) {                                                      \
        return as_half##N(bitselect(as_ushort##N(x), as_ushort##N(y), as_ushort##N(bits)));                            \
    }
SCALAR_AND_VECTORS(CHOICES)

#define LOADS(N, SPACE)                                                                                                \
    __attribute__((overloadable, pure)) half##N vload##N(size_t index, const SPACE half *from) {                       \
        return as_half##N(vload##N(index, (const SPACE ushort *)from));                                                \
    }
#define STORES(N, SPACE)                                                                                               \
    PLAIN void vstore##N(half##N value, size_t index, SPACE half *to) {                                                \
        vstore##N(as_ushort##N(value), index, (SPACE ushort *)to);                                                     \
    }
#define LOADS_OF(SPACE) LOADS(2, SPACE) LOADS(3, SPACE) LOADS(4, SPACE) LOADS(8, SPACE) LOADS(16, SPACE)
#define STORES_OF(SPACE) STORES(2, SPACE) STORES(3, SPACE) STORES(4, SPACE) STORES(8, SPACE) STORES(16, SPACE)
LOADS_OF() LOADS_OF(global) LOADS_OF(local) LOADS_OF(constant)
STORES_OF() STORES_OF(global) STORES_OF(local)

#define SHUFFLES(N, M)                                                                                                 \
    CONST half##N shuffle(half##M x, ushort##N which) { return as_half##N(shuffle(as_ushort##M(x), which)); }          \
    CONST half##N shuffle2(half##M x, half##M y, ushort##N which) {                                                    \
        return as_half##N(shuffle2(as_ushort##M(x), as_ushort##M(y), which));                                          \
    }
#define SHUFFLES_OF(N) SHUFFLES(N, 2) SHUFFLES(N, 4) SHUFFLES(N, 8) SHUFFLES(N, 16)
SHUFFLES_OF(2) SHUFFLES_OF(4) SHUFFLES_OF(8) SHUFFLES_OF(16)

#define COPY(N, TO, FROM)                                                                                              \
    __attribute__((overloadable, convergent)) event_t async_work_group_copy(TO half##N *to, const FROM half##N *from,  \
                                                                            size_t count, event_t event) {             \
        return async_work_group_copy((TO ushort##N *)to, (const FROM ushort##N *)from, count, event);                  \
    }                                                                                                                  \
    __attribute__((overloadable, convergent)) event_t async_work_group_strided_copy(                                   \
        TO half##N *to, const FROM half##N *from, size_t count, size_t stride, event_t event) {                        \
        return async_work_group_strided_copy((TO ushort##N *)to, (const FROM ushort##N *)from, count, stride, event);  \
    }
#define COPIES(N)                                                                                                      \
    COPY(N, local, global) COPY(N, global, local)                                                                      \
    PLAIN void prefetch(const global half##N *from, size_t count) {}
SCALAR_AND_VECTORS(COPIES)
