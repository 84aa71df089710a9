// The host side of CUDA, under the names that the benchmarks have for OpenCL's (../vgpu.d/opencl.h). Errors end the
// program.

#ifndef BENCH_CUDA_H
#define BENCH_CUDA_H

#include <cuda_runtime_api.h>

typedef const void *cl_kernel;
typedef void *cl_mem;

// The kernel of the unit beside this one.
extern const cl_kernel bench_kernel;

// Device memory by the host array it belongs to.
static struct {
    const void *host;
    void *device;
} cl_buffers[16];

static void cuda_check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "CUDA: %s failed: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

// The memory of a host array; `bytes` makes some.
static cl_mem cl_buffer(const void *host, size_t bytes) {
    int at = 0;
    for (; cl_buffers[at].host; at++)
        if (cl_buffers[at].host == host)
            return cl_buffers[at].device;
    cl_buffers[at].host = host;
    cuda_check(cudaMalloc(&cl_buffers[at].device, bytes), "cudaMalloc");
    return cl_buffers[at].device;
}

static void cl_send(const void *host, size_t bytes) {
    cuda_check(cudaMemcpy(cl_buffer(host, bytes), host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

static void cl_fetch(void *host, size_t bytes) {
    cuda_check(cudaMemcpy(host, cl_buffer(host, bytes), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

static cl_kernel cl_find(const char *name) {
    (void)name;
    return bench_kernel;
}

// Values of arguments, which stay until the next launch.
static union {
    void *array;
    char bytes[16];
} cuda_values[16];

static void cl_pass(cl_kernel kernel, int index, size_t bytes, const void *value) {
    (void)kernel;
    memcpy(cuda_values[index].bytes, value, bytes);
}

#define ARRAY(kernel, index, array)                                                                                    \
    do {                                                                                                               \
        cl_mem passed = cl_buffer(array, 0);                                                                           \
        cl_pass(kernel, index, sizeof passed, &passed);                                                                \
    } while (0)
#define VALUE(kernel, index, value) cl_pass(kernel, index, sizeof(value), &(value))

// Runs `x * y` threads in blocks of `block_x * block_y`, and waits.
static void cl_launch(cl_kernel kernel, size_t x, size_t y, size_t block_x, size_t block_y) {
    void *arguments[16];
    for (int i = 0; i < 16; i++)
        arguments[i] = &cuda_values[i];
    struct dim3 grid = {(unsigned)(x / block_x), (unsigned)(y / block_y), 1};
    struct dim3 block = {(unsigned)block_x, (unsigned)block_y, 1};
    cuda_check(cudaLaunchKernel(kernel, grid, block, arguments, 0, 0), "cudaLaunchKernel");
    cuda_check(cudaDeviceSynchronize(), "the kernel");
}

#endif
