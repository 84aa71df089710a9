// dot: the inner product of two vectors of floats, summed as doubles.

#include "bench.h"

enum { N = 1 << 20, GROUPS = 256, GROUP = 128 };
static float *x, *y;
static double total;

static void prepare(void) {
    x = make(N * sizeof *x), y = make(N * sizeof *y);
    for (int i = 0; i < N; i++)
        x[i] = random_bits() & 63, y[i] = random_bits() & 63;
    send(x, N);
    send(y, N);
#ifdef BENCH_OPENCL
    static double partial[GROUPS];
    send(partial, GROUPS);
#endif
}

static void run(void) {
    double sum = 0.0;
#ifdef BENCH_OPENCL
    static cl_kernel reduce;
    double *partial = (double *)cl_buffers[2].host;
    int n = N;
    if (!reduce)
        reduce = cl_find("dot_product");
    ARRAY(reduce, 0, x);
    ARRAY(reduce, 1, y);
    ARRAY(reduce, 2, partial);
    VALUE(reduce, 3, n);
    cl_launch(reduce, GROUPS * GROUP, 1, GROUP, 1);
    fetch(partial, GROUPS);
    for (int i = 0; i < GROUPS; i++)
        sum += partial[i];
#else
    PARALLEL_FOR(reduction(+ : sum))
    for (int i = 0; i < N; i++)
        sum += (double)x[i] * y[i];
#endif
    total = sum;
}

static int wrong(void) {
    double expected = 0.0;
    for (int i = 0; i < N; i++)
        expected += (double)x[i] * y[i];
    return total != expected;
}
