// An empty kernel and waiting for it, by hand. CUDA's driver launches it: cuLaunchKernel and cuCtxSynchronize. HIP has
// no interface below its own launch.
#include "peers.cuh"

enum { LAUNCHES = 1000 };

__global__ void empty() {}

#ifdef __HIP__

static void prepare() {}

static void launch_and_wait() {
    empty<<<1, 32>>>();
    check(hipGetLastError());
    check(hipDeviceSynchronize());
}

#else

#include <cuda.h>

typedef CUresult launch_function(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                                 void **, void **);
typedef CUresult synchronize_function(void);

static launch_function *launch_kernel;
static synchronize_function *synchronize;
static CUfunction kernel;

// The driver's function, without linking its library.
static void *driver_function(const char *name) {
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
    check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess) {
        fprintf(stderr, "the driver has no %s\n", name);
        exit(1);
    }
    return function;
}

static void prepare() {
    launch_kernel = (launch_function *)driver_function("cuLaunchKernel");
    synchronize = (synchronize_function *)driver_function("cuCtxSynchronize");
    check(cudaGetFuncBySymbol((cudaFunction_t *)&kernel, (const void *)empty));
}

static void launch_and_wait() {
    if (launch_kernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL) != CUDA_SUCCESS ||
        synchronize() != CUDA_SUCCESS) {
        fprintf(stderr, "the kernel cannot be launched\n");
        exit(1);
    }
}

#endif

static void launches() {
    for (int i = 0; i < LAUNCHES; i++)
        launch_and_wait();
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    check(cudaFree(NULL)); // makes the context
    prepare();
    measure("launch", 0, LAUNCHES, chosen.samples, launches);
    return ended(0);
}
