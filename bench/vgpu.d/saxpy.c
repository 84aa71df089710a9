// saxpy: y = a x + y. Limited by memory.

#include "bench.h"

enum { N = 1 << 22 };
static const float a = 0.5f;
static float *x, *y;
static int runs;

static void prepare(void) {
    x = make(N * sizeof *x), y = make(N * sizeof *y);
    for (int i = 0; i < N; i++)
        x[i] = i % 64, y[i] = i % 32;
    send(x, N);
    send(y, N);
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel saxpy;
    if (!saxpy)
        saxpy = cl_find("saxpy");
    ARRAY(saxpy, 0, x);
    ARRAY(saxpy, 1, y);
    VALUE(saxpy, 2, a);
    cl_launch(saxpy, N, 1, 128, 1);
#else
    float factor = a;
    PARALLEL_FOR()
    for (int i = 0; i < N; i++)
        y[i] = factor * x[i] + y[i];
#endif
    runs++;
}

static int wrong(void) {
    int bad = 0;
    fetch(y, N);
    for (int i = 0; i < N; i++)
        bad += y[i] != runs * a * (i % 64) + i % 32;
    return bad;
}
