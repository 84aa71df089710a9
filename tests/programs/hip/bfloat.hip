// Numbers of 16 bits with the exponent of `float` in kernels, against the host's results of the same header.
#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
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

enum { N = 256, RESULTS = 14 };

__host__ __device__ void compute(__hip_bfloat16 a, __hip_bfloat16 b, float f, unsigned short *results) {
    __hip_bfloat162 p = __halves2bfloat162(a, b), q = __floats2bfloat162_rn(f, -f);
    __hip_bfloat162 sums = __hfma2(p, q, __bfloat162bfloat162(b)), products = p * q;
    hip_bfloat16 older = hip_bfloat16(f) * hip_bfloat16((float)b);
    const __hip_bfloat16 all[RESULTS] = {a + b, a - b, a * b, a / b, -a, __habs(b), __hfma(a, b, a), __hmax(a, b),
                                         __float2bfloat16_rz(f), __float2bfloat16(f), sums.x, __high2bfloat16(products),
                                         __hip_bfloat16((int)(a < b)), hfloor(b)};
    for (int i = 0; i < RESULTS; i++)
        results[i] = __bfloat16_as_ushort(all[i]);
    results[0] ^= older.data;
}

// Sums of small whole numbers are exact.
__global__ void add(__hip_bfloat162 *sum, __half2 *half_sum) {
    unsafeAtomicAdd(sum, __hip_bfloat162(1.0f, threadIdx.x % 2));
    unsafeAtomicAdd(half_sum, __half2(1.0f, threadIdx.x % 2));
}

__global__ void on_device(const float *numbers, unsigned short *results, float *sums) {
    int i = threadIdx.x;
    __hip_bfloat16 a(numbers[i]), b(numbers[i + 1]);
    compute(a, b, numbers[i + 2], results + i * RESULTS);
    __hip_bfloat162 pair(a, b);
    for (int distance = warpSize / 2; distance > 0; distance /= 2)
        pair += __shfl_down(pair, distance);
    if (i % warpSize == 0)
        sums[i / warpSize] = __low2float(pair);
}

int main() {
    float *numbers, *sums;
    unsigned short *results;
    CHECK(hipMallocManaged(&numbers, (N + 2) * sizeof(float)) == hipSuccess);
    CHECK(hipMallocManaged(&sums, N * sizeof(float)) == hipSuccess);
    CHECK(hipMallocManaged(&results, N * RESULTS * sizeof(unsigned short)) == hipSuccess);
    float sum = 0;
    int lanes;
    CHECK(hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0) == hipSuccess);
    for (int i = 0; i < N + 2; i++) {
        numbers[i] = (i * 37 % 101 - 40) * 0.37f + 0.001f * i;
        sum += i < lanes ? numbers[i] : 0;
    }
    on_device<<<1, N>>>(numbers, results, sums);
    CHECK(hipDeviceSynchronize() == hipSuccess);
    for (int i = 0; i < N; i++) {
        unsigned short expected[RESULTS];
        compute(__hip_bfloat16(numbers[i]), __hip_bfloat16(numbers[i + 1]), numbers[i + 2], expected);
        for (int j = 0; j < RESULTS; j++)
            CHECK(results[i * RESULTS + j] == expected[j]);
    }
    // Sums of many terms are rounded to 8 bits each time.
    CHECK(fabsf(sums[0] - sum) < 8);

    __hip_bfloat162 *pair = (__hip_bfloat162 *)sums;
    __half2 *half_pair = (__half2 *)(sums + 1);
    sums[0] = sums[1] = 0;
    add<<<1, 200>>>(pair, half_pair);
    CHECK(hipDeviceSynchronize() == hipSuccess);
    CHECK((float)pair->x == 200 && (float)pair->y == 100);
    CHECK((float)half_pair->x == 200 && (float)half_pair->y == 100);

    // What is known of some numbers.
    CHECK(__bfloat16_as_ushort(__float2bfloat16(1.0f)) == 0x3f80 && (float)__ushort_as_bfloat16(0xc040) == -3.0f);
    CHECK(__bfloat16_as_ushort(__hip_bfloat16(1.00390625f)) == 0x3f80); // Between two, to the even one.
    CHECK(__bfloat16_as_ushort(__hip_bfloat16(1.01171875f)) == 0x3f82);
    CHECK(__bfloat16_as_ushort(__hip_bfloat16(3.4e38f)) == 0x7f80 && __hisinf(__hip_bfloat16(-INFINITY)) == -1);
    CHECK(__bfloat16_as_ushort(__float2bfloat16_rz(3.4e38f)) == 0x7f7f && __hisnan(__hip_bfloat16(NAN)));
    CHECK(__hisnan(__hip_bfloat16(__builtin_bit_cast(float, 0x7f800001))));
    puts("PASS");
    return 0;
}
