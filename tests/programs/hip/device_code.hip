// Device code in HIP: built-in variables, shared memory, operations of waves, atomics, mathematics, output, structures
// as arguments, variables.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hip/hip_complex.h>
#include <hip/hip_runtime.h>

#include "../expect.h"

#define CHECK(call) EXPECT(call, hipSuccess)

struct Pair {
    int a;
    double b;
    char c[5];
};

__constant__ int factors[4] = {1, 2, 3, 4};
__device__ int counter;
__managed__ int managed[4] = {10, 20, 30, 40};

__global__ void indices(int *out, Pair pair) {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int threads = blockDim.x * blockDim.y * blockDim.z;
    out[block * threads + thread] = pair.a * block + (int)pair.b * thread + pair.c[4];
}

__global__ void reverse(int *values) {
    __shared__ int copy[64];
    extern __shared__ int sums[];
    int i = threadIdx.x;
    copy[i] = values[i];
    sums[i] = i;
    __syncthreads();
    values[i] = copy[63 - i] + sums[(i + 1) % 64] * 1000;
}

__global__ void waves(int *sums, unsigned long long *masks, int *counts) {
    int value = threadIdx.x;
    for (int delta = warpSize / 2; delta > 0; delta /= 2)
        value += __shfl_down(value, delta);
    int wave = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    unsigned long long odd = __ballot(threadIdx.x % 2);
    double twice = __shfl(threadIdx.x * 2.0, 5);
    if (threadIdx.x % warpSize == 0) {
        sums[wave] = value;
        masks[wave] = odd;
    }
    int multiples = __syncthreads_count(threadIdx.x % 4 == 0);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = multiples + (int)twice + __any(0) + __all(1) + __popcll(odd);
    int old = atomicAdd(&counter, factors[threadIdx.x % 4]);
    assert(old >= 0);
    atomicMax(&managed[blockIdx.x], 1000 + (int)threadIdx.x);
}

template <typename T> __global__ void mathematics(T *out, T x) {
    out[0] = sin(x) + sqrt(x);
    out[1] = fma(x, x, exp(x));
    out[2] = max(x, (T)1);
    if (threadIdx.x == 0)
        printf("device: %d %s %.3f\n", 42, "text", (double)x);
    int *heap = (int *)malloc(sizeof(int));
    *heap = 7;
    out[3] = *heap;
    free(heap);
}

// Vectors element by element, complex numbers, additions by AMD's name.
__global__ void vectors(float *results) {
    float4 a = make_float4(1, 2, 3, 4), b = 2 * a - 1.5f;
    a += b;
    int3 c = make_int3(7, -8, 9) % 4, d = -c & 3;
    ushort2 small = make_ushort2(65535, 1) + (unsigned short)2;
    hipFloatComplex z = hipCmulf(make_hipFloatComplex(1, 2), make_hipFloatComplex(3, -1));
    results[0] = a.x + 10 * a.y + 100 * a.z + 1000 * a.w;
    results[1] = c.x + 10 * c.y + 100 * c.z + 1000 * (d.x + d.y + d.z) + 10000 * (c != d);
    results[2] = small.x + 10 * small.y;
    results[3] = hipCrealf(z) + 10 * hipCimagf(z) + 100 * hipCsqabsf(z);
    unsafeAtomicAdd(results + 4, 0.5f);
}

int main() {
    int *out, host[256], n = 2 * 3 * 2 * 4 * 2 * 2;
    CHECK(hipMalloc(&out, sizeof host));
    Pair pair = {100, 2.5, {0, 0, 0, 0, 7}};
    indices<<<dim3(2, 3, 2), dim3(4, 2, 2)>>>(out, pair);
    CHECK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(host[i], i / 16 * 100 + i % 16 * 2 + 7);

    for (int i = 0; i < 64; i++)
        host[i] = i;
    CHECK(hipMemcpy(out, host, sizeof host, hipMemcpyHostToDevice));
    hipLaunchKernelGGL(reverse, 1, 64, 64 * sizeof(int), 0, out);
    CHECK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        EXPECT(host[i], 63 - i + (i + 1) % 64 * 1000);

    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    int lanes = properties.warpSize, waves_of_block = 128 / lanes;
    unsigned long long *masks, mask[8];
    int *counts, count[2], total = 0;
    CHECK(hipMalloc(&masks, sizeof mask));
    CHECK(hipMalloc(&counts, sizeof count));
    waves<<<2, 128>>>(out, masks, counts);
    CHECK(hipMemcpy(host, out, 8 * sizeof(int), hipMemcpyDeviceToHost));
    CHECK(hipMemcpy(mask, masks, sizeof mask, hipMemcpyDeviceToHost));
    CHECK(hipMemcpy(count, counts, sizeof count, hipMemcpyDeviceToHost));
    for (int wave = 0; wave < 2 * waves_of_block; wave++) {
        int first = wave % waves_of_block * lanes;
        EXPECT(host[wave], first * lanes + lanes * (lanes - 1) / 2);
        EXPECT(mask[wave] == (lanes == 64 ? 0xaaaaaaaaaaaaaaaaull : 0xaaaaaaaaull), 1);
    }
    EXPECT(count[1], 32 + 10 + 1 + lanes / 2);
    CHECK(hipMemcpyFromSymbol(&total, HIP_SYMBOL(counter), sizeof total));
    EXPECT(total, 256 / 4 * (1 + 2 + 3 + 4));
    CHECK(hipDeviceSynchronize());
    EXPECT(managed[0], 1127);
    EXPECT(managed[1], 1127);
    EXPECT(managed[3], 40);

    double *results, result[4];
    CHECK(hipMalloc(&results, sizeof result));
    mathematics<double><<<1, 1>>>(results, 2.0);
    CHECK(hipMemcpy(result, results, sizeof result, hipMemcpyDeviceToHost));
    EXPECT(fabs(result[0] - (sin(2.0) + sqrt(2.0))) < 1e-14, 1);
    EXPECT(fabs(result[1] - (4 + exp(2.0))) < 1e-13, 1);
    EXPECT(result[2], 2);
    EXPECT(result[3], 7);

    float *floats, numbers[5];
    CHECK(hipMalloc(&floats, sizeof numbers));
    CHECK(hipMemset(floats, 0, sizeof numbers));
    vectors<<<1, 64>>>(floats);
    CHECK(hipMemcpy(numbers, floats, sizeof numbers, hipMemcpyDeviceToHost));
    EXPECT(numbers[0], 1.5 + 45 + 750 + 10500);
    EXPECT(numbers[1], 3 + 0 + 100 + 1000 * (1 + 0 + 3) + 10000);
    EXPECT(numbers[2], 1 + 30);
    EXPECT(numbers[3], 5 + 50 + 5000);
    EXPECT(numbers[4], 32);
    puts(failed ? "FAIL" : "PASS");
    return failed != 0;
}
