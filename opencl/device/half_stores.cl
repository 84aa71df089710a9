// Stores of singles and doubles as halves (OpenCL C 3.0, 6.15.7). libclc's take denormal singles for 0 where they round
// in a direction, and doubles become singles first, rounded to nearest.

#include "half.h"

// The single next to the double that is not even, unless the double is a single: it rounds to a half as the double.
INLINE float odd(float x) { return x; }
INLINE float odd(double x) {
    float near = (float)x;
    if ((double)near == x || x != x || (as_uint(near) & 1))
        return near;
    return as_float(fabs(x) > fabs((double)near) ? as_uint(near) + 1 : as_uint(near) - 1);
}

INLINE half rounded(float x) { return (half)x; }
INLINE half rounded_rte(float x) { return (half)x; }
INLINE half rounded_rtp(float x) {
    half near = (half)x;
    if ((float)near >= x || x != x)
        return near;
    return as_half((short)(near == 0 ? 1 : as_short(near) < 0 ? as_short(near) - 1 : as_short(near) + 1));
}
INLINE half rounded_rtn(float x) { return -rounded_rtp(-x); }
INLINE half rounded_rtz(float x) { return x < 0 ? rounded_rtp(x) : rounded_rtn(x); }

#define STORE(N, PITCH, name)                                                                                          \
    for (int element = 0; element < N; element++)                                                                      \
    to[index * PITCH + element] = name(odd(x[element]))

#define VECTOR(TYPE, N, PITCH, SPACE, MODE) \
    PLAIN void vstore_half##N##MODE(TYPE##N x, size_t index, SPACE half *to) { \
        STORE(N, N, rounded##MODE); \
    } \
    PLAIN void vstorea_half##N##MODE(TYPE##N x, size_t index, SPACE half *to) { \
        STORE(N, PITCH, rounded##MODE); \
    }
#define MODE(TYPE, SPACE, MODE)                                                                                        \
    PLAIN void vstore_half##MODE(TYPE x, size_t index, SPACE half *to) { to[index] = rounded##MODE(odd(x)); }          \
    PLAIN void vstorea_half##MODE(TYPE x, size_t index, SPACE half *to) { to[index] = rounded##MODE(odd(x)); }         \
    VECTOR(TYPE, 2, 2, SPACE, MODE)                                                                                    \
    VECTOR(TYPE, 3, 4, SPACE, MODE)                                                                                    \
    VECTOR(TYPE, 4, 4, SPACE, MODE)                                                                                    \
    VECTOR(TYPE, 8, 8, SPACE, MODE)                                                                                    \
    VECTOR(TYPE, 16, 16, SPACE, MODE)
#define MODES(TYPE, SPACE)                                                                                             \
    MODE(TYPE, SPACE, ) MODE(TYPE, SPACE, _rte) MODE(TYPE, SPACE, _rtz) MODE(TYPE, SPACE, _rtp)                        \
    MODE(TYPE, SPACE, _rtn)
#define SPACES(TYPE) MODES(TYPE, ) MODES(TYPE, global) MODES(TYPE, local)
SPACES(float)
SPACES(double)
