// HIP's older type for the upper half of a `float`: `hip_bfloat16`. `hip_bf16.h` has the newer one, of which this is a
// front.
#ifndef OMPTARGET_HIP_BFLOAT16_H
#define OMPTARGET_HIP_BFLOAT16_H

#include <hip/hip_bf16.h>

#ifdef __cplusplus

struct hip_bfloat16 {
    unsigned short data;

    enum truncate_t { truncate };

    hip_bfloat16() = default;
    explicit __host__ __device__ hip_bfloat16(float value) : data(omptarget_bfloat_bits(value)) {}
    explicit __host__ __device__ hip_bfloat16(float value, truncate_t) : data(__float2bfloat16_rz(value).data) {}

    static __host__ __device__ hip_bfloat16 round_to_bfloat16(float value) { return hip_bfloat16(value); }
    static __host__ __device__ hip_bfloat16 round_to_bfloat16(float value, truncate_t) {
        return hip_bfloat16(value, truncate);
    }

    __host__ __device__ operator float() const { return __builtin_bit_cast(float, (unsigned)data << 16); }
    explicit __host__ __device__ operator bool() const { return (data & 0x7fff) != 0; }
    __host__ __device__ hip_bfloat16 &operator=(float value) { return *this = hip_bfloat16(value); }
    hip_bfloat16(const hip_bfloat16 &) = default;
    hip_bfloat16 &operator=(const hip_bfloat16 &) = default;
};

#define OMPTARGET_BFLOAT static inline __host__ __device__
#define OMPTARGET_BFLOAT_OPERATOR(symbol)                                                                             \
    OMPTARGET_BFLOAT hip_bfloat16 operator symbol(hip_bfloat16 a, hip_bfloat16 b) {                                   \
        return hip_bfloat16((float)a symbol (float)b);                                                                \
    }                                                                                                                 \
    OMPTARGET_BFLOAT hip_bfloat16 &operator symbol##=(hip_bfloat16 &a, hip_bfloat16 b) { return a = a symbol b; }
OMPTARGET_BFLOAT_OPERATOR(+)
OMPTARGET_BFLOAT_OPERATOR(-)
OMPTARGET_BFLOAT_OPERATOR(*)
OMPTARGET_BFLOAT_OPERATOR(/)
#undef OMPTARGET_BFLOAT_OPERATOR
OMPTARGET_BFLOAT hip_bfloat16 operator+(hip_bfloat16 a) { return a; }
OMPTARGET_BFLOAT hip_bfloat16 operator-(hip_bfloat16 a) { return hip_bfloat16(-(float)a); }

#define OMPTARGET_BFLOAT_COMPARISON(symbol)                                                                           \
    OMPTARGET_BFLOAT bool operator symbol(hip_bfloat16 a, hip_bfloat16 b) { return (float)a symbol (float)b; }
OMPTARGET_BFLOAT_COMPARISON(==)
OMPTARGET_BFLOAT_COMPARISON(!=)
OMPTARGET_BFLOAT_COMPARISON(<)
OMPTARGET_BFLOAT_COMPARISON(<=)
OMPTARGET_BFLOAT_COMPARISON(>)
OMPTARGET_BFLOAT_COMPARISON(>=)
#undef OMPTARGET_BFLOAT_COMPARISON
#undef OMPTARGET_BFLOAT

#endif
#endif
