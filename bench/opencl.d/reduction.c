// reduction: the sum of vectors of four numbers, by halves in local memory that the launch gives.

#include "bench.h"

enum { N = 1 << 21, GROUP = 256, GROUPS = N / 4 / 2 / GROUP };
static float *x, partial[GROUPS];
static double total;

static void prepare(void) {
    x = make(N * sizeof *x);
    for (int i = 0; i < N; i++)
        x[i] = random_bits() & 15;
    send(x, N);
    send(partial, GROUPS);
}

static void run(void) {
    static cl_kernel reduce;
    if (!reduce)
        reduce = cl_find("reduction");
    ARRAY(reduce, 0, x);
    ARRAY(reduce, 1, partial);
    cl_pass(reduce, 2, GROUP * 4 * sizeof(float), NULL);
    cl_launch(reduce, N / 4 / 2, 1, GROUP, 1);
    fetch(partial, GROUPS);
    total = 0.0;
    for (int i = 0; i < GROUPS; i++)
        total += partial[i];
}

static int wrong(void) {
    double expected = 0.0;
    for (int i = 0; i < N; i++)
        expected += x[i];
    return total != expected;
}
