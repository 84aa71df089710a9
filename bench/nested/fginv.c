// fine-grained inversion of a batch of matrices, Gauss-Jordan in place. Outer loop: matrices; inner loops, one pair per
// pivot: first the pivot's row and column are set aside, then every element changes.
#include "nested.h"

static int matrices, order;
static double *values, *given, *aside, *expected; // aside: 2 x order numbers per matrix, a pivot's row and column
static Kernel kernels[1];

static inline void set_aside(const double *m, double *aside, int order, int pivot, int i) {
    aside[i] = (i == pivot ? 1.0 : m[pivot * order + i]) / m[pivot * order + pivot];
    aside[order + i] = m[i * order + pivot];
}

static inline void eliminate(double *m, const double *aside, int order, int pivot, int element) {
    int row = element / order, column = element % order;
    if (row == pivot)
        m[element] = aside[column];
    else
        m[element] = (column == pivot ? 0.0 : m[element]) - aside[order + row] * aside[column];
}

static inline void invert(double *m, double *aside, int order) {
    for (int pivot = 0; pivot < order; pivot++) {
        for (int i = 0; i < order; i++)
            set_aside(m, aside, order, pivot, i);
        for (int i = 0; i < order * order; i++)
            eliminate(m, aside, order, pivot, i);
    }
}

// One step by the team; the pivot as a parameter, which is each thread's own.
static inline void step_by_team(double *m, double *aside, int order, int pivot) {
#pragma omp parallel for
    for (int i = 0; i < order; i++)
        set_aside(m, aside, order, pivot, i);
#pragma omp parallel for
    for (int i = 0; i < order * order; i++)
        eliminate(m, aside, order, pivot, i);
}

static void setup(int size) {
    order = 8 + size * 3 / 2;
    matrices = order * order / 100 + 1;
    kernels[0].outer = matrices;
    kernels[0].inner = order * order;
    int count = matrices * order * order;
    values = allocate(count, sizeof *values);
    given = allocate(count, sizeof *values);
    expected = allocate(count, sizeof *values);
    aside = allocate(matrices * 2 * order, sizeof *aside);
    for (int i = 0; i < count; i++) // the diagonal dominates: no pivoting needed
        given[i] = expected[i] = draw_unit() + (i % (order * order) % (order + 1) == 0 ? order : 0);
    for (int m = 0; m < matrices; m++)
        invert(expected + m * order * order, aside + m * 2 * order, order);
#pragma omp target enter data map(alloc : values[0 : count], aside[0 : matrices * 2 * order])
}

static void reset(void) {
    int count = matrices * order * order;
    memcpy(values, given, count * sizeof *values);
#pragma omp target update to(values[0 : count])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int m = 0; m < matrices; m++)
        invert(values + m * order * order, aside + m * 2 * order, order);
}

static void nested(void) {
#pragma omp target teams distribute
    for (int m = 0; m < matrices; m++)
        for (int pivot = 0; pivot < order; pivot++)
            step_by_team(values + m * order * order, aside + m * 2 * order, order, pivot);
}

static long wrong(void) {
    int count = matrices * order * order;
#pragma omp target update from(values[0 : count])
    return differing_doubles(values, expected, count, 1e-11);
}

static Kernel kernels[1] = {{.name = "fginv", .paper = "1:100", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
