// y = a x + y, a thread per element.
#include "peers.cuh"

static long n;
static float *x, *y;

__global__ void saxpy_kernel(long n, float a, const float *x, float *y) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

static void saxpy() {
    saxpy_kernel<<<(unsigned)((n + 255) / 256), 256>>>(n, 2.0f, x, y);
    check(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    n = chosen.elements;
    float *host = (float *)allocate(n * sizeof *host);
    check(cudaMalloc(&x, n * sizeof *x));
    check(cudaMalloc(&y, n * sizeof *y));
    for (long i = 0; i < n; i++)
        host[i] = (float)(i % 7);
    check(cudaMemcpy(x, host, n * sizeof *x, cudaMemcpyHostToDevice));
    for (long i = 0; i < n; i++)
        host[i] = 1.0f;
    check(cudaMemcpy(y, host, n * sizeof *y, cudaMemcpyHostToDevice));
    measure("saxpy", 3.0 * n * sizeof *x, 1, chosen.samples, saxpy);
    check(cudaMemcpy(host, y, n * sizeof *y, cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (long i = 0; i < n; i++)
        wrong += host[i] != 1.0f + 2.0f * (i % 7) * (chosen.samples + 1);
    return ended(wrong);
}
