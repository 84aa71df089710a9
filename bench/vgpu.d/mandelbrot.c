// mandelbrot: how often each point's sequence can be continued; neighbours differ, so lanes diverge.

#include "bench.h"

enum { ROWS = 512, COLUMNS = 512, LIMIT = 256 };
static int *counts;

static inline int iterations(float cx, float cy) {
    float x = 0.0f, y = 0.0f;
    int count = 0;
    while (count < LIMIT && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        count++;
    }
    return count;
}

static void prepare(void) {
    counts = make(ROWS * COLUMNS * sizeof *counts);
    memset(counts, 0, ROWS * COLUMNS * sizeof *counts);
    send(counts, ROWS * COLUMNS);
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel mandelbrot;
    if (!mandelbrot)
        mandelbrot = cl_find("mandelbrot");
    ARRAY(mandelbrot, 0, counts);
    cl_launch(mandelbrot, COLUMNS, ROWS, 128, 1);
#else
    PARALLEL_FOR(collapse(2))
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            counts[row * COLUMNS + column] = iterations(3.0f * column / COLUMNS - 2.25f, 2.5f * row / ROWS - 1.25f);
#endif
}

// Rounding decides at a few points of the border.
static int wrong(void) {
    int bad = 0;
    fetch(counts, ROWS * COLUMNS);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            bad += counts[row * COLUMNS + column] != iterations(3.0f * column / COLUMNS - 2.25f, 2.5f * row / ROWS - 1.25f);
    return bad > ROWS * COLUMNS / 200 ? bad : 0;
}
