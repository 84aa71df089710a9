// cg: conjugate gradients on a sparse matrix. Timed: the product of matrix and vector. Outer loop: rows; inner loop: a
// row's few elements, a sum, gathered. Not in Table II: the usual sparse loop nest.
#include "nested.h"

enum { ELEMENTS = 27, STEPS = 4 };

static int rows;
static int *columns;
static double *elements, *solution, *residual, *direction, *product, *expected;
static Kernel kernels[1];

// The steps of the method, flat in both shapes; `device` is 0 for the host's result.
static void iterate(void multiply(int), int shape, int device) {
    double old = 0;
#pragma omp target teams distribute parallel for reduction(+ : old) map(tofrom : old) if (target : device)
    for (int i = 0; i < rows; i++) {
        solution[i] = 0;
        residual[i] = direction[i] = 1 + i % 3;
        old += residual[i] * residual[i];
    }
    for (int step = 0; step < STEPS; step++) {
        double along = 0, new = 0;
        multiply(shape);
#pragma omp target teams distribute parallel for reduction(+ : along) map(tofrom : along) if (target : device)
        for (int i = 0; i < rows; i++)
            along += direction[i] * product[i];
        double far = old / along;
#pragma omp target teams distribute parallel for reduction(+ : new) map(tofrom : new) if (target : device)
        for (int i = 0; i < rows; i++) {
            solution[i] += far * direction[i];
            residual[i] -= far * product[i];
            new += residual[i] * residual[i];
        }
        double share = new / old;
#pragma omp target teams distribute parallel for if (target : device)
        for (int i = 0; i < rows; i++)
            direction[i] = residual[i] + share * direction[i];
        old = new;
    }
}

static void multiply_on_host(int shape) {
    (void)shape;
    for (int i = 0; i < rows; i++) {
        product[i] = 0;
        for (int e = 0; e < ELEMENTS; e++)
            product[i] += elements[(long)i * ELEMENTS + e] * direction[columns[(long)i * ELEMENTS + e]];
    }
}

static void multiply_on_device(int shape) { launch(&kernels[0], shape); }

static void setup(int size) {
    rows = 256 * size * size;
    long count = (long)rows * ELEMENTS;
    kernels[0].outer = rows;
    kernels[0].inner = ELEMENTS;
    columns = allocate(count, sizeof *columns);
    elements = allocate(count, sizeof *elements);
    double **vectors[] = {&solution, &residual, &direction, &product, &expected};
    for (int v = 0; v < 5; v++)
        *vectors[v] = allocate(rows, sizeof **vectors[v]);
    for (long i = 0; i < count; i++) { // the diagonal dominates
        int row = (int)(i / ELEMENTS);
        columns[i] = i % ELEMENTS == 0 ? row : (int)draw(rows);
        elements[i] = i % ELEMENTS == 0 ? ELEMENTS : draw_unit();
    }
    iterate(multiply_on_host, SPMD, 0);
    memcpy(expected, solution, rows * sizeof *solution);
#pragma omp target enter data map(to : columns[0 : count], elements[0 : count])                                        \
    map(alloc : solution[0 : rows], residual[0 : rows], direction[0 : rows], product[0 : rows])
}

static void reset(void) {
    memset(solution, 0xff, rows * sizeof *solution);
    memset(product, 0xff, rows * sizeof *product);
#pragma omp target update to(solution[0 : rows], product[0 : rows])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int e = 0; e < ELEMENTS; e++)
            sum += elements[(long)i * ELEMENTS + e] * direction[columns[(long)i * ELEMENTS + e]];
        product[i] = sum;
    }
}

static void nested(void) {
#pragma omp target teams distribute
    for (int i = 0; i < rows; i++) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (int e = 0; e < ELEMENTS; e++)
            sum += elements[(long)i * ELEMENTS + e] * direction[columns[(long)i * ELEMENTS + e]];
        product[i] = sum;
    }
}

static void run(int shape) { iterate(multiply_on_device, shape, 1); }

static long wrong(void) {
#pragma omp target update from(solution[0 : rows])
    return differing_doubles(solution, expected, rows, 1e-9);
}

static Kernel kernels[1] = {{.name = "cg", .paper = "", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .run = run, .wrong = wrong, KERNELS(kernels)});
}
