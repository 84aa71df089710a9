// rows: sums of the rows of a matrix, a row for each thread. The sums of shuffle.c, too, as a loop.

#include "bench.h"

enum { N = 1 << 18, PART = 128, PARTS = N / PART };
static int *from, *to;

static void prepare(void) {
    from = make(N * sizeof *from), to = make(PARTS * sizeof *to);
    for (int i = 0; i < N; i++)
        from[i] = random_bits() & 1023;
    memset(to, 0, PARTS * sizeof *to);
    send(from, N);
    send(to, PARTS);
}

static void run(void) {
#if defined(BENCH_OPENCL)
    static cl_kernel rows;
    if (!rows)
        rows = cl_find("row_sums");
    ARRAY(rows, 0, from);
    ARRAY(rows, 1, to);
    cl_launch(rows, PARTS, 1, 128, 1);
#else
    PARALLEL_FOR()
    for (int part = 0; part < PARTS; part++) {
        int sum = 0;
        for (int i = 0; i < PART; i++)
            sum += from[part * PART + i];
        to[part] = sum;
    }
#endif
}

static int wrong(void) {
    int bad = 0;
    fetch(to, PARTS);
    for (int part = 0; part < PARTS; part++) {
        int sum = 0;
        for (int i = 0; i < PART; i++)
            sum += from[part * PART + i];
        bad += to[part] != sum;
    }
    return bad;
}
