// kmeans: one iteration of Lloyd's algorithm: every point to its nearest centre, the points of a cluster added up.

#include "bench.h"

enum { POINTS = 1 << 13, DIMENSIONS = 32, CLUSTERS = 10 };
static int *points, *sums, *labels;
static float *centres;

static void prepare(void) {
    points = make(POINTS * DIMENSIONS * sizeof *points), sums = make(CLUSTERS * DIMENSIONS * sizeof *sums);
    labels = make(POINTS * sizeof *labels), centres = make(CLUSTERS * DIMENSIONS * sizeof *centres);
    for (int i = 0; i < POINTS * DIMENSIONS; i++)
        points[i] = random_bits() & 15;
    for (int i = 0; i < CLUSTERS * DIMENSIONS; i++)
        centres[i] = points[i], sums[i] = 0;
    for (int i = 0; i < POINTS; i++)
        labels[i] = -1;
    send(points, POINTS * DIMENSIONS);
    send(centres, CLUSTERS * DIMENSIONS);
    send(sums, CLUSTERS * DIMENSIONS);
    send(labels, POINTS);
}

// The coordinates are small integers: distances are exact in any order.
static inline int nearest(const int *point, const float *from) {
    int found = 0;
    float least = INFINITY;
    for (int c = 0; c < CLUSTERS; c++) {
        float distance = 0.0f;
        for (int d = 0; d < DIMENSIONS; d++) {
            float difference = point[d] - from[c * DIMENSIONS + d];
            distance += difference * difference;
        }
        if (distance < least)
            least = distance, found = c;
    }
    return found;
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel clear, assign;
    if (!clear)
        clear = cl_find("clear"), assign = cl_find("assign");
    ARRAY(clear, 0, sums);
    cl_launch(clear, CLUSTERS * DIMENSIONS, 1, 64, 1);
    ARRAY(assign, 0, points);
    ARRAY(assign, 1, centres);
    ARRAY(assign, 2, sums);
    ARRAY(assign, 3, labels);
    cl_launch(assign, POINTS, 1, 128, 1);
#else
    PARALLEL_FOR()
    for (int i = 0; i < CLUSTERS * DIMENSIONS; i++)
        sums[i] = 0;
    PARALLEL_FOR()
    for (int p = 0; p < POINTS; p++) {
        int label = nearest(points + p * DIMENSIONS, centres);
        labels[p] = label;
        for (int d = 0; d < DIMENSIONS; d++) {
            BENCH_PRAGMA(omp atomic)
            sums[label * DIMENSIONS + d] += points[p * DIMENSIONS + d];
        }
    }
#endif
}

static int wrong(void) {
    int bad = 0, expected[CLUSTERS * DIMENSIONS] = {0};
    fetch(labels, POINTS);
    fetch(sums, CLUSTERS * DIMENSIONS);
    for (int p = 0; p < POINTS; p++) {
        int label = nearest(points + p * DIMENSIONS, centres);
        bad += labels[p] != label;
        for (int d = 0; d < DIMENSIONS; d++)
            expected[label * DIMENSIONS + d] += points[p * DIMENSIONS + d];
    }
    for (int i = 0; i < CLUSTERS * DIMENSIONS; i++)
        bad += sums[i] != expected[i];
    return bad;
}
