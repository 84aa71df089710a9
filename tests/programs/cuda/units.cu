// A program of several units: a kernel that calls a function and reads a variable of another unit, and a unit in C++.
#include <cstdio>
#include <iostream>
#include <map>

#include <cuda_runtime.h>

extern __device__ int square(int number);
extern __device__ int addend;
void set_addend(int number);
int twice(const int *numbers, int count);

__global__ void squares(int *numbers) { numbers[threadIdx.x] = square(threadIdx.x) + addend; }

int main() {
    int *device, numbers[32];
    cudaMalloc(&device, sizeof numbers);
    set_addend(1000);
    squares<<<1, 32>>>(device);
    cudaMemcpy(numbers, device, sizeof numbers, cudaMemcpyDeviceToHost);
    cudaFree(device);
    // 32 * 1000 and the squares up to 31 * 31, twice.
    std::map<int, const char *> names = {{2 * (32000 + 10416), "PASS"}};
    const char *name = names[twice(numbers, 32)];
    std::cout << (name ? name : "FAIL") << std::endl;
    return name == nullptr;
}
