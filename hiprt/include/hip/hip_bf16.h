// Floating-point numbers of 16 bits with the exponent of `float`: HIP's types `__hip_bfloat16` and `__hip_bfloat162`,
// arithmetic, comparisons, conversions and functions, for the host and for kernels. They are computed in single
// precision and rounded to nearest.
#ifndef OMPTARGET_HIP_BF16_H
#define OMPTARGET_HIP_BF16_H

#include <hip/hip_runtime.h>

#ifdef __cplusplus

#define OMPTARGET_BFLOAT static inline __host__ __device__

// The upper half of a `float`'s bits, rounded to the nearest, to even ones between two. NaN stays NaN.
OMPTARGET_BFLOAT unsigned short omptarget_bfloat_bits(float value) {
    unsigned bits = __builtin_bit_cast(unsigned, value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (unsigned short)(bits >> 16 | 0x40);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

struct __hip_bfloat16_raw {
    unsigned short x;
};

struct __hip_bfloat162_raw {
    unsigned short x, y;
};

struct __hip_bfloat16 {
    unsigned short data;

    __hip_bfloat16() = default;
    __host__ __device__ __hip_bfloat16(float value) : data(omptarget_bfloat_bits(value)) {}
    __host__ __device__ __hip_bfloat16(double value) : __hip_bfloat16((float)value) {}
    __host__ __device__ __hip_bfloat16(int value) : __hip_bfloat16((float)value) {}
    __host__ __device__ __hip_bfloat16(unsigned value) : __hip_bfloat16((float)value) {}
    __host__ __device__ __hip_bfloat16(long value) : __hip_bfloat16((float)value) {}
    __host__ __device__ __hip_bfloat16(unsigned long value) : __hip_bfloat16((float)value) {}
    __host__ __device__ __hip_bfloat16(long long value) : __hip_bfloat16((float)value) {}
    __host__ __device__ __hip_bfloat16(unsigned long long value) : __hip_bfloat16((float)value) {}
    __host__ __device__ __hip_bfloat16(__hip_bfloat16_raw raw) : data(raw.x) {}

    __host__ __device__ float omptarget_number() const { return __builtin_bit_cast(float, (unsigned)data << 16); }
    __host__ __device__ operator float() const { return omptarget_number(); }
    __host__ __device__ operator __hip_bfloat16_raw() const {
        __hip_bfloat16_raw raw;
        raw.x = data;
        return raw;
    }
    __host__ __device__ explicit operator bool() const { return (data & 0x7fff) != 0; }
    __host__ __device__ explicit operator double() const { return omptarget_number(); }
    __host__ __device__ explicit operator int() const { return (int)omptarget_number(); }
    __host__ __device__ explicit operator unsigned() const { return (unsigned)omptarget_number(); }
    __host__ __device__ explicit operator long long() const { return (long long)omptarget_number(); }
    __host__ __device__ explicit operator unsigned long long() const { return (unsigned long long)omptarget_number(); }

    __host__ __device__ __hip_bfloat16 &operator+=(const __hip_bfloat16 &other) { return *this = plus(other); }
    __host__ __device__ __hip_bfloat16 &operator-=(const __hip_bfloat16 &other) { return *this = plus(-other); }
    __host__ __device__ __hip_bfloat16 &operator*=(const __hip_bfloat16 &other) {
        return *this = __hip_bfloat16(omptarget_number() * other.omptarget_number());
    }
    __host__ __device__ __hip_bfloat16 &operator/=(const __hip_bfloat16 &other) {
        return *this = __hip_bfloat16(omptarget_number() / other.omptarget_number());
    }
    __host__ __device__ __hip_bfloat16 &operator++() { return *this = __hip_bfloat16(omptarget_number() + 1); }
    __host__ __device__ __hip_bfloat16 &operator--() { return *this = __hip_bfloat16(omptarget_number() - 1); }
    __host__ __device__ __hip_bfloat16 operator+() const { return *this; }
    __host__ __device__ __hip_bfloat16 operator-() const {
        __hip_bfloat16 other = *this;
        other.data ^= 0x8000;
        return other;
    }

  private:
    __host__ __device__ __hip_bfloat16 plus(const __hip_bfloat16 &other) const {
        return __hip_bfloat16(omptarget_number() + other.omptarget_number());
    }
};

#define OMPTARGET_SMALL __hip_bfloat16
#define OMPTARGET_PAIR __hip_bfloat162
#define OMPTARGET_BOTH OMPTARGET_BFLOAT
#include <hip/hip_small_floats_omptarget.h>
#undef OMPTARGET_SMALL
#undef OMPTARGET_PAIR
#undef OMPTARGET_BOTH

// Bits.
OMPTARGET_BFLOAT unsigned short __bfloat16_as_ushort(__hip_bfloat16 value) { return value.data; }
OMPTARGET_BFLOAT short __bfloat16_as_short(__hip_bfloat16 value) { return (short)value.data; }
OMPTARGET_BFLOAT __hip_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
    __hip_bfloat16_raw raw;
    raw.x = bits;
    return __hip_bfloat16(raw);
}
OMPTARGET_BFLOAT __hip_bfloat16 __short_as_bfloat16(short bits) { return __ushort_as_bfloat16((unsigned short)bits); }

// Conversions.
OMPTARGET_BFLOAT __hip_bfloat16 __float2bfloat16(float value) { return __hip_bfloat16(value); }
OMPTARGET_BFLOAT __hip_bfloat16 __float2bfloat16_rn(float value) { return __hip_bfloat16(value); }
OMPTARGET_BFLOAT __hip_bfloat16 __float2bfloat16_rz(float value) {
    unsigned bits = __builtin_bit_cast(unsigned, value);
    return value == value ? __ushort_as_bfloat16((unsigned short)(bits >> 16)) : __hip_bfloat16(value);
}
OMPTARGET_BFLOAT __hip_bfloat16 __double2bfloat16(double value) { return __hip_bfloat16(value); }
OMPTARGET_BFLOAT __hip_bfloat16 __int2bfloat16_rn(int value) { return __hip_bfloat16(value); }
OMPTARGET_BFLOAT float __bfloat162float(__hip_bfloat16 value) { return (float)value; }
OMPTARGET_BFLOAT int __bfloat162int_rz(__hip_bfloat16 value) { return (int)(float)value; }
OMPTARGET_BFLOAT int __bfloat162int_rn(__hip_bfloat16 value) { return (int)__builtin_rintf((float)value); }

// Pairs.
OMPTARGET_BFLOAT __hip_bfloat162 make_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) { return __hip_bfloat162(x, y); }
OMPTARGET_BFLOAT __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 low, __hip_bfloat16 high) {
    return __hip_bfloat162(low, high);
}
OMPTARGET_BFLOAT __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 value) { return __hip_bfloat162(value, value); }
OMPTARGET_BFLOAT __hip_bfloat162 __floats2bfloat162_rn(float low, float high) {
    return __hip_bfloat162(__hip_bfloat16(low), __hip_bfloat16(high));
}
OMPTARGET_BFLOAT __hip_bfloat162 __float2bfloat162_rn(float value) { return __floats2bfloat162_rn(value, value); }
OMPTARGET_BFLOAT __hip_bfloat162 __float22bfloat162_rn(float2 value) {
    return __floats2bfloat162_rn(value.x, value.y);
}
OMPTARGET_BFLOAT float2 __bfloat1622float2(__hip_bfloat162 pair) { return make_float2((float)pair.x, (float)pair.y); }
OMPTARGET_BFLOAT __hip_bfloat16 __low2bfloat16(__hip_bfloat162 pair) { return pair.x; }
OMPTARGET_BFLOAT __hip_bfloat16 __high2bfloat16(__hip_bfloat162 pair) { return pair.y; }
OMPTARGET_BFLOAT float __low2float(__hip_bfloat162 pair) { return (float)pair.x; }
OMPTARGET_BFLOAT float __high2float(__hip_bfloat162 pair) { return (float)pair.y; }
OMPTARGET_BFLOAT __hip_bfloat162 __low2bfloat162(__hip_bfloat162 pair) { return __hip_bfloat162(pair.x, pair.x); }
OMPTARGET_BFLOAT __hip_bfloat162 __high2bfloat162(__hip_bfloat162 pair) { return __hip_bfloat162(pair.y, pair.y); }
OMPTARGET_BFLOAT __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 pair) { return __hip_bfloat162(pair.y, pair.x); }
OMPTARGET_BFLOAT __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) {
    return __hip_bfloat162(a.x, b.x);
}
OMPTARGET_BFLOAT __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) {
    return __hip_bfloat162(a.y, b.y);
}

#undef OMPTARGET_BFLOAT

#endif
#endif
