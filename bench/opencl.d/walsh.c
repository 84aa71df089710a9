// walsh: the fast Walsh transform, a launch for each step, in work-groups of the implementation's choice.

#include "bench.h"

enum { N = 1 << 18 };
static float *x, *given;

static void prepare(void) {
    x = make(N * sizeof *x), given = make(N * sizeof *given);
    for (int i = 0; i < N; i++)
        given[i] = random_bits() & 3;
    send(x, N);
}

static void run(void) {
    static cl_kernel walsh;
    if (!walsh)
        walsh = cl_find("walsh");
    memcpy(x, given, N * sizeof *x);
    send(x, N);
    ARRAY(walsh, 0, x);
    for (int step = 1; step < N; step *= 2) {
        VALUE(walsh, 1, step);
        cl_launch(walsh, N / 2, 1, 0, 0);
    }
}

static int wrong(void) {
    int bad = 0;
    fetch(x, N);
    float *expected = make(N * sizeof *expected);
    memcpy(expected, given, N * sizeof *expected);
    for (int step = 1; step < N; step *= 2)
        for (int i = 0; i < N; i++)
            if (!(i & step)) {
                float a = expected[i], b = expected[i + step];
                expected[i] = a + b, expected[i + step] = a - b;
            }
    for (int i = 0; i < N; i++)
        bad += x[i] != expected[i];
    free(expected);
    return bad;
}
