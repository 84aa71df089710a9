// stencil: one step of the heat equation on a plane, five points each.

#include "bench.h"

enum { ROWS = 1024, COLUMNS = 1024, N = ROWS * COLUMNS };
static float *from, *to;

static float step(const float *plane, int at) {
    return 0.5f * plane[at] + 0.125f * (plane[at - COLUMNS] + plane[at + COLUMNS] + plane[at - 1] + plane[at + 1]);
}

static void prepare(void) {
    from = make(N * sizeof *from), to = make(N * sizeof *to);
    for (int i = 0; i < N; i++)
        from[i] = random_bits() & 1023, to[i] = 0.0f;
    send(from, N);
    send(to, N);
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel stencil;
    if (!stencil)
        stencil = cl_find("stencil");
    ARRAY(stencil, 0, from);
    ARRAY(stencil, 1, to);
    cl_launch(stencil, COLUMNS, ROWS, 128, 1);
#else
    PARALLEL_FOR(collapse(2))
    for (int row = 1; row < ROWS - 1; row++)
        for (int column = 1; column < COLUMNS - 1; column++)
            to[row * COLUMNS + column] = step(from, row * COLUMNS + column);
#endif
}

static int wrong(void) {
    int bad = 0;
    fetch(to, N);
    for (int row = 1; row < ROWS - 1; row++)
        for (int column = 1; column < COLUMNS - 1; column++)
            bad += differs(to[row * COLUMNS + column], step(from, row * COLUMNS + column), 1e-6);
    return bad;
}
