// What the device has besides mathematics: built-in variables, operations of waves, bits, clocks, output.
#ifndef OMPTARGET_HIP_DEVICE_FUNCTIONS_H
#define OMPTARGET_HIP_DEVICE_FUNCTIONS_H

extern "C" {
__device__ int printf(const char *, ...);
__device__ __attribute__((noreturn)) void __assertfail(const char *message, const char *file, unsigned line,
                                                       const char *function, size_t character);
// What the C library's assert calls. A failure is reported at the line of the assert.
__device__ static inline __attribute__((always_inline, nodebug, noreturn)) void
__assert_fail(const char *message, const char *file, unsigned line, const char *function) noexcept {
    __assertfail(message, file, line, function, 1);
}
}

// Built-in variables. The implicit arguments of a kernel have the grid: three counts of 32 bits, and the block's three
// sizes of 16 bits behind them (LLVM, "User Guide for AMDGPU Backend", code object V5).
#define OMPTARGET_BUILT_IN(type, get_x, get_y, get_z)                                                        \
    struct type {                                                                                            \
        __declspec(property(get = fetch_x)) unsigned int x;                                                  \
        __declspec(property(get = fetch_y)) unsigned int y;                                                  \
        __declspec(property(get = fetch_z)) unsigned int z;                                                  \
        static __device__ __forceinline__ unsigned int fetch_x() { return get_x; }                           \
        static __device__ __forceinline__ unsigned int fetch_y() { return get_y; }                           \
        static __device__ __forceinline__ unsigned int fetch_z() { return get_z; }                           \
        __device__ operator dim3() const { return dim3(get_x, get_y, get_z); }                               \
        __device__ operator uint3() const { return uint3{get_x, get_y, get_z}; }                             \
    }
#define OMPTARGET_IMPLICIT(type, offset)                                                                     \
    (*(const __attribute__((address_space(4))) type *)((const __attribute__((address_space(4))) char *)      \
                                                           __builtin_amdgcn_implicitarg_ptr() +              \
                                                       (offset)))
OMPTARGET_BUILT_IN(__omptarget_thread_idx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
                   __builtin_amdgcn_workitem_id_z());
OMPTARGET_BUILT_IN(__omptarget_block_idx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
                   __builtin_amdgcn_workgroup_id_z());
OMPTARGET_BUILT_IN(__omptarget_block_dim, OMPTARGET_IMPLICIT(unsigned short, 12),
                   OMPTARGET_IMPLICIT(unsigned short, 14), OMPTARGET_IMPLICIT(unsigned short, 16));
OMPTARGET_BUILT_IN(__omptarget_grid_dim, OMPTARGET_IMPLICIT(unsigned int, 0), OMPTARGET_IMPLICIT(unsigned int, 4),
                   OMPTARGET_IMPLICIT(unsigned int, 8));
#undef OMPTARGET_BUILT_IN
#undef OMPTARGET_IMPLICIT

extern const __device__ __attribute__((weak)) __omptarget_thread_idx threadIdx;
extern const __device__ __attribute__((weak)) __omptarget_block_idx blockIdx;
extern const __device__ __attribute__((weak)) __omptarget_block_dim blockDim;
extern const __device__ __attribute__((weak)) __omptarget_grid_dim gridDim;

// Lanes of a wave, which the architecture that is compiled for says.
struct __omptarget_warp_size {
    __host__ __device__ __forceinline__ operator int() const {
#ifdef __HIP_DEVICE_COMPILE__
        return __builtin_amdgcn_wavefrontsize();
#else
        return 64;
#endif
    }
};
static constexpr __omptarget_warp_size warpSize;

#ifdef __AMDGCN__
#define __HIP_DEVICE_COMPILE__ 1
#endif

// Barriers and fences.
static __device__ __forceinline__ void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
static __device__ __forceinline__ void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
static __device__ __forceinline__ void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
static __device__ __forceinline__ __attribute__((convergent)) void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Votes. A mask has a bit for each lane.
static __device__ __forceinline__ unsigned int __lane_id() {
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}
static __device__ __forceinline__ unsigned long long __ballot(int predicate) {
#if __AMDGCN_WAVEFRONT_SIZE == 32
    return __builtin_amdgcn_ballot_w32(predicate != 0);
#else
    return __builtin_amdgcn_ballot_w64(predicate != 0);
#endif
}
static __device__ __forceinline__ unsigned long long __activemask() { return __ballot(1); }
static __device__ __forceinline__ int __any(int predicate) { return __ballot(predicate) != 0; }
static __device__ __forceinline__ int __all(int predicate) { return __ballot(predicate) == __activemask(); }
static __device__ __forceinline__ unsigned long long __ballot_sync(unsigned long long mask, int predicate) {
    return __ballot(predicate) & mask;
}
static __device__ __forceinline__ int __any_sync(unsigned long long mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
static __device__ __forceinline__ int __all_sync(unsigned long long mask, int predicate) {
    return (__ballot(!predicate) & mask) == 0;
}

// How many threads of the block say so, and whether all or any do.
static __device__ __forceinline__ __attribute__((convergent)) int __syncthreads_count(int predicate) {
    static __shared__ int count;
    __syncthreads();
    count = 0;
    __syncthreads();
    if (predicate)
        __hip_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __syncthreads();
    return count;
}
static __device__ __forceinline__ __attribute__((convergent)) int __syncthreads_and(int predicate) {
    return __syncthreads_count(!predicate) == 0;
}
static __device__ __forceinline__ __attribute__((convergent)) int __syncthreads_or(int predicate) {
    return __syncthreads_count(predicate) != 0;
}

// Another lane's value, word by word.
template <typename T> static __device__ __forceinline__ T __omptarget_permute(int lane, T value) {
    constexpr unsigned words = (sizeof(T) + 3) / 4;
    int sent[words] = {}, received[words];
    __builtin_memcpy(sent, &value, sizeof(T));
#pragma unroll
    for (unsigned i = 0; i < words; i++)
        received[i] = __builtin_amdgcn_ds_bpermute(lane << 2, sent[i]);
    __builtin_memcpy(&value, received, sizeof(T));
    return value;
}
// Lanes are numbered in groups of `width`.
template <typename T> static __device__ __forceinline__ T __shfl(T value, int lane, int width = warpSize) {
    int self = __lane_id();
    return __omptarget_permute((lane & (width - 1)) + (self & ~(width - 1)), value);
}
template <typename T> static __device__ __forceinline__ T __shfl_up(T value, unsigned delta, int width = warpSize) {
    int self = __lane_id(), other = self - (int)delta;
    return __omptarget_permute(other < (self & ~(width - 1)) ? self : other, value);
}
template <typename T> static __device__ __forceinline__ T __shfl_down(T value, unsigned delta, int width = warpSize) {
    int self = __lane_id(), other = self + (int)delta;
    return __omptarget_permute((self & (width - 1)) + (int)delta >= width ? self : other, value);
}
template <typename T> static __device__ __forceinline__ T __shfl_xor(T value, int mask, int width = warpSize) {
    int self = __lane_id(), other = self ^ mask;
    return __omptarget_permute(other >= ((self + width) & ~(width - 1)) ? self : other, value);
}
template <typename T>
static __device__ __forceinline__ T __shfl_sync(unsigned long long, T value, int lane, int width = warpSize) {
    return __shfl(value, lane, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_up_sync(unsigned long long, T value, unsigned delta, int width = warpSize) {
    return __shfl_up(value, delta, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_down_sync(unsigned long long, T value, unsigned delta,
                                                     int width = warpSize) {
    return __shfl_down(value, delta, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_xor_sync(unsigned long long, T value, int mask, int width = warpSize) {
    return __shfl_xor(value, mask, width);
}
static __device__ __forceinline__ void __syncwarp(unsigned long long = ~0ull) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront");
    __builtin_amdgcn_wave_barrier();
}

// Bits.
static __device__ __forceinline__ unsigned int __popc(unsigned int bits) { return __builtin_popcount(bits); }
static __device__ __forceinline__ unsigned int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
static __device__ __forceinline__ int __clz(int bits) { return bits ? __builtin_clz(bits) : 32; }
static __device__ __forceinline__ int __clzll(long long bits) { return bits ? __builtin_clzll(bits) : 64; }
static __device__ __forceinline__ unsigned int __ffs(int bits) { return __builtin_ffs(bits); }
static __device__ __forceinline__ unsigned int __ffsll(long long bits) { return __builtin_ffsll(bits); }
static __device__ __forceinline__ unsigned int __brev(unsigned int bits) { return __builtin_bitreverse32(bits); }
static __device__ __forceinline__ unsigned long long __brevll(unsigned long long bits) {
    return __builtin_bitreverse64(bits);
}
static __device__ __forceinline__ int __mul24(int a, int b) { return a * b; }
static __device__ __forceinline__ unsigned int __umul24(unsigned int a, unsigned int b) { return a * b; }
static __device__ __forceinline__ int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
static __device__ __forceinline__ unsigned int __umulhi(unsigned int a, unsigned int b) {
    return (unsigned int)(((unsigned long long)a * b) >> 32);
}
static __device__ __forceinline__ int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
static __device__ __forceinline__ unsigned int __float_as_uint(float value) {
    return __builtin_bit_cast(unsigned int, value);
}
static __device__ __forceinline__ float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
static __device__ __forceinline__ float __uint_as_float(unsigned int bits) { return __builtin_bit_cast(float, bits); }
static __device__ __forceinline__ long long __double_as_longlong(double value) {
    return __builtin_bit_cast(long long, value);
}
static __device__ __forceinline__ double __longlong_as_double(long long bits) {
    return __builtin_bit_cast(double, bits);
}

static __device__ __forceinline__ unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
static __device__ __forceinline__ long long __mul64hi(long long a, long long b) {
    return (long long)(((__int128)a * b) >> 64);
}
static __device__ __forceinline__ int __double2hiint(double value) {
    return (int)(__builtin_bit_cast(unsigned long long, value) >> 32);
}
static __device__ __forceinline__ int __double2loint(double value) {
    return (int)__builtin_bit_cast(unsigned long long, value);
}
static __device__ __forceinline__ double __hiloint2double(int high, int low) {
    return __builtin_bit_cast(double, (unsigned long long)(unsigned int)high << 32 | (unsigned int)low);
}
static __device__ __forceinline__ unsigned int __byte_perm(unsigned int low, unsigned int high, unsigned int bytes) {
    unsigned long long both = (unsigned long long)high << 32 | low;
    unsigned int result = 0;
    for (int i = 0; i < 4; i++)
        result |= (unsigned int)(both >> (bytes >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return result;
}
static __device__ __forceinline__ unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int bits) {
    return (unsigned int)(((unsigned long long)high << 32 | low) << (bits & 31) >> 32);
}
static __device__ __forceinline__ unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int bits) {
    return (unsigned int)(((unsigned long long)high << 32 | low) >> (bits & 31));
}
template <typename T> static __device__ __forceinline__ T __ldcg(const T *address) { return *address; }
template <typename T> static __device__ __forceinline__ T __ldcs(const T *address) { return *address; }

// Conversions that say how they round: to the nearest, to zero, up or down.
#define OMPTARGET_CONVERSIONS(from, name, type)                                                              \
    static __device__ __forceinline__ type __##name##_rn(from value) { return (type)__builtin_rint(value); } \
    static __device__ __forceinline__ type __##name##_rz(from value) { return (type)value; }                 \
    static __device__ __forceinline__ type __##name##_ru(from value) { return (type)__builtin_ceil(value); } \
    static __device__ __forceinline__ type __##name##_rd(from value) { return (type)__builtin_floor(value); }
OMPTARGET_CONVERSIONS(float, float2int, int)
OMPTARGET_CONVERSIONS(float, float2uint, unsigned int)
OMPTARGET_CONVERSIONS(float, float2ll, long long)
OMPTARGET_CONVERSIONS(float, float2ull, unsigned long long)
OMPTARGET_CONVERSIONS(double, double2int, int)
OMPTARGET_CONVERSIONS(double, double2uint, unsigned int)
OMPTARGET_CONVERSIONS(double, double2ll, long long)
OMPTARGET_CONVERSIONS(double, double2ull, unsigned long long)
#undef OMPTARGET_CONVERSIONS
static __device__ __forceinline__ float __int2float_rn(int value) { return (float)value; }
static __device__ __forceinline__ float __uint2float_rn(unsigned int value) { return (float)value; }
static __device__ __forceinline__ float __ll2float_rn(long long value) { return (float)value; }
static __device__ __forceinline__ float __ull2float_rn(unsigned long long value) { return (float)value; }
static __device__ __forceinline__ double __int2double_rn(int value) { return value; }
static __device__ __forceinline__ double __uint2double_rn(unsigned int value) { return value; }
static __device__ __forceinline__ double __ll2double_rn(long long value) { return (double)value; }
static __device__ __forceinline__ double __ull2double_rn(unsigned long long value) { return (double)value; }
static __device__ __forceinline__ float __double2float_rn(double value) { return (float)value; }

// Clocks.
static __device__ __forceinline__ long long clock64() { return (long long)__builtin_readcyclecounter(); }
static __device__ __forceinline__ long long clock() { return clock64(); }
static __device__ __forceinline__ long long wall_clock64() { return (long long)__builtin_readsteadycounter(); }

template <typename T> static __device__ __forceinline__ T __ldg(const T *address) { return *address; }

#include "hip_atomic_functions_omptarget.h"

#endif
