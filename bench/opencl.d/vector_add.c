// vector_add: a sum of two vectors, in work-groups of the implementation's choice. Limited by memory.

#include "bench.h"

enum { N = 1 << 20 };
static float *a, *b, *c;

static void prepare(void) {
    a = make(N * sizeof *a), b = make(N * sizeof *b), c = make(N * sizeof *c);
    for (int i = 0; i < N; i++)
        a[i] = random_bits() & 255, b[i] = random_bits() & 255, c[i] = 0.0f;
    send(a, N);
    send(b, N);
    send(c, N);
}

static void run(void) {
    static cl_kernel add;
    if (!add)
        add = cl_find("vector_add");
    ARRAY(add, 0, a);
    ARRAY(add, 1, b);
    ARRAY(add, 2, c);
    cl_launch(add, N, 1, 0, 0);
}

static int wrong(void) {
    int bad = 0;
    fetch(c, N);
    for (int i = 0; i < N; i++)
        bad += c[i] != a[i] + b[i];
    return bad;
}
