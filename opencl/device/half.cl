// Functions of half precision that are those of single precision (cl_khr_fp16; OpenCL C 3.0, 6.15.2 to 6.15.5). A
// single has more than twice the bits of a half and two more, so that rounding twice is rounding once.

#include "half.h"

#define UNARY(N, name)                                                                                                 \
    CONST half##N name(half##N x) { return narrow(name(wide(x))); }
#define BINARY(N, name)                                                                                                \
    CONST half##N name(half##N x, half##N y) { return narrow(name(wide(x), wide(y))); }
#define TERNARY(N, name)                                                                                               \
    CONST half##N name(half##N x, half##N y, half##N z) { return narrow(name(wide(x), wide(y), wide(z))); }
// Of an integer for each element, or for all.
#define WITH_INTEGERS(N, name)                                                                                         \
    CONST half##N name(half##N x, int##N y) { return narrow(name(wide(x), y)); }

// clang-format off
ALL(UNARY, acos) ALL(UNARY, acosh) ALL(UNARY, acospi) ALL(UNARY, asin) ALL(UNARY, asinh) ALL(UNARY, asinpi)
ALL(UNARY, atan) ALL(UNARY, atanh) ALL(UNARY, atanpi) ALL(UNARY, cbrt) ALL(UNARY, ceil) ALL(UNARY, cos)
ALL(UNARY, cosh) ALL(UNARY, cospi) ALL(UNARY, erf) ALL(UNARY, erfc) ALL(UNARY, exp) ALL(UNARY, exp10)
ALL(UNARY, exp2) ALL(UNARY, expm1) ALL(UNARY, fabs) ALL(UNARY, floor) ALL(UNARY, lgamma) ALL(UNARY, log)
ALL(UNARY, log10) ALL(UNARY, log1p) ALL(UNARY, log2) ALL(UNARY, logb) ALL(UNARY, rint) ALL(UNARY, round)
ALL(UNARY, rsqrt) ALL(UNARY, sin) ALL(UNARY, sinh) ALL(UNARY, sinpi) ALL(UNARY, sqrt) ALL(UNARY, tan)
ALL(UNARY, tanh) ALL(UNARY, tanpi) ALL(UNARY, tgamma) ALL(UNARY, trunc)
ALL(UNARY, degrees) ALL(UNARY, radians) ALL(UNARY, sign)
ALL(BINARY, atan2) ALL(BINARY, atan2pi) ALL(BINARY, copysign) ALL(BINARY, fdim) ALL(BINARY, fmax) ALL(BINARY, fmin)
ALL(BINARY, fmod) ALL(BINARY, hypot) ALL(BINARY, maxmag) ALL(BINARY, minmag) ALL(BINARY, pow) ALL(BINARY, powr)
ALL(BINARY, remainder) ALL(BINARY, max) ALL(BINARY, min) ALL(BINARY, step)
ALL(TERNARY, clamp) ALL(TERNARY, mix) ALL(TERNARY, smoothstep)
ALL(WITH_INTEGERS, ldexp) ALL(WITH_INTEGERS, pown) ALL(WITH_INTEGERS, rootn)
// clang-format on

// Scalars that serve for all elements of a vector.
#define WITH_SCALARS(N)                                                                                                \
    CONST half##N fmax(half##N x, half y) { return fmax(x, (half##N)y); }                                              \
    CONST half##N fmin(half##N x, half y) { return fmin(x, (half##N)y); }                                              \
    CONST half##N max(half##N x, half y) { return max(x, (half##N)y); }                                                \
    CONST half##N min(half##N x, half y) { return min(x, (half##N)y); }                                                \
    CONST half##N clamp(half##N x, half low, half high) { return clamp(x, (half##N)low, (half##N)high); }              \
    CONST half##N mix(half##N x, half##N y, half a) { return mix(x, y, (half##N)a); }                                  \
    CONST half##N step(half edge, half##N x) { return step((half##N)edge, x); }                                        \
    CONST half##N smoothstep(half low, half high, half##N x) { return smoothstep((half##N)low, (half##N)high, x); }    \
    CONST half##N ldexp(half##N x, int n) { return ldexp(x, (int##N)n); }
VECTORS(WITH_SCALARS)

#define OTHERS(N)                                                                                                      \
    CONST half##N mad(half##N x, half##N y, half##N z) { return narrow(wide(x) * wide(y) + wide(z)); }                 \
    CONST int##N ilogb(half##N x) { return ilogb(wide(x)); }                                                           \
    CONST half##N nan(ushort##N code) { return as_half##N((ushort##N)(code | (ushort)0x7e00)); }
SCALAR_AND_VECTORS(OTHERS)

// The exact product and the sum of doubles, rounded to an odd single so that the half is rounded once.
CONST half fma(half x, half y, half z) {
    double product = (double)x * (double)y, addend = (double)z;
    double sum = product + addend;
    double part = sum - product;
    double error = (product - (sum - part)) + (addend - part);
    float rounded = (float)sum;
    double rest = (sum - (double)rounded) + error;
    if (rest == 0.0 || rest != rest || (as_uint(rounded) & 1))
        return (half)rounded;
    return (half)as_float((rest > 0.0) == (rounded > 0.0f) ? as_uint(rounded) + 1 : as_uint(rounded) - 1);
}

// Numbers in the order of their values.
static __attribute__((always_inline)) int place(half x) {
    int bits = as_short(x);
    return bits < 0 ? -32768 - bits : bits;
}

CONST half nextafter(half x, half y) {
    if (x != x || y != y)
        return x + y;
    int from = place(x), to = place(y);
    int next = from < to ? from + 1 : from > to ? from - 1 : from;
    return from == to ? y : as_half((short)(next < 0 ? -32768 - next : next));
}

#define SPLIT2(N, name)                                                                                                \
    CONST half##N name(half##N x, half##N y) { return (half##N)(name(x.lo, y.lo), name(x.hi, y.hi)); }
#define SPLIT3(N, name)                                                                                                \
    CONST half##N name(half##N x, half##N y, half##N z) {                                                              \
        return (half##N)(name(x.lo, y.lo, z.lo), name(x.hi, y.hi, z.hi));                                              \
    }
SPLIT3(2, fma)
CONST half3 fma(half3 x, half3 y, half3 z) { return (half3)(fma(x.xy, y.xy, z.xy), fma(x.z, y.z, z.z)); }
SPLIT3(4, fma)
SPLIT3(8, fma)
SPLIT3(16, fma)
SPLIT2(2, nextafter)
CONST half3 nextafter(half3 x, half3 y) { return (half3)(nextafter(x.xy, y.xy), nextafter(x.z, y.z)); }
SPLIT2(4, nextafter)
SPLIT2(8, nextafter)
SPLIT2(16, nextafter)

// Functions with a second result.
#define WITH_POINTERS(N, SPACE)                                                                                        \
    PLAIN half##N fract(half##N x, SPACE half##N *whole) {                                                             \
        float##N low = floor(wide(x));                                                                                 \
        float##N rest = fmin(wide(x) - low, (float##N)0x1.ffcp-1f);                                                    \
        *whole = narrow(low);                                                                                          \
        rest = isinf(wide(x)) ? copysign((float##N)0.0f, wide(x)) : rest;                                              \
        return narrow(isnan(wide(x)) ? wide(x) : rest);                                                                \
    }                                                                                                                  \
    PLAIN half##N modf(half##N x, SPACE half##N *whole) {                                                              \
        float##N low;                                                                                                  \
        half##N rest = narrow(modf(wide(x), &low));                                                                    \
        *whole = narrow(low);                                                                                          \
        return rest;                                                                                                   \
    }                                                                                                                  \
    PLAIN half##N sincos(half##N x, SPACE half##N *cosine) {                                                           \
        *cosine = narrow(cos(wide(x)));                                                                                \
        return narrow(sin(wide(x)));                                                                                   \
    }                                                                                                                  \
    PLAIN half##N frexp(half##N x, SPACE int##N *exponent) {                                                           \
        int##N found;                                                                                                  \
        half##N mantissa = narrow(frexp(wide(x), &found));                                                             \
        *exponent = found;                                                                                             \
        return mantissa;                                                                                               \
    }                                                                                                                  \
    PLAIN half##N lgamma_r(half##N x, SPACE int##N *sign) {                                                            \
        int##N found;                                                                                                  \
        half##N value = narrow(lgamma_r(wide(x), &found));                                                             \
        *sign = found;                                                                                                 \
        return value;                                                                                                  \
    }                                                                                                                  \
    PLAIN half##N remquo(half##N x, half##N y, SPACE int##N *quotient) {                                               \
        int##N found;                                                                                                  \
        half##N rest = narrow(remquo(wide(x), wide(y), &found));                                                       \
        *quotient = found;                                                                                             \
        return rest;                                                                                                   \
    }
ALL(WITH_POINTERS, )
ALL(WITH_POINTERS, global)
ALL(WITH_POINTERS, local)

#define GEOMETRY(N)                                                                                                    \
    CONST half dot(half##N x, half##N y) { return (half)dot(wide(x), wide(y)); }                                       \
    CONST half length(half##N x) { return (half)length(wide(x)); }                                                     \
    CONST half distance(half##N x, half##N y) { return (half)distance(wide(x), wide(y)); }                             \
    CONST half##N normalize(half##N x) { return narrow(normalize(wide(x))); }
GEOMETRY()
GEOMETRY(2)
GEOMETRY(3)
GEOMETRY(4)
CONST half3 cross(half3 x, half3 y) { return narrow(cross(wide(x), wide(y))); }
CONST half4 cross(half4 x, half4 y) { return narrow(cross(wide(x), wide(y))); }
