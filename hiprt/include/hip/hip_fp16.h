// Half precision: HIP's types `__half` and `__half2`, arithmetic, comparisons, conversions and functions, for the host and
// for kernels. Results are rounded to nearest, as those of clang's `_Float16` are.
#ifndef OMPTARGET_HIP_FP16_H
#define OMPTARGET_HIP_FP16_H

#include <hip/hip_runtime.h>

#ifdef __cplusplus

#define OMPTARGET_HALF static inline __host__ __device__

struct __half_raw {
    union {
        unsigned short x;
        _Float16 data;
    };
};

struct __half2_raw {
    unsigned short x, y;
};

struct __half {
    _Float16 data;

    __half() = default;
    __host__ __device__ __half(_Float16 value) : data(value) {}
    __host__ __device__ __half(float value) : data((_Float16)value) {}
    __host__ __device__ __half(double value) : data((_Float16)value) {}
    __host__ __device__ __half(int value) : data((_Float16)value) {}
    __host__ __device__ __half(unsigned value) : data((_Float16)value) {}
    __host__ __device__ __half(long value) : data((_Float16)value) {}
    __host__ __device__ __half(unsigned long value) : data((_Float16)value) {}
    __host__ __device__ __half(long long value) : data((_Float16)value) {}
    __host__ __device__ __half(unsigned long long value) : data((_Float16)value) {}
    __host__ __device__ __half(short value) : data((_Float16)value) {}
    __host__ __device__ __half(unsigned short value) : data((_Float16)value) {}
    __host__ __device__ __half(__half_raw raw) : data(raw.data) {}

    __host__ __device__ operator float() const { return (float)data; }
    __host__ __device__ operator __half_raw() const {
        __half_raw raw;
        raw.data = data;
        return raw;
    }
    __host__ __device__ explicit operator bool() const { return data != 0; }
    __host__ __device__ explicit operator double() const { return (double)data; }
    __host__ __device__ explicit operator int() const { return (int)data; }
    __host__ __device__ explicit operator unsigned() const { return (unsigned)data; }
    __host__ __device__ explicit operator short() const { return (short)data; }
    __host__ __device__ explicit operator unsigned short() const { return (unsigned short)data; }
    __host__ __device__ explicit operator long() const { return (long)data; }
    __host__ __device__ explicit operator unsigned long() const { return (unsigned long)data; }
    __host__ __device__ explicit operator long long() const { return (long long)data; }
    __host__ __device__ explicit operator unsigned long long() const { return (unsigned long long)data; }

    __host__ __device__ __half &operator+=(const __half &other) { return data += other.data, *this; }
    __host__ __device__ __half &operator-=(const __half &other) { return data -= other.data, *this; }
    __host__ __device__ __half &operator*=(const __half &other) { return data *= other.data, *this; }
    __host__ __device__ __half &operator/=(const __half &other) { return data /= other.data, *this; }
    __host__ __device__ __half &operator++() { return data += 1, *this; }
    __host__ __device__ __half &operator--() { return data -= 1, *this; }
    __host__ __device__ __half operator+() const { return *this; }
    __host__ __device__ __half operator-() const { return __half(-data); }
};

struct __half2 {
    __half x, y;

    __half2() = default;
    __host__ __device__ __half2(__half x, __half y) : x(x), y(y) {}

    __host__ __device__ __half2 &operator+=(const __half2 &other) { return x += other.x, y += other.y, *this; }
    __host__ __device__ __half2 &operator-=(const __half2 &other) { return x -= other.x, y -= other.y, *this; }
    __host__ __device__ __half2 &operator*=(const __half2 &other) { return x *= other.x, y *= other.y, *this; }
    __host__ __device__ __half2 &operator/=(const __half2 &other) { return x /= other.x, y /= other.y, *this; }
    __host__ __device__ __half2 operator-() const { return __half2(-x, -y); }
} __attribute__((aligned(4)));

typedef __half half;
typedef __half2 half2;

// Operators, each with its function, and the same for pairs.
#define OMPTARGET_HALF_OPERATION(symbol, function, of_pairs)                                                          \
    OMPTARGET_HALF __half operator symbol(const __half &a, const __half &b) { return __half(a.data symbol b.data); }  \
    OMPTARGET_HALF __half function(__half a, __half b) { return a symbol b; }                                         \
    OMPTARGET_HALF __half2 operator symbol(const __half2 &a, const __half2 &b) {                                      \
        return __half2(a.x symbol b.x, a.y symbol b.y);                                                               \
    }                                                                                                                 \
    OMPTARGET_HALF __half2 of_pairs(__half2 a, __half2 b) { return a symbol b; }
OMPTARGET_HALF_OPERATION(+, __hadd, __hadd2)
OMPTARGET_HALF_OPERATION(-, __hsub, __hsub2)
OMPTARGET_HALF_OPERATION(*, __hmul, __hmul2)
OMPTARGET_HALF_OPERATION(/, __hdiv, __h2div)
#undef OMPTARGET_HALF_OPERATION

#define OMPTARGET_HALF_COMPARISON(symbol, function)                                                                   \
    OMPTARGET_HALF bool operator symbol(const __half &a, const __half &b) { return a.data symbol b.data; }            \
    OMPTARGET_HALF bool __h##function(__half a, __half b) { return a symbol b; }                                      \
    OMPTARGET_HALF __half2 __h##function##2(__half2 a, __half2 b) {                                                   \
        return __half2(__half((int)(a.x symbol b.x)), __half((int)(a.y symbol b.y)));                                 \
    }                                                                                                                 \
    OMPTARGET_HALF bool __hb##function##2(__half2 a, __half2 b) { return a.x symbol b.x && a.y symbol b.y; }
OMPTARGET_HALF_COMPARISON(==, eq)
OMPTARGET_HALF_COMPARISON(!=, ne)
OMPTARGET_HALF_COMPARISON(<, lt)
OMPTARGET_HALF_COMPARISON(<=, le)
OMPTARGET_HALF_COMPARISON(>, gt)
OMPTARGET_HALF_COMPARISON(>=, ge)
#undef OMPTARGET_HALF_COMPARISON

// Bits.
OMPTARGET_HALF unsigned short __half_as_ushort(__half value) { return __builtin_bit_cast(unsigned short, value.data); }
OMPTARGET_HALF short __half_as_short(__half value) { return __builtin_bit_cast(short, value.data); }
OMPTARGET_HALF __half __ushort_as_half(unsigned short bits) { return __half(__builtin_bit_cast(_Float16, bits)); }
OMPTARGET_HALF __half __short_as_half(short bits) { return __half(__builtin_bit_cast(_Float16, bits)); }

// Conversions.
OMPTARGET_HALF __half __float2half(float value) { return __half(value); }
OMPTARGET_HALF __half __float2half_rn(float value) { return __half(value); }
OMPTARGET_HALF __half __double2half(double value) { return __half(value); }
OMPTARGET_HALF float __half2float(__half value) { return (float)value.data; }
// A half beside the nearest one, if that lies on the wrong side. `up`: the result is no less than the value.
OMPTARGET_HALF __half omptarget_half_towards(float value, bool up) {
    __half nearest(value);
    float back = __half2float(nearest);
    if (back == value || value != value || (up ? back > value : back < value))
        return nearest;
    unsigned short bits = __half_as_ushort(nearest);
    if ((bits & 0x7fff) == 0)
        return __ushort_as_half(up ? 0x0001 : 0x8001);
    return __ushort_as_half(bits + ((bits >> 15 != 0) == up ? -1 : 1));
}
OMPTARGET_HALF __half __float2half_ru(float value) { return omptarget_half_towards(value, true); }
OMPTARGET_HALF __half __float2half_rd(float value) { return omptarget_half_towards(value, false); }
OMPTARGET_HALF __half __float2half_rz(float value) { return omptarget_half_towards(value, value < 0); }

#define OMPTARGET_HALF_CONVERSION(type, name)                                                                         \
    OMPTARGET_HALF __half __##name##2half_rn(type value) { return __half(value); }                                    \
    OMPTARGET_HALF type __half2##name##_rn(__half value) { return (type)__builtin_rintf(__half2float(value)); }       \
    OMPTARGET_HALF type __half2##name##_rz(__half value) { return (type)__half2float(value); }                        \
    OMPTARGET_HALF type __half2##name##_ru(__half value) { return (type)__builtin_ceilf(__half2float(value)); }       \
    OMPTARGET_HALF type __half2##name##_rd(__half value) { return (type)__builtin_floorf(__half2float(value)); }
OMPTARGET_HALF_CONVERSION(short, short)
OMPTARGET_HALF_CONVERSION(unsigned short, ushort)
OMPTARGET_HALF_CONVERSION(int, int)
OMPTARGET_HALF_CONVERSION(unsigned, uint)
OMPTARGET_HALF_CONVERSION(long long, ll)
OMPTARGET_HALF_CONVERSION(unsigned long long, ull)
#undef OMPTARGET_HALF_CONVERSION

// Pairs.
OMPTARGET_HALF __half2 make_half2(__half x, __half y) { return __half2(x, y); }
OMPTARGET_HALF __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
OMPTARGET_HALF __half2 __half2half2(__half value) { return __half2(value, value); }
OMPTARGET_HALF __half2 __floats2half2_rn(float low, float high) { return __half2(__half(low), __half(high)); }
OMPTARGET_HALF __half2 __float2half2_rn(float value) { return __half2half2(__half(value)); }
OMPTARGET_HALF __half2 __float22half2_rn(float2 value) { return __floats2half2_rn(value.x, value.y); }
OMPTARGET_HALF float2 __half22float2(__half2 pair) { return make_float2(__half2float(pair.x), __half2float(pair.y)); }
OMPTARGET_HALF __half __low2half(__half2 pair) { return pair.x; }
OMPTARGET_HALF __half __high2half(__half2 pair) { return pair.y; }
OMPTARGET_HALF float __low2float(__half2 pair) { return __half2float(pair.x); }
OMPTARGET_HALF float __high2float(__half2 pair) { return __half2float(pair.y); }
OMPTARGET_HALF __half2 __low2half2(__half2 pair) { return __half2half2(pair.x); }
OMPTARGET_HALF __half2 __high2half2(__half2 pair) { return __half2half2(pair.y); }
OMPTARGET_HALF __half2 __lowhigh2highlow(__half2 pair) { return __half2(pair.y, pair.x); }
OMPTARGET_HALF __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
OMPTARGET_HALF __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

// Arithmetic beyond the operators.
OMPTARGET_HALF __half __hneg(__half value) { return -value; }
OMPTARGET_HALF __half __habs(__half value) { return __ushort_as_half(__half_as_ushort(value) & 0x7fff); }
OMPTARGET_HALF bool __hisnan(__half value) { return value.data != value.data; }
OMPTARGET_HALF int __hisinf(__half value) {
    return __half_as_ushort(value) == 0x7c00 ? 1 : __half_as_ushort(value) == 0xfc00 ? -1 : 0;
}
// A product of halves is exact in `double`. The sum is rounded twice, which seldom makes a difference.
OMPTARGET_HALF __half __hfma(__half a, __half b, __half c) {
    return __half((double)a.data * (double)b.data + (double)c.data);
}
OMPTARGET_HALF __half __hmax(__half a, __half b) { return __half(__builtin_fmaxf(__half2float(a), __half2float(b))); }
OMPTARGET_HALF __half __hmin(__half a, __half b) { return __half(__builtin_fminf(__half2float(a), __half2float(b))); }
OMPTARGET_HALF __half omptarget_half_in_0_1(__half value) { return __hmin(__hmax(value, __half(0)), __half(1)); }
OMPTARGET_HALF __half __hadd_sat(__half a, __half b) { return omptarget_half_in_0_1(a + b); }
OMPTARGET_HALF __half __hsub_sat(__half a, __half b) { return omptarget_half_in_0_1(a - b); }
OMPTARGET_HALF __half __hmul_sat(__half a, __half b) { return omptarget_half_in_0_1(a * b); }
OMPTARGET_HALF __half __hfma_sat(__half a, __half b, __half c) { return omptarget_half_in_0_1(__hfma(a, b, c)); }
OMPTARGET_HALF __half2 __hneg2(__half2 pair) { return -pair; }
OMPTARGET_HALF __half2 __habs2(__half2 pair) { return __half2(__habs(pair.x), __habs(pair.y)); }
OMPTARGET_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
OMPTARGET_HALF __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
OMPTARGET_HALF __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
OMPTARGET_HALF __half2 __hisnan2(__half2 pair) {
    return __half2(__half((int)__hisnan(pair.x)), __half((int)__hisnan(pair.y)));
}

// Functions, computed in single precision.
#define OMPTARGET_HALF_FUNCTION(name, expression)                                                                     \
    OMPTARGET_HALF __half h##name(__half value) {                                                                     \
        float x = __half2float(value);                                                                                \
        return __half(expression);                                                                                    \
    }                                                                                                                 \
    OMPTARGET_HALF __half2 h2##name(__half2 pair) { return __half2(h##name(pair.x), h##name(pair.y)); }
OMPTARGET_HALF_FUNCTION(sqrt, sqrtf(x))
OMPTARGET_HALF_FUNCTION(rsqrt, 1.0f / sqrtf(x))
OMPTARGET_HALF_FUNCTION(rcp, 1.0f / x)
OMPTARGET_HALF_FUNCTION(exp, expf(x))
OMPTARGET_HALF_FUNCTION(exp2, exp2f(x))
OMPTARGET_HALF_FUNCTION(exp10, exp2f(x * 3.3219280948873623f))
OMPTARGET_HALF_FUNCTION(log, logf(x))
OMPTARGET_HALF_FUNCTION(log2, log2f(x))
OMPTARGET_HALF_FUNCTION(log10, log10f(x))
OMPTARGET_HALF_FUNCTION(sin, sinf(x))
OMPTARGET_HALF_FUNCTION(cos, cosf(x))
OMPTARGET_HALF_FUNCTION(ceil, __builtin_ceilf(x))
OMPTARGET_HALF_FUNCTION(floor, __builtin_floorf(x))
OMPTARGET_HALF_FUNCTION(trunc, __builtin_truncf(x))
OMPTARGET_HALF_FUNCTION(rint, __builtin_rintf(x))
#undef OMPTARGET_HALF_FUNCTION

#ifdef __HIP__
// Shuffles.
#define OMPTARGET_HALF_SHUFFLE(name, argument)                                                                        \
    static inline __device__ __half name(__half value, argument which, int width = warpSize) {                        \
        return __ushort_as_half((unsigned short)name((int)__half_as_ushort(value), which, width));                    \
    }                                                                                                                 \
    static inline __device__ __half2 name(__half2 pair, argument which, int width = warpSize) {                       \
        return __builtin_bit_cast(__half2, name(__builtin_bit_cast(int, pair), which, width));                        \
    }
OMPTARGET_HALF_SHUFFLE(__shfl, int)
OMPTARGET_HALF_SHUFFLE(__shfl_up, unsigned)
OMPTARGET_HALF_SHUFFLE(__shfl_down, unsigned)
OMPTARGET_HALF_SHUFFLE(__shfl_xor, int)
#undef OMPTARGET_HALF_SHUFFLE
#endif

#undef OMPTARGET_HALF

#endif
#endif
