// Adds two vectors: HIP in its simplest form.
#include <cstdio>
#include <vector>

#include <hip/hip_runtime.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        hipError_t error = (call);                                                                           \
        if (error != hipSuccess) {                                                                           \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, hipGetErrorName(error), hipGetErrorString(error)); \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

__global__ void add(int n, const float *a, const float *b, float *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

int main() {
    const int n = 1 << 20;
    std::vector<float> a(n), b(n), sum(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    float *device_a, *device_b, *device_sum;
    CHECK(hipMalloc(&device_a, n * sizeof(float)));
    CHECK(hipMalloc(&device_b, n * sizeof(float)));
    CHECK(hipMalloc(&device_sum, n * sizeof(float)));
    CHECK(hipMemcpy(device_a, a.data(), n * sizeof(float), hipMemcpyHostToDevice));
    CHECK(hipMemcpy(device_b, b.data(), n * sizeof(float), hipMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(n, device_a, device_b, device_sum);
    CHECK(hipGetLastError());
    CHECK(hipMemcpy(sum.data(), device_sum, n * sizeof(float), hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (sum[i] != a[i] + b[i]) {
            printf("FAIL: element %d is %g\n", i, sum[i]);
            return 1;
        }
    CHECK(hipFree(device_a));
    CHECK(hipFree(device_b));
    CHECK(hipFree(device_sum));
    puts("PASS");
}
