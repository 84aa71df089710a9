// A CUDA program: the sum of two vectors, one thread per element.
//
// It needs neither NVIDIA's toolkit nor a GPU: omptarget run examples/vector_add.cu
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__global__ void add(int n, const float *a, const float *b, float *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

static void check(cudaError_t error, int line) {
    if (error == cudaSuccess)
        return;
    printf("line %d: %s: %s\n", line, cudaGetErrorName(error), cudaGetErrorString(error));
    exit(1);
}
#define CHECK(call) check(call, __LINE__)

int main() {
    const int n = 100000;
    const size_t bytes = n * sizeof(float);
    std::vector<float> a(n), b(n), sum(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i + 0.5f;
    }

    float *a_device, *b_device, *sum_device;
    CHECK(cudaMalloc(&a_device, bytes));
    CHECK(cudaMalloc(&b_device, bytes));
    CHECK(cudaMalloc(&sum_device, bytes));
    CHECK(cudaMemcpy(a_device, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b_device, b.data(), bytes, cudaMemcpyHostToDevice));

    add<<<(n + 255) / 256, 256>>>(n, a_device, b_device, sum_device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sum.data(), sum_device, bytes, cudaMemcpyDeviceToHost));

    CHECK(cudaFree(a_device));
    CHECK(cudaFree(b_device));
    CHECK(cudaFree(sum_device));
    for (int i = 0; i < n; i++)
        if (sum[i] != a[i] + b[i]) {
            printf("sum[%d] is %g, expected %g\n", i, sum[i], a[i] + b[i]);
            return 1;
        }
    puts("PASS");
    return 0;
}
