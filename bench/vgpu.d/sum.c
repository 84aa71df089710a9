// sum: a reduction over an array.

#include "bench.h"

enum { N = 1 << 20, GROUPS = 256, GROUP = 128 };
static double *x, total;

static void prepare(void) {
    x = make(N * sizeof *x);
    for (int i = 0; i < N; i++)
        x[i] = random_bits() & 1023;
    send(x, N);
#ifdef BENCH_OPENCL
    static double partial[GROUPS];
    send(partial, GROUPS);
#endif
}

static void run(void) {
    double sum = 0.0;
#ifdef BENCH_OPENCL
    static cl_kernel reduce;
    double *partial = (double *)cl_buffers[1].host;
    int n = N;
    if (!reduce)
        reduce = cl_find("sum");
    ARRAY(reduce, 0, x);
    ARRAY(reduce, 1, partial);
    VALUE(reduce, 2, n);
    cl_launch(reduce, GROUPS * GROUP, 1, GROUP, 1);
    fetch(partial, GROUPS);
    for (int i = 0; i < GROUPS; i++)
        sum += partial[i];
#else
    PARALLEL_FOR(reduction(+ : sum))
    for (int i = 0; i < N; i++)
        sum += x[i];
#endif
    total = sum;
}

static int wrong(void) {
    double expected = 0.0;
    for (int i = 0; i < N; i++)
        expected += x[i];
    return total != expected;
}
