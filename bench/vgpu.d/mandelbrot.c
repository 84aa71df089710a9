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

#ifdef BENCH_HAND
typedef float Floats __attribute__((vector_size(64)));
typedef int Ints __attribute__((vector_size(64)));
enum { LANES = 16, AT_ONCE = 4 };

// 64 points of a row in vectors, as one would write it: until none of them goes on. A comparison is -1 where it holds.
static void row_by_hand(int row) {
    Floats cy = (Floats){} + (2.5f * row / ROWS - 1.25f);
    for (int column = 0; column < COLUMNS; column += LANES * AT_ONCE) {
        Floats cx[AT_ONCE], x[AT_ONCE], y[AT_ONCE];
        Ints count[AT_ONCE];
        for (int part = 0; part < AT_ONCE; part++) {
            for (int lane = 0; lane < LANES; lane++)
                cx[part][lane] = 3.0f * (column + part * LANES + lane) / COLUMNS - 2.25f;
            x[part] = y[part] = (Floats){}, count[part] = (Ints){};
        }
        for (int turn = 0; turn < LIMIT; turn++) {
            Ints some = {};
            for (int part = 0; part < AT_ONCE; part++) {
                Ints on = x[part] * x[part] + y[part] * y[part] <= 4.0f;
                Floats next = x[part] * x[part] - y[part] * y[part] + cx[part];
                y[part] = 2.0f * x[part] * y[part] + cy;
                x[part] = next;
                count[part] -= on, some |= on;
            }
            if (!__builtin_reduce_or(some))
                break;
        }
        for (int part = 0; part < AT_ONCE; part++)
            memcpy(counts + row * COLUMNS + column + part * LANES, &count[part], sizeof(Ints));
    }
}
#endif

static void run(void) {
#if defined(BENCH_HAND)
#pragma omp parallel for
    for (int row = 0; row < ROWS; row++)
        row_by_hand(row);
#elif defined(BENCH_OPENCL)
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
