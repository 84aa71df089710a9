// A unit of units.cu without kernels: plain C++ that uses the runtime library.
#include <cuda_runtime.h>

#include <numeric>
#include <vector>

int twice(const int *numbers, int count) {
    std::vector<int> back(count);
    int *device = nullptr;
    cudaMalloc(&device, count * sizeof(int));
    cudaMemcpy(device, numbers, count * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(back.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    float2 factor = make_float2(2, dim3(5).y);
    return (int)factor.x * std::accumulate(back.begin(), back.end(), 0);
}
