// Stores of doubles as halves, rounded once (OpenCL C 3.0, 6.15.7). libclc's round to a single to nearest first.

#include "half.h"

// The single next to the double that is not even, unless the double is a single: it rounds to a half as the double.
INLINE float odd(double x) {
    float near = (float)x;
    if ((double)near == x || x != x || (as_uint(near) & 1))
        return near;
    return as_float(fabs(x) > fabs((double)near) ? as_uint(near) + 1 : as_uint(near) - 1);
}
INLINE float2 odd(double2 x) { return (float2)(odd(x.x), odd(x.y)); }
INLINE float3 odd(double3 x) { return (float3)(odd(x.xy), odd(x.z)); }
INLINE float4 odd(double4 x) { return (float4)(odd(x.lo), odd(x.hi)); }
INLINE float8 odd(double8 x) { return (float8)(odd(x.lo), odd(x.hi)); }
INLINE float16 odd(double16 x) { return (float16)(odd(x.lo), odd(x.hi)); }

#define STORE(N, SPACE, MODE)                                                                                          \
    PLAIN void vstore_half##N##MODE(float##N x, size_t index, SPACE half *to);                                         \
    PLAIN void vstorea_half##N##MODE(float##N x, size_t index, SPACE half *to);                                        \
    PLAIN void vstore_half##N##MODE(double##N x, size_t index, SPACE half *to) {                                       \
        vstore_half##N##MODE(odd(x), index, to);                                                                       \
    }                                                                                                                  \
    PLAIN void vstorea_half##N##MODE(double##N x, size_t index, SPACE half *to) {                                      \
        vstorea_half##N##MODE(odd(x), index, to);                                                                      \
    }
#define STORES(N, SPACE)                                                                                               \
    STORE(N, SPACE, ) STORE(N, SPACE, _rte) STORE(N, SPACE, _rtz) STORE(N, SPACE, _rtp) STORE(N, SPACE, _rtn)
ALL(STORES, )
ALL(STORES, global)
ALL(STORES, local)
