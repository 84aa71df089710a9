// What kernels may do: built-in variables, shared memory, warps, atomics, mathematics. Compared with the host.
// Sources, and CMake's test of a compiler, ask by this whether they are CUDA.
#ifndef __CUDACC__
#error "__CUDACC__ is not defined"
#endif

#include <cmath>
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include "../expect.h"

// Runs statements, and expects success of each call.
#define CHECK(call) EXPECT(call, cudaSuccess)

// `count` elements of device memory, with the host's contents, and back.
template <typename T> T *to_device(const T *host, int count) {
    T *device;
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}
template <typename T> void to_host(T *host, T *device, int count) {
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
}

__global__ void dimensions(int *counts, dim3 grid, uint3 block) {
    dim3 whole = gridDim;
    uint3 here = threadIdx;
    unsigned at = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    at = ((at * blockDim.z + here.z) * blockDim.y + here.y) * blockDim.x + here.x;
    counts[at] += whole.x == grid.x && whole.y == grid.y && blockDim.z == block.z && warpSize == 32;
}

static void test_dimensions() {
    int counts[6 * 24] = {0}, *device = to_device(counts, 6 * 24);
    dimensions<<<dim3(3, 2), dim3(4, 3, 2)>>>(device, dim3(3, 2), make_uint3(4, 3, 2));
    to_host(counts, device, 6 * 24);
    for (int i = 0; i < 6 * 24; i++)
        EXPECT(counts[i], 1);
}

// Parameters of every size, a structure by value, a kernel without parameters.
struct Plane {
    float normal[3];
    double offset;
    char tag;
};
__device__ int touched;
__global__ void touch() { atomicAdd(&touched, 1); }
__global__ void parameters(double *out, char a, short b, Plane plane, float4 vector, bool flag, long c) {
    out[threadIdx.x] = a + 10 * b + plane.normal[1] + plane.offset + plane.tag + vector.w + flag + (double)c;
}

static void test_parameters() {
    double out[32] = {0}, *device = to_device(out, 32);
    Plane plane = {{1, 2, 3}, 0.5, 7};
    parameters<<<1, 32>>>(device, -1, 2, plane, make_float4(1, 2, 3, 4), true, 1L << 40);
    to_host(out, device, 32);
    for (int i = 0; i < 32; i++)
        EXPECT(out[i], -1 + 20 + 2 + 0.5 + 7 + 4 + 1 + (double)(1L << 40));
    touch<<<3, 33>>>();
    int count = 0;
    CHECK(cudaMemcpyFromSymbol(&count, touched, sizeof count));
    EXPECT(count, 99);
}

__constant__ int table[64];
extern __shared__ int dynamic[];
__global__ void reverse(int *data) {
    __shared__ int fixed[64];
    unsigned i = threadIdx.x, n = blockDim.x, at = blockIdx.x * n + i;
    dynamic[i] = data[at];
    fixed[n - 1 - i] = (int)i;
    __syncthreads();
    data[at] = dynamic[fixed[i]] + table[i];
}

static void test_shared_memory() {
    int data[256], numbers[64], back[64] = {0}, *device;
    for (int i = 0; i < 256; i++)
        data[i] = i;
    for (int i = 0; i < 64; i++)
        numbers[i] = 1000 * i;
    device = to_device(data, 256);
    CHECK(cudaMemcpyToSymbol(table, numbers, sizeof numbers));
    CHECK(cudaMemcpyFromSymbol(back, table, 8 * sizeof(int), 4 * sizeof(int)));
    EXPECT(memcmp(back, numbers + 4, 8 * sizeof(int)), 0);
    reverse<<<4, 64, 64 * sizeof(int)>>>(device);
    to_host(data, device, 256);
    for (int i = 0; i < 256; i++)
        EXPECT(data[i], i / 64 * 64 + 63 - i % 64 + 1000 * (i % 64));
    void *address;
    size_t bytes;
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes, sizeof table);
    CHECK(cudaMemcpy(back, address, sizeof back, cudaMemcpyDefault));
    EXPECT(memcmp(back, numbers, sizeof back), 0);
}

__global__ void warps(int *out, double *sums) {
    int lane = threadIdx.x;
    const unsigned all = 0xffffffff;
    int sum = lane;
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(all, sum, step);
    double total = lane + 0.5;
    for (int step = 16; step; step /= 2)
        total += __shfl_xor_sync(all, total, step);
    out[lane] = __shfl_sync(all, sum, 0);
    out[32 + lane] = __shfl_up_sync(all, lane, 3);
    out[64 + lane] = (int)__ballot_sync(all, lane % 3 == 0);
    out[96 + lane] = __any_sync(all, lane == 5) + 2 * __all_sync(all, lane < 31);
    out[128 + lane] = __popc(__match_any_sync(all, lane / 5));
    if (lane < 7)
        out[160 + lane] = (int)__activemask() + __popc(__ballot_sync(0x7f, lane & 1));
    __syncwarp();
    out[192 + lane] = __reduce_add_sync(all, lane) + __ffs(lane) + __clz(lane);
    out[224 + lane] = __syncthreads_count(lane > 20) + __syncthreads_or(lane == 40) + __syncthreads_and(lane < 32);
    sums[lane] = total;
}

static void test_warps() {
    int out[256] = {0}, *device = to_device(out, 256);
    double sums[32], *sums_device = to_device(sums, 32);
    warps<<<1, 32>>>(device, sums_device);
    to_host(out, device, 256);
    to_host(sums, sums_device, 32);
    unsigned thirds = 0;
    for (int i = 0; i < 32; i += 3)
        thirds |= 1u << i;
    for (int i = 0; i < 32; i++) {
        EXPECT(out[i], 496);
        EXPECT(out[32 + i], i < 3 ? i : i - 3);
        EXPECT(out[64 + i], (int)thirds);
        EXPECT(out[96 + i], 1);
        EXPECT(out[128 + i], i < 30 ? 5 : 2);
        EXPECT(out[160 + i], i < 7 ? 127 + 3 : 0);
        EXPECT(out[192 + i], 496 + __builtin_ffs(i) + (i ? __builtin_clz(i) : 32));
        EXPECT(out[224 + i], 11 + 0 + 1);
        EXPECT(sums[i], 512);
    }
}

struct Atomics {
    int sum, least, most, bits, swapped, wrapped;
    unsigned counted;
    unsigned long long wide;
    float floats;
    double doubles;
    int scoped;
    double largest;
};

__global__ void atomics(Atomics *results) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&results->sum, i);
    atomicMin(&results->least, 100 - i);
    atomicMax(&results->most, i * 2);
    atomicOr(&results->bits, 1 << (i % 20));
    atomicInc(&results->counted, 99);
    atomicAdd(&results->wide, 1ull << 33);
    atomicAdd(&results->floats, 0.5f);
    atomicAdd(&results->doubles, 0.25);
    atomicSub(&results->wrapped, 2);
    int seen = results->swapped, expected;
    do {
        expected = seen;
        seen = atomicCAS(&results->swapped, expected, expected + 3);
    } while (seen != expected);
    __shared__ int of_block;
    if (threadIdx.x == 0)
        atomicExch(&of_block, 0);
    __syncthreads();
    atomicAdd_block(&of_block, 1);
    __syncthreads();
    if (of_block != (int)blockDim.x)
        atomicAdd(&results->sum, 1000000);
    __nv_atomic_fetch_add(&results->scoped, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
    double large = __nv_atomic_load_n(&results->largest, __NV_ATOMIC_ACQUIRE);
    while (large < i && !__nv_atomic_compare_exchange_n(&results->largest, &large, i, false, __NV_ATOMIC_RELAXED,
                                                        __NV_ATOMIC_RELAXED)) {
    }
}

const int SIMD_RESULTS = 9;

__global__ void simd(unsigned x, unsigned y, unsigned *to) {
    to[0] = __vmaxs4(x, y);
    to[1] = __vminu2(x, y);
    to[2] = __vabsdiffu4(x, y);
    to[3] = __vaddss4(x, y);
    to[4] = __vsubus2(x, y);
    to[5] = __vavgu4(x, y);
    to[6] = __vcmpgts4(x, y);
    to[7] = __vsadu4(x, y);
    to[8] = isnan(nan(""));
}

static void test_simd() {
    unsigned results[SIMD_RESULTS] = {};
    unsigned *device = to_device(results, SIMD_RESULTS);
    simd<<<1, 1>>>(0x80017f05, 0xff0201fa, device);
    to_host(results, device, SIMD_RESULTS);
    const unsigned expected[SIMD_RESULTS] = {0xff027f05, 0x800101fa, 0x7f017ef5, 0x80037fff, 0x00007d0b,
                                             0xc0024080, 0x0000ffff, 0x7f + 0x01 + 0x7e + 0xf5, 1};
    for (int i = 0; i < SIMD_RESULTS; i++)
        EXPECT(results[i], expected[i]);
}

// A parameter with the alignment of a vector.
struct alignas(64) Aligned {
    double values[8];
};

__global__ void aligned_parameter(int before, Aligned moved, double *to) {
    Aligned copy = moved;
    for (int i = 0; i < 8; i++)
        to[i] = copy.values[i] + before;
}

static void test_aligned_parameter() {
    Aligned given = {{1, 2, 3, 4, 5, 6, 7, 8}};
    double results[8] = {};
    double *device = to_device(results, 8);
    aligned_parameter<<<1, 1>>>(10, given, device);
    to_host(results, device, 8);
    for (int i = 0; i < 8; i++)
        EXPECT(results[i], i + 11);
}

// Programs older than __syncwarp rely on the lanes of a warp in lockstep.
__global__ void exchanged_in_lockstep(int *to) {
    __shared__ int values[64];
    int here = threadIdx.y * blockDim.x + threadIdx.x;
    values[here] = here * 3;
    to[here] = values[here ^ 31];
}

// All lanes load what they move before one stores it, also where it is a structure.
__global__ void moved_in_lockstep(float3 *points, const int *places) {
    __shared__ float3 here[32];
    here[threadIdx.x] = points[threadIdx.x];
    here[places[threadIdx.x]] = here[threadIdx.x];
    points[threadIdx.x] = here[threadIdx.x];
}

static void test_lockstep() {
    float3 points[32];
    int places[32];
    for (int i = 0; i < 32; i++) {
        points[i] = make_float3(i, i * 2, i * 3);
        places[i] = (i * 7 + 3) % 32;
    }
    float3 *device_points = to_device(points, 32);
    moved_in_lockstep<<<1, 32>>>(device_points, to_device(places, 32));
    to_host(points, device_points, 32);
    for (int i = 0; i < 32; i++)
        EXPECT(points[places[i]].y + points[places[i]].z, i * 5);
    int results[64] = {};
    int *device = to_device(results, 64);
    exchanged_in_lockstep<<<1, dim3(32, 2)>>>(device);
    to_host(results, device, 64);
    for (int i = 0; i < 64; i++)
        EXPECT(results[i], (i ^ 31) * 3);
}

static void test_atomics() {
    Atomics results = {};
    Atomics *device = to_device(&results, 1);
    atomics<<<4, 64>>>(device);
    to_host(&results, device, 1);
    EXPECT(results.sum, 255 * 128);
    EXPECT(results.least, 100 - 255);
    EXPECT(results.most, 510);
    EXPECT(results.bits, (1 << 20) - 1);
    EXPECT(results.counted, 256 % 100);
    EXPECT(results.wide, (double)(256ull << 33));
    EXPECT(results.floats, 128);
    EXPECT(results.doubles, 64);
    EXPECT(results.wrapped, -512);
    EXPECT(results.swapped, 768);
    EXPECT(results.scoped, 512);
    EXPECT(results.largest, 255);
}

// Functions whose results are exact, or are compared with a tolerance.
__global__ void mathematics(double *out) {
    double x = 0.25 * (threadIdx.x + 1);
    float f = (float)x;
    double values[] = {sqrt(x), floor(x), fabs(-x), fma(x, x, 1.0), (double)max((int)x, 3), (double)min(f, 2.0f),
                       sin(x), exp(-x), log(x), pow(x, 1.5), (double)sinf(f), (double)expf(-f),
                       (double)rsqrtf(f), std::sqrt(x), (double)std::cos(f), (double)__fdividef(f, 2.0f),
                       (double)__float2int_rn(f), (double)__popc(threadIdx.x), (double)__brev(threadIdx.x),
                       atan2(x, 2.0)};
    for (int i = 0; i < 20; i++)
        out[threadIdx.x * 20 + i] = values[i];
}

static void test_mathematics() {
    static double out[32 * 20];
    double *device = to_device(out, 32 * 20);
    mathematics<<<1, 32>>>(device);
    to_host(out, device, 32 * 20);
    for (int i = 0; i < 32; i++) {
        double x = 0.25 * (i + 1);
        float f = (float)x;
        double values[] = {sqrt(x), floor(x), fabs(-x), fma(x, x, 1.0), (double)max((int)x, 3), (double)min(f, 2.0f),
                           sin(x), exp(-x), log(x), pow(x, 1.5), (double)sinf(f), (double)expf(-f),
                           (double)rsqrtf(f), std::sqrt(x), (double)std::cos(f), f / 2.0, rint(x),
                           (double)__builtin_popcount(i), (double)__builtin_bitreverse32(i), atan2(x, 2.0)};
        for (int j = 0; j < 20; j++) {
            double difference = fabs(out[i * 20 + j] - values[j]);
            EXPECT(difference <= 2e-6 * fabs(values[j]), 1);
        }
    }
}

// Integers that become floating-point numbers, rounded down, up, and towards zero.
__global__ void roundings(const long *in, float *singles, double *doubles) {
    int i = threadIdx.x;
    long x = in[i];
    unsigned long u = x;
    float single[] = {__ll2float_rd(x),  __ll2float_ru(x),       __ll2float_rz(x),       __ull2float_rd(u),
                      __ull2float_ru(u), __ull2float_rz(u),      __int2float_rd((int)x), __int2float_ru((int)x),
                      __int2float_rz((int)x), __uint2float_rd((unsigned)x), __uint2float_ru((unsigned)x),
                      __uint2float_rz((unsigned)x)};
    double twice[] = {__ll2double_rd(x),  __ll2double_ru(x),  __ll2double_rz(x),
                      __ull2double_rd(u), __ull2double_ru(u), __ull2double_rz(u)};
    memcpy(singles + 12 * i, single, sizeof single);
    memcpy(doubles + 6 * i, twice, sizeof twice);
}
// Whether three results are the neighbours of an exact number.
template <typename F> static bool are_rounded(const F *results, long double exact) {
    F near = (F)exact, below = near, above = near;
    if ((long double)near > exact)
        below = std::nextafter(near, (F)-INFINITY);
    if ((long double)near < exact)
        above = std::nextafter(near, (F)INFINITY);
    return results[0] == below && results[1] == above && results[2] == (exact < 0 ? above : below);
}
static void test_roundings() {
    const long in[8] = {0, -1, 0x1000001, -0x1000001, 0x7fffffffffffffff, (long)0x8000000000000001, 0x7fffffff,
                        0x20000000000001};
    static float singles[8 * 12];
    static double doubles[8 * 6];
    long *numbers = to_device(in, 8);
    float *device_singles = to_device(singles, 8 * 12);
    double *device_doubles = to_device(doubles, 8 * 6);
    roundings<<<1, 8>>>(numbers, device_singles, device_doubles);
    to_host(singles, device_singles, 8 * 12);
    to_host(doubles, device_doubles, 8 * 6);
    CHECK(cudaFree(numbers));
    for (int i = 0; i < 8; i++) {
        const float *single = singles + 12 * i;
        EXPECT(are_rounded(single, in[i]), true);
        EXPECT(are_rounded(single + 3, (unsigned long)in[i]), true);
        EXPECT(are_rounded(single + 6, (int)in[i]), true);
        EXPECT(are_rounded(single + 9, (unsigned)in[i]), true);
        EXPECT(are_rounded(doubles + 6 * i, in[i]), true);
        EXPECT(are_rounded(doubles + 6 * i + 3, (unsigned long)in[i]), true);
    }
}

// Templates, lambdas' like, launch bounds, memory of the device's heap.
template <typename T, int factor> struct Scale {
    __host__ __device__ T operator()(T x) const { return x * factor; }
};
template <typename T, typename F> __global__ void __launch_bounds__(128) apply(T *data, int n, F function) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T *copy = (T *)malloc(sizeof(T));
    *copy = function(data[i]);
    data[i] = *copy;
    free(copy);
}

static void test_templates() {
    double data[100], *device;
    for (int i = 0; i < 100; i++)
        data[i] = i;
    device = to_device(data, 100);
    apply<<<2, 64>>>(device, 100, Scale<double, 3>());
    to_host(data, device, 100);
    for (int i = 0; i < 100; i++)
        EXPECT(data[i], (Scale<double, 3>()(i)));
}

// Assembly of several statements: a scan as in CUDA's libraries, 64 bits in halves, a loop.
__global__ void assembly(int *sums, unsigned long *swapped, int *steps) {
    int lane = threadIdx.x, sum = lane;
    for (int distance = 1; distance < 32; distance *= 2)
        asm("{ .reg .s32 other; .reg .pred p; shfl.sync.up.b32 other|p, %0, %1, 0, -1; @p add.s32 %0, %0, other; }"
            : "+r"(sum)
            : "r"(distance));
    sums[lane] = sum;
    asm("{ .reg .b32 low, high; mov.b64 {low, high}, %1; mov.b64 %0, {high, low}; }"
        : "=l"(swapped[lane])
        : "l"((unsigned long)lane));
    asm volatile("{ .reg .pred p; mov.u32 %0, 0; again: add.u32 %0, %0, 7; setp.le.u32 p, %0, %1; @p bra again; }"
                 : "=&r"(steps[lane])
                 : "r"(lane));
}

// The kernel comes before the host's use, so that clang has not given the variable its other name yet.
static __constant__ int primes[4];
__global__ void look_up(int *out) { out[threadIdx.x] = primes[threadIdx.x]; }

static void test_assembly() {
    int sums[32], steps[32], numbers[4] = {2, 3, 5, 7};
    unsigned long swapped[32];
    int *device_sums = to_device(sums, 32), *device_steps = to_device(steps, 32);
    unsigned long *device_swapped = to_device(swapped, 32);
    assembly<<<1, 32>>>(device_sums, device_swapped, device_steps);
    to_host(sums, device_sums, 32);
    to_host(swapped, device_swapped, 32);
    to_host(steps, device_steps, 32);
    for (int i = 0; i < 32; i++) {
        EXPECT(sums[i], i * (i + 1) / 2);
        EXPECT(swapped[i], (double)((unsigned long)i << 32));
        EXPECT(steps[i], i / 7 * 7 + 7);
    }
    CHECK(cudaMemcpyToSymbol(primes, numbers, sizeof numbers));
    int *found = to_device(sums, 4);
    void *arguments[] = {&found};
    int cooperative = 0;
    CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
    if (!cooperative) {
        EXPECT(cudaLaunchCooperativeKernel(look_up, dim3(1), dim3(4), arguments), cudaErrorNotSupported);
        (void)cudaGetLastError();
        return;
    }
    CHECK(cudaLaunchCooperativeKernel(look_up, dim3(1), dim3(4), arguments));
    to_host(sums, found, 4);
    for (int i = 0; i < 4; i++)
        EXPECT(sums[i], numbers[i]);
    EXPECT(cudaLaunchCooperativeKernel(look_up, dim3(1 << 20), dim3(4), arguments), cudaErrorCooperativeLaunchTooLarge);
    (void)cudaGetLastError();
}

__global__ void print(int number) { printf("thread %d prints %d and %s\n", threadIdx.x, number, "text"); }

// LLVM makes a call of `strlen` of this loop.
__device__ static int length_of(const char *text) {
    int length = 0;
    while (*text != 0) {
        ++length;
        ++text;
    }
    return length;
}
__global__ void length(const char *text, int size, int *to) {
    __shared__ char copy[64];
    if (threadIdx.x == 0)
        for (int i = 0; i < size; i++)
            copy[i] = text[i];
    __syncthreads();
    int length = length_of(copy);
    if (threadIdx.x == 0)
        *to = length;
}

static void test_length() {
    const char text[] = "LLVM knows this loop";
    int result = 0, *device = to_device(&result, 1);
    char *copy = to_device(text, sizeof text);
    length<<<1, 32>>>(copy, sizeof text, device);
    to_host(&result, device, 1);
    EXPECT(result, (int)strlen(text));
    CHECK(cudaFree(copy));
}

int main() {
    test_dimensions();
    test_parameters();
    test_shared_memory();
    test_warps();
    test_atomics();
    test_lockstep();
    test_simd();
    test_aligned_parameter();
    test_length();
    test_mathematics();
    test_roundings();
    test_templates();
    test_assembly();
    print<<<1, 1>>>(42);
    CHECK(cudaDeviceSynchronize());
    puts(failed ? "FAIL" : "PASS");
    return failed != 0;
}
