// Half precision in kernels, against the host's results of the same header.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <math.h>
#include <stdio.h>

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            printf("line %d: %s\n", __LINE__, #condition);                                                            \
            return 1;                                                                                                 \
        }                                                                                                             \
    } while (0)

enum { N = 256, RESULTS = 20 };

__host__ __device__ void compute(__half a, __half b, float f, unsigned short *results) {
    __half2 p = __halves2half2(a, b), q = __floats2half2_rn(f, -f);
    __half2 sums = __hfma2(p, q, __half2half2(b)), quotients = p / q;
    const __half all[RESULTS] = {a + b, a - b, a * b, a / b, -a, __habs(b), __hfma(a, b, a), __hmax(a, b), __hmin(a, b),
                                 __float2half_ru(f), __float2half_rd(f), __float2half_rz(f), __float2half(f),
                                 __int2half_rn(__half2int_rd(b)), sums.x, sums.y, __high2half(quotients),
                                 __half((int)(a < b)), __hadd_sat(a, b), hfloor(b)};
    for (int i = 0; i < RESULTS; i++)
        results[i] = __half_as_ushort(all[i]);
}

__global__ void on_device(const float *numbers, unsigned short *results, float *sums, float *roots) {
    int i = threadIdx.x;
    __half a(numbers[i]), b(numbers[i + 1]);
    compute(a, b, numbers[i + 2], results + i * RESULTS);
    __half2 pair = __half2(a, b);
    for (int distance = warpSize / 2; distance > 0; distance /= 2)
        pair += __shfl_down(pair, distance);
    if (i % warpSize == 0)
        sums[i / warpSize] = __low2float(pair);
    roots[i] = __half2float(hsqrt(__habs(a)) + hexp(b / __half(64)));
}

int main() {
    float *numbers, *sums, *roots;
    unsigned short *results;
    CHECK(hipMallocManaged(&numbers, (N + 2) * sizeof(float)) == hipSuccess);
    CHECK(hipMallocManaged(&sums, N * sizeof(float)) == hipSuccess);
    CHECK(hipMallocManaged(&roots, N * sizeof(float)) == hipSuccess);
    CHECK(hipMallocManaged(&results, N * RESULTS * sizeof(unsigned short)) == hipSuccess);
    for (int i = 0; i < N + 2; i++)
        numbers[i] = (i * 37 % 101 - 50) * 0.37f + 0.001f * i;
    on_device<<<1, N>>>(numbers, results, sums, roots);
    CHECK(hipDeviceSynchronize() == hipSuccess);
    for (int i = 0; i < N; i++) {
        unsigned short expected[RESULTS];
        compute(__half(numbers[i]), __half(numbers[i + 1]), numbers[i + 2], expected);
        for (int j = 0; j < RESULTS; j++)
            CHECK(results[i * RESULTS + j] == expected[j]);
        float root = sqrtf(fabsf(numbers[i])) + expf(numbers[i + 1] / 64);
        CHECK(fabsf(roots[i] - root) < 0.02f);
    }
    float sum = 0;
    int lanes;
    CHECK(hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0) == hipSuccess);
    for (int i = 0; i < lanes; i++)
        sum += __half2float(__half(numbers[i]));
    CHECK(fabsf(sums[0] - sum) < 0.5f);

    // What is known of some numbers.
    CHECK(__half_as_ushort(__float2half(1.0f)) == 0x3c00 && __half_as_ushort(__float2half(65520.0f)) == 0x7c00);
    CHECK(__half_as_ushort(__float2half_rd(65520.0f)) == 0x7bff && __half_as_ushort(__float2half_ru(1e-9f)) == 1);
    CHECK(__half_as_ushort(__float2half_rz(-1e-9f)) == 0x8000 && __half_as_ushort(__float2half_rd(-1e-9f)) == 0x8001);
    CHECK(__hisinf(__ushort_as_half(0xfc00)) == -1 && __hisnan(__ushort_as_half(0x7e00)));
    CHECK(__half2int_rn(__half(2.5f)) == 2 && __half2int_ru(__half(2.5f)) == 3 && (int)__half(-2.5f) == -2);
    CHECK(__hbeq2(__half2(1, 2), __half2(1, 2)) && !__hblt2(__half2(1, 2), __half2(2, 2)));
    puts("PASS");
}
