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

    __host__ __device__ _Float16 omptarget_number() const { return data; }
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

#define OMPTARGET_SMALL __half
#define OMPTARGET_PAIR __half2
#define OMPTARGET_BOTH OMPTARGET_HALF
#include <hip/hip_small_floats_omptarget.h>
#undef OMPTARGET_SMALL
#undef OMPTARGET_PAIR
#undef OMPTARGET_BOTH

typedef __half half;
typedef __half2 half2;

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

#undef OMPTARGET_HALF

#endif
#endif
