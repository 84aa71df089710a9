// A histogram of bytes: a histogram per block in shared memory, added up.
#include "peers.cuh"

enum { BINS = 256, THREADS = 256 };

static long n;
static unsigned blocks;
static unsigned char *data;
static unsigned *bins;

__global__ void histogram_kernel(long n, const unsigned char *data, unsigned *bins) {
    __shared__ unsigned own[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long)blockDim.x)
        atomicAdd(&own[data[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], own[b]);
}

static void histogram() {
    check(cudaMemsetAsync(bins, 0, BINS * sizeof *bins));
    histogram_kernel<<<blocks, THREADS>>>(n, data, bins);
    check(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    unsigned expected[BINS] = {0}, found[BINS];
    n = chosen.elements;
    unsigned char *host = (unsigned char *)allocate(n);
    for (long i = 0; i < n; i++)
        expected[host[i] = (unsigned char)(i * 2654435761u >> 13)]++;
    int multiprocessors, resident;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, histogram_kernel, THREADS, 0));
    blocks = (unsigned)(multiprocessors * resident);
    check(cudaMalloc(&data, n));
    check(cudaMalloc(&bins, sizeof found));
    check(cudaMemcpy(data, host, n, cudaMemcpyHostToDevice));
    measure("histogram", (double)n, 1, chosen.samples, histogram);
    check(cudaMemcpy(found, bins, sizeof found, cudaMemcpyDeviceToHost));
    return ended(memcmp(found, expected, sizeof found) != 0);
}
