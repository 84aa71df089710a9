// lud: LU decomposition without pivoting, row and column by row and column, as in Rodinia's OpenMP version. For each
// step i, K1 makes row i of U and K2 column i of L. Outer loop: what is left of the row or column; inner loop: a sum over
// the i terms so far, which grows as the outer loop shrinks.
#include "nested.h"

static int order, step;
static double *matrix, *given, *expected;
static Kernel kernels[2];

static void decompose_on_host(void) {
    double *m = expected;
    for (int i = 0; i < order; i++) {
        for (int j = i; j < order; j++)
            for (int k = 0; k < i; k++)
                m[i * order + j] -= m[i * order + k] * m[k * order + j];
        for (int j = i + 1; j < order; j++) {
            for (int k = 0; k < i; k++)
                m[j * order + i] -= m[j * order + k] * m[k * order + i];
            m[j * order + i] /= m[i * order + i];
        }
    }
}

static void setup(int size) {
    order = 32 * size;
    for (int k = 0; k < 2; k++)
        kernels[k].outer = kernels[k].inner = order - 1; // at most
    given = allocate(order * order, sizeof *given);
    matrix = allocate(order * order, sizeof *given);
    expected = allocate(order * order, sizeof *given);
    for (int i = 0; i < order * order; i++)
        given[i] = expected[i] = draw_unit() + (i % (order + 1) == 0 ? order : 0);
    decompose_on_host();
#pragma omp target enter data map(alloc : matrix[0 : order * order])
}

static void reset(void) {
    memcpy(matrix, given, (long)order * order * sizeof *matrix);
#pragma omp target update to(matrix[0 : order * order])
}

static void row_spmd(void) {
    int i = step;
#pragma omp target teams distribute parallel for
    for (int j = i; j < order; j++) {
        double sum = 0;
        for (int k = 0; k < i; k++)
            sum += matrix[i * order + k] * matrix[k * order + j];
        matrix[i * order + j] -= sum;
    }
}

static void row_nested(void) {
    int i = step;
#pragma omp target teams distribute
    for (int j = i; j < order; j++) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (int k = 0; k < i; k++)
            sum += matrix[i * order + k] * matrix[k * order + j];
        matrix[i * order + j] -= sum;
    }
}

static void column_spmd(void) {
    int i = step;
#pragma omp target teams distribute parallel for
    for (int j = i + 1; j < order; j++) {
        double sum = 0;
        for (int k = 0; k < i; k++)
            sum += matrix[j * order + k] * matrix[k * order + i];
        matrix[j * order + i] = (matrix[j * order + i] - sum) / matrix[i * order + i];
    }
}

static void column_nested(void) {
    int i = step;
#pragma omp target teams distribute
    for (int j = i + 1; j < order; j++) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (int k = 0; k < i; k++)
            sum += matrix[j * order + k] * matrix[k * order + i];
        matrix[j * order + i] = (matrix[j * order + i] - sum) / matrix[i * order + i];
    }
}

static void run(int shape) {
    for (step = 0; step < order; step++) {
        launch(&kernels[0], shape);
        launch(&kernels[1], shape);
    }
}

static long wrong(void) {
#pragma omp target update from(matrix[0 : order * order])
    return differing_doubles(matrix, expected, (long)order * order, 1e-10);
}

static Kernel kernels[2] = {{.name = "lud:K1", .paper = "1:500 to 500:1", .shape = {row_spmd, row_nested}},
                            {.name = "lud:K2", .paper = "1:500 to 500:1", .shape = {column_spmd, column_nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .run = run, .wrong = wrong, KERNELS(kernels)});
}
