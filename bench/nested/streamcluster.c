// streamcluster: what opening a centre at point 0 would gain. Outer loop: points; inner loop: a point's many
// coordinates, a sum. The outer loop sums up what those points gain that would change, and adds what the others would
// lose to their centre's account, atomically.
#include "nested.h"

enum { CENTRES = 7 };

static int points, coordinates;
static int *values, *centre_of, *switched, *expected_switched;
static long *cost, lost[CENTRES], expected_lost[CENTRES], gain, expected_gain;
static Kernel kernels[1];

static inline long square(int a, int b) { return (long)(a - b) * (a - b); }

static void expect(void) {
    for (int p = 0; p < points; p++) {
        long distance = 0;
        for (int c = 0; c < coordinates; c++)
            distance += square(values[p * coordinates + c], values[c]);
        expected_switched[p] = distance < cost[p];
        if (distance < cost[p])
            expected_gain += cost[p] - distance;
        else
            expected_lost[centre_of[p]] += distance - cost[p];
    }
}

static void setup(int size) {
    points = 8 * size;
    coordinates = 200 * size;
    kernels[0].outer = points;
    kernels[0].inner = coordinates;
    values = allocate(points * coordinates, sizeof *values);
    centre_of = allocate(points, sizeof *centre_of);
    switched = allocate(points, sizeof *switched);
    expected_switched = allocate(points, sizeof *switched);
    cost = allocate(points, sizeof *cost);
    for (int i = 0; i < points * coordinates; i++)
        values[i] = (int)draw(256);
    for (int p = 0; p < points; p++) {
        centre_of[p] = (int)draw(CENTRES);
        cost[p] = coordinates * (long)(5000 + draw(12000)); // the mean square difference is 10,922
    }
    expect();
#pragma omp target enter data map(to : values[0 : points * coordinates], centre_of[0 : points], cost[0 : points])      \
    map(alloc : switched[0 : points], lost)
}

static void reset(void) {
    gain = 0;
    memset(lost, 0, sizeof lost);
    memset(switched, 0xff, points * sizeof *switched);
#pragma omp target update to(lost, switched[0 : points])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for reduction(+ : gain) map(tofrom : gain)
    for (int p = 0; p < points; p++) {
        long distance = 0;
        for (int c = 0; c < coordinates; c++)
            distance += square(values[p * coordinates + c], values[c]);
        switched[p] = distance < cost[p];
        if (distance < cost[p])
            gain += cost[p] - distance;
        else
#pragma omp atomic
            lost[centre_of[p]] += distance - cost[p];
    }
}

static void nested(void) {
#pragma omp target teams distribute reduction(+ : gain) map(tofrom : gain)
    for (int p = 0; p < points; p++) {
        long distance = 0;
#pragma omp parallel for reduction(+ : distance)
        for (int c = 0; c < coordinates; c++)
            distance += square(values[p * coordinates + c], values[c]);
        switched[p] = distance < cost[p];
        if (distance < cost[p])
            gain += cost[p] - distance;
        else
#pragma omp atomic
            lost[centre_of[p]] += distance - cost[p];
    }
}

static long wrong(void) {
#pragma omp target update from(lost, switched[0 : points])
    return (gain != expected_gain) + (memcmp(lost, expected_lost, sizeof lost) != 0) +
           differing_ints(switched, expected_switched, points);
}

static Kernel kernels[1] = {{.name = "streamcluster", .paper = "1:25", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
