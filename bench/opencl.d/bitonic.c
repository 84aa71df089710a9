// bitonic: a bitonic sort, a launch for each step.

#include "bench.h"

enum { LOG = 16, N = 1 << LOG };
static unsigned *numbers, *given;

static void prepare(void) {
    numbers = make(N * sizeof *numbers), given = make(N * sizeof *given);
    for (int i = 0; i < N; i++)
        given[i] = random_bits();
    send(numbers, N);
}

static void run(void) {
    static cl_kernel sort;
    if (!sort)
        sort = cl_find("bitonic");
    memcpy(numbers, given, N * sizeof *numbers);
    send(numbers, N);
    ARRAY(sort, 0, numbers);
    for (unsigned stage = 0; stage < LOG; stage++)
        for (unsigned pass = 0; pass <= stage; pass++) {
            VALUE(sort, 1, stage);
            VALUE(sort, 2, pass);
            cl_launch(sort, N / 2, 1, 256, 1);
        }
}

static int before(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static int wrong(void) {
    int bad = 0;
    fetch(numbers, N);
    unsigned *expected = make(N * sizeof *expected);
    memcpy(expected, given, N * sizeof *expected);
    qsort(expected, N, sizeof *expected, before);
    for (int i = 0; i < N; i++)
        bad += numbers[i] != expected[i];
    free(expected);
    return bad;
}
