// heartwall: serial code of a team's master between parallel regions of all its threads (generic mode), after
// Listing 1 of Jacob et al., "Efficient Fork-Join on GPUs through Warp Specialization" (HiPC 2017).

#include "bench.h"

enum { WINDOW = 24, POINTS = 51, ROWS = 200, COLUMNS = 320, CELLS = WINDOW * WINDOW };
static float *frame, *windows;
static double *sums, *deviations;
static int *best;

static void prepare(void) {
    frame = make(ROWS * COLUMNS * sizeof *frame), windows = make(POINTS * CELLS * sizeof *windows);
    sums = make(POINTS * sizeof *sums), deviations = make(POINTS * sizeof *deviations), best = make(POINTS * sizeof *best);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        frame[i] = (i / COLUMNS * 7 + i % COLUMNS * 13 + i / COLUMNS * (i % COLUMNS)) % 256;
    memset(windows, 0, POINTS * CELLS * sizeof *windows);
    for (int i = 0; i < POINTS; i++)
        sums[i] = deviations[i] = best[i] = 0;
    send(frame, ROWS * COLUMNS);
    send(windows, POINTS * CELLS);
    send(sums, POINTS);
    send(deviations, POINTS);
    send(best, POINTS);
}

static int row_of(int point) { return point * 17 % (ROWS - WINDOW); }
static int column_of(int point) { return point * 31 % (COLUMNS - WINDOW); }

// The brightest pixel, first one first.
static int brightest(const float *window) {
    int found = 0;
    for (int i = 1; i < CELLS; i++)
        if (window[i] > window[found])
            found = i;
    return found;
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel track;
    if (!track)
        track = cl_find("track");
    ARRAY(track, 0, frame);
    ARRAY(track, 1, windows);
    ARRAY(track, 2, sums);
    ARRAY(track, 3, deviations);
    ARRAY(track, 4, best);
    cl_launch(track, POINTS * 128, 1, 128, 1);
#else
#ifdef BENCH_HOST
#define WITHIN_TEAM(...)
#else
#define WITHIN_TEAM(...) BENCH_PRAGMA(omp parallel for __VA_ARGS__)
#endif
    TEAMS(POINTS, 128)
    for (int point = 0; point < POINTS; point++) {
        float *window = windows + point * CELLS;
        WITHIN_TEAM(collapse(2))
        for (int column = 0; column < WINDOW; column++)
            for (int row = 0; row < WINDOW; row++)
                window[column * WINDOW + row] = frame[(row_of(point) + row) * COLUMNS + column_of(point) + column];
        double sum = 0.0;
        WITHIN_TEAM(reduction(+ : sum))
        for (int i = 0; i < CELLS; i++)
            sum += window[i];
        sums[point] = sum;
        best[point] = brightest(window);
        int mean = (int)(sum / CELLS);
        double deviation = 0.0;
        WITHIN_TEAM(reduction(+ : deviation))
        for (int i = 0; i < CELLS; i++)
            deviation += (window[i] - mean) * (window[i] - mean);
        deviations[point] = deviation;
    }
#endif
}

static int wrong(void) {
    int bad = 0;
    fetch(windows, POINTS * CELLS);
    fetch(sums, POINTS);
    fetch(deviations, POINTS);
    fetch(best, POINTS);
    for (int point = 0; point < POINTS; point++) {
        const float *window = windows + point * CELLS;
        double sum = 0.0, deviation = 0.0;
        for (int i = 0; i < CELLS; i++) {
            bad += window[i] != frame[(row_of(point) + i % WINDOW) * COLUMNS + column_of(point) + i / WINDOW];
            sum += window[i];
        }
        for (int i = 0; i < CELLS; i++)
            deviation += (window[i] - (int)(sum / CELLS)) * (window[i] - (int)(sum / CELLS));
        bad += sums[point] != sum || deviations[point] != deviation || best[point] != brightest(window);
    }
    return bad;
}
