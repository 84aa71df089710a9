#include "kernel.cuh"

__device__ float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float sum = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * sum;
    return d > 0.0f ? 1.0f - tail : tail;
}

__global__ void blackscholes(const float *price, const float *strike, const float *years, float *call, float *put,
                             float r, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float root = sqrtf(years[i]);
    float d1 = (logf(price[i] / strike[i]) + (r + 0.5f * v * v) * years[i]) / (v * root);
    float d2 = d1 - v * root, n1 = normal(d1), n2 = normal(d2), discounted = strike[i] * expf(-r * years[i]);
    call[i] = price[i] * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
}

BENCH_KERNEL(blackscholes)
