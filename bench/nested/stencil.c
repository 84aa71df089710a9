// stencil: Jacobi steps with five points. Outer loop: rows; inner loop: columns (fully coalesced). Not in Table II: a loop
// nest of equal trip counts.
#include "nested.h"

enum { STEPS = 4 };

static int side, odd;
static double *grids[2], *given, *expected;
static Kernel kernels[1];

static inline double mean(const double *grid, int side, int row, int column) {
    return 0.25 * (grid[(row - 1) * side + column] + grid[(row + 1) * side + column] + grid[row * side + column - 1] +
                   grid[row * side + column + 1]);
}

static void setup(int size) {
    side = 32 * size + 2;
    kernels[0].outer = kernels[0].inner = side - 2;
    given = allocate(side * side, sizeof *given);
    expected = allocate(side * side, sizeof *given);
    for (int i = 0; i < side * side; i++)
        given[i] = draw_unit();
    double *from = allocate(side * side, sizeof *from), *to = allocate(side * side, sizeof *to);
    memcpy(from, given, (long)side * side * sizeof *from);
    memcpy(to, given, (long)side * side * sizeof *to);
    for (int step = 0; step < STEPS; step++) {
        for (int row = 1; row < side - 1; row++)
            for (int column = 1; column < side - 1; column++)
                to[row * side + column] = mean(from, side, row, column);
        double *other = from;
        from = to, to = other;
    }
    memcpy(expected, from, (long)side * side * sizeof *from);
    grids[0] = from, grids[1] = to;
#pragma omp target enter data map(alloc : from[0 : side * side], to[0 : side * side])
}

static void reset(void) {
    for (int g = 0; g < 2; g++) {
        double *grid = grids[g];
        memcpy(grid, given, (long)side * side * sizeof *grid);
#pragma omp target update to(grid[0 : side * side])
    }
}

static void spmd(void) {
    double *from = grids[odd], *to = grids[!odd];
#pragma omp target teams distribute parallel for
    for (int row = 1; row < side - 1; row++)
        for (int column = 1; column < side - 1; column++)
            to[row * side + column] = mean(from, side, row, column);
}

static void nested(void) {
    double *from = grids[odd], *to = grids[!odd];
#pragma omp target teams distribute
    for (int row = 1; row < side - 1; row++) {
#pragma omp parallel for
        for (int column = 1; column < side - 1; column++)
            to[row * side + column] = mean(from, side, row, column);
    }
}

static void run(int shape) {
    for (int step = 0; step < STEPS; step++) {
        odd = step % 2;
        launch(&kernels[0], shape);
    }
}

static long wrong(void) {
    double *last = grids[STEPS % 2];
#pragma omp target update from(last[0 : side * side])
    return differing_doubles(last, expected, (long)side * side, 1e-12);
}

static Kernel kernels[1] = {{.name = "stencil", .paper = "", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .run = run, .wrong = wrong, KERNELS(kernels)});
}
