// The sum of a vector: each block sums its part in shared memory and across a wave, and adds it atomically.
#include <cstdio>
#include <vector>

#include <hip/hip_runtime.h>

__global__ void sum(int n, const float *values, float *total) {
    __shared__ float waves[16];
    float part = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        part += values[i];
    for (int delta = warpSize / 2; delta > 0; delta /= 2)
        part += __shfl_down(part, delta);
    if (threadIdx.x % warpSize == 0)
        waves[threadIdx.x / warpSize] = part;
    __syncthreads();
    if (threadIdx.x == 0) {
        part = 0;
        for (unsigned wave = 0; wave < blockDim.x / warpSize; wave++)
            part += waves[wave];
        atomicAdd(total, part);
    }
}

int main() {
    const int n = 1 << 20;
    std::vector<float> values(n, 0.5f);
    float *device, *total, result = 0, milliseconds = 0;
    hipEvent_t begin, end;
    hipStream_t stream;
    hipStreamCreate(&stream);
    hipEventCreate(&begin);
    hipEventCreate(&end);
    hipMalloc(&device, n * sizeof(float));
    hipMalloc(&total, sizeof(float));
    hipMemcpyAsync(device, values.data(), n * sizeof(float), hipMemcpyHostToDevice, stream);
    hipMemsetAsync(total, 0, sizeof(float), stream);
    hipEventRecord(begin, stream);
    sum<<<64, 256, 0, stream>>>(n, device, total);
    hipEventRecord(end, stream);
    hipMemcpyAsync(&result, total, sizeof(float), hipMemcpyDeviceToHost, stream);
    hipStreamSynchronize(stream);
    hipEventElapsedTime(&milliseconds, begin, end);
    hipError_t error = hipGetLastError();
    hipFree(device);
    hipFree(total);
    hipEventDestroy(begin);
    hipEventDestroy(end);
    hipStreamDestroy(stream);
    printf("%s: the sum is %g after %.3f ms (%s)\n", result == n / 2 ? "PASS" : "FAIL", result, milliseconds,
           hipGetErrorName(error));
    return result != n / 2;
}
