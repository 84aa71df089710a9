// The sum of doubles with CUB or hipCUB; the result comes to the host.
#include "peers.cuh"

#ifndef __HIP__
#include <cub/cub.cuh>
#elif __has_include(<hipcub/hipcub.hpp>)
#include <hipcub/hipcub.hpp>
namespace cub = hipcub;
#else
#error hipCUB is missing
#endif

static long n;
static double *x, *total, result;
static void *temporary;
static size_t temporary_bytes;

static void sum() {
    check(cub::DeviceReduce::Sum(temporary, temporary_bytes, x, total, n));
    check(cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost));
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    n = chosen.elements;
    double *host = (double *)allocate(n * sizeof *host), expected = 0;
    for (long i = 0; i < n; i++)
        expected += host[i] = (double)(i % 1000);
    check(cudaMalloc(&x, n * sizeof *x));
    check(cudaMalloc(&total, sizeof *total));
    check(cudaMemcpy(x, host, n * sizeof *x, cudaMemcpyHostToDevice));
    check(cub::DeviceReduce::Sum(temporary, temporary_bytes, x, total, n));
    check(cudaMalloc(&temporary, temporary_bytes));
    measure("sum", (double)n * sizeof *x, 1, chosen.samples, sum);
    return ended(result != expected);
}
