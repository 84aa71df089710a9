// kmeans: every point finds its nearest centre. Outer loop: points; inner loop: the coordinates of a point, a very short
// sum per centre. The outer loop counts the points whose centre has changed. Rodinia's data have 34 coordinates.
#include "nested.h"

enum { COORDINATES = 34, CENTRES = 5 };

static int points, *features, *centres, *labels, *expected, changed;

static inline long distance(const int *point, const int *centre) {
    long sum = 0;
    for (int f = 0; f < COORDINATES; f++)
        sum += (point[f] - centre[f]) * (point[f] - centre[f]);
    return sum;
}

static inline long distance_by_team(const int *point, const int *centre) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int f = 0; f < COORDINATES; f++)
        sum += (point[f] - centre[f]) * (point[f] - centre[f]);
    return sum;
}

static inline int nearest(const int *point, const int *centres) {
    long least = distance(point, centres);
    int best = 0;
    for (int c = 1; c < CENTRES; c++) {
        long to = distance(point, centres + c * COORDINATES);
        if (to < least) {
            least = to;
            best = c;
        }
    }
    return best;
}

static inline int nearest_by_team(const int *point, const int *centres) {
    long least = distance_by_team(point, centres);
    int best = 0;
    for (int c = 1; c < CENTRES; c++) {
        long to = distance_by_team(point, centres + c * COORDINATES);
        if (to < least) {
            least = to;
            best = c;
        }
    }
    return best;
}

static Kernel kernels[1];

static void setup(int size) {
    points = 332 * size * size + 996 * size;
    kernels[0].outer = points;
    kernels[0].inner = COORDINATES;
    features = allocate((long)points * COORDINATES, sizeof *features);
    centres = allocate(CENTRES * COORDINATES, sizeof *centres);
    labels = allocate(points, sizeof *labels);
    expected = allocate(points, sizeof *expected);
    for (long i = 0; i < (long)points * COORDINATES; i++)
        features[i] = (int)draw(256);
    for (int i = 0; i < CENTRES * COORDINATES; i++)
        centres[i] = (int)draw(256);
    for (int p = 0; p < points; p++)
        expected[p] = nearest(features + (long)p * COORDINATES, centres);
#pragma omp target enter data map(to : features[0 : (long)points * COORDINATES], centres[0 : CENTRES * COORDINATES])  \
    map(alloc : labels[0 : points])
}

static void reset(void) {
    for (int p = 0; p < points; p++)
        labels[p] = -1; // so that every point's centre changes
    changed = 0;
#pragma omp target update to(labels[0 : points])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for reduction(+ : changed) map(tofrom : changed)
    for (int p = 0; p < points; p++) {
        int label = nearest(features + (long)p * COORDINATES, centres);
        changed += labels[p] != label;
        labels[p] = label;
    }
}

static void nested(void) {
#pragma omp target teams distribute reduction(+ : changed) map(tofrom : changed)
    for (int p = 0; p < points; p++) {
        int label = nearest_by_team(features + (long)p * COORDINATES, centres);
        changed += labels[p] != label;
        labels[p] = label;
    }
}

static long wrong(void) {
#pragma omp target update from(labels[0 : points])
    return (changed != points) + differing_ints(labels, expected, points);
}

static Kernel kernels[1] = {{.name = "kmeans", .paper = "10,000:1", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
