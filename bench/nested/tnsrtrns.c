// tensor transpose: swaps the first two of three dimensions. Outer loop: the first; inner loop: the other two, whose
// last stays where it is: reads and writes are fully coalesced.
#include "nested.h"

enum { LAST = 100 };

static int first, second;
static double *tensor, *transposed, *expected;
static Kernel kernels[1];

static void setup(int size) {
    first = 16 * size;
    second = 8 * size;
    kernels[0].outer = first;
    kernels[0].inner = second * LAST;
    long values = (long)first * second * LAST;
    tensor = allocate(values, sizeof *tensor);
    transposed = allocate(values, sizeof *tensor);
    expected = allocate(values, sizeof *tensor);
    for (long i = 0; i < values; i++)
        tensor[i] = (double)i;
    for (int a = 0; a < first; a++)
        for (int b = 0; b < second; b++)
            for (int c = 0; c < LAST; c++)
                expected[((long)b * first + a) * LAST + c] = tensor[((long)a * second + b) * LAST + c];
#pragma omp target enter data map(to : tensor[0 : values]) map(alloc : transposed[0 : values])
}

static void reset(void) {
    long values = (long)first * second * LAST;
    memset(transposed, 0xff, values * sizeof *transposed);
#pragma omp target update to(transposed[0 : values])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int a = 0; a < first; a++)
        for (int b = 0; b < second; b++)
            for (int c = 0; c < LAST; c++)
                transposed[((long)b * first + a) * LAST + c] = tensor[((long)a * second + b) * LAST + c];
}

static void nested(void) {
#pragma omp target teams distribute
    for (int a = 0; a < first; a++) {
#pragma omp parallel for collapse(2)
        for (int b = 0; b < second; b++)
            for (int c = 0; c < LAST; c++)
                transposed[((long)b * first + a) * LAST + c] = tensor[((long)a * second + b) * LAST + c];
    }
}

static long wrong(void) {
    long values = (long)first * second * LAST;
#pragma omp target update from(transposed[0 : values])
    return differing_doubles(transposed, expected, values, 0);
}

static Kernel kernels[1] = {{.name = "tnsrtrns", .paper = "1:50", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
