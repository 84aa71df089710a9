// Copies between host and device, of pinned and of pageable memory.
#include "peers.cuh"

static long n;
static float *memory, *device;

static void to_device() { check(cudaMemcpy(device, memory, n * sizeof *memory, cudaMemcpyHostToDevice)); }

static void to_host() { check(cudaMemcpy(memory, device, n * sizeof *memory, cudaMemcpyDeviceToHost)); }

static void both_ways(float *host, const char *to, const char *from, int samples) {
    memory = host;
    memset(memory, 1, n * sizeof *memory);
    measure(to, (double)n * sizeof *memory, 1, samples, to_device);
    measure(from, (double)n * sizeof *memory, 1, samples, to_host);
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    n = chosen.elements;
    float *pinned;
    check(cudaMalloc(&device, n * sizeof *device));
    check(cudaMallocHost(&pinned, n * sizeof *pinned));
    both_ways(pinned, "to device, pinned", "from device, pinned", chosen.samples);
    check(cudaFreeHost(pinned));
    both_ways((float *)allocate(n * sizeof *memory), "to device, pageable", "from device, pageable", chosen.samples);
    return 0;
}
