// heartwall: tracks points of the wall of a beating heart (the paper's Listing 1). Outer loop: points; inner loops: the
// cells of a point's window, each a correlation with a template (a very large body), then sums over the window; between
// them serial code.
#include "nested.h"

enum { TEMPLATE = 9, ROWS = 16 };

static int points, columns, width, height;
static float *frame, *pattern, *scores, *expected_scores;
static int *best, *expected_best;
static Kernel kernels[1];

// Integers below 2^24: exact in any order.
static inline float correlation(const float *frame, const float *pattern, int width, int row, int column) {
    float sum = 0;
    for (int y = 0; y < TEMPLATE; y++)
        for (int x = 0; x < TEMPLATE; x++)
            sum += frame[(row + y) * width + column + x] * pattern[y * TEMPLATE + x];
    return sum;
}

// The first cell above the mean: serial, as in the paper's listing.
static inline int first_above(const float *scores, int cells, double sum) {
    int i = 0;
    while (i < cells - 1 && scores[i] * (double)cells <= sum)
        i++;
    return i;
}

static void setup(int size) {
    points = 3 * size;
    columns = (60 * size + ROWS - 1) / ROWS;
    width = columns + TEMPLATE + points, height = ROWS + TEMPLATE + points;
    int cells = ROWS * columns;
    kernels[0].outer = points;
    kernels[0].inner = cells;
    frame = allocate(width * height, sizeof *frame);
    pattern = allocate(TEMPLATE * TEMPLATE, sizeof *pattern);
    scores = allocate(points * cells, sizeof *scores);
    expected_scores = allocate(points * cells, sizeof *scores);
    best = allocate(points, sizeof *best);
    expected_best = allocate(points, sizeof *best);
    for (int i = 0; i < width * height; i++)
        frame[i] = (float)draw(256);
    for (int i = 0; i < TEMPLATE * TEMPLATE; i++)
        pattern[i] = (float)draw(256);
    for (int p = 0; p < points; p++) {
        double sum = 0;
        for (int c = 0; c < cells; c++)
            sum += expected_scores[p * cells + c] = correlation(frame, pattern, width, p + c / columns, p + c % columns);
        expected_best[p] = first_above(expected_scores + p * cells, cells, sum);
    }
#pragma omp target enter data map(to : frame[0 : width * height], pattern[0 : TEMPLATE * TEMPLATE])                    \
    map(alloc : scores[0 : points * cells], best[0 : points])
}

static void reset(void) {
    int cells = ROWS * columns;
    memset(scores, 0xff, points * cells * sizeof *scores);
    memset(best, 0xff, points * sizeof *best);
#pragma omp target update to(scores[0 : points * cells], best[0 : points])
}

static void spmd(void) {
    int cells = ROWS * columns;
#pragma omp target teams distribute parallel for
    for (int p = 0; p < points; p++) {
        double sum = 0;
        for (int c = 0; c < cells; c++)
            scores[p * cells + c] = correlation(frame, pattern, width, p + c / columns, p + c % columns);
        for (int c = 0; c < cells; c++)
            sum += scores[p * cells + c];
        best[p] = first_above(scores + p * cells, cells, sum);
    }
}

static void nested(void) {
    int cells = ROWS * columns;
#pragma omp target teams distribute
    for (int p = 0; p < points; p++) {
        double sum = 0;
#pragma omp parallel for
        for (int c = 0; c < cells; c++)
            scores[p * cells + c] = correlation(frame, pattern, width, p + c / columns, p + c % columns);
#pragma omp parallel for reduction(+ : sum)
        for (int c = 0; c < cells; c++)
            sum += scores[p * cells + c];
        best[p] = first_above(scores + p * cells, cells, sum);
    }
}

static long wrong(void) {
    int cells = ROWS * columns;
#pragma omp target update from(scores[0 : points * cells], best[0 : points])
    return differing_floats(scores, expected_scores, points * cells, 0) + differing_ints(best, expected_best, points);
}

static Kernel kernels[1] = {{.name = "heartwall", .paper = "1:20", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
