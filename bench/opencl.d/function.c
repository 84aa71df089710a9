// function: one of OpenCL C's built-in functions (-DFUNCTION=exp) for every number of an array.

#include "bench.h"

#define TEXT_OF(name) #name "_of"
#define TEXT(name) TEXT_OF(name)

enum { N = 1 << 19 };
static float *x, *y;

static double of(const char *name, double value) {
    switch (name[0]) {
    case 'e':
        return exp(value);
    case 'l':
        return log(value);
    case 'p':
        return pow(value, 1.7f);
    case 't':
        return tanh(value);
    default:
        return name[1] == 'i' ? sin(value) : sqrt(value);
    }
}

static void prepare(void) {
    x = make(N * sizeof *x), y = make(N * sizeof *y);
    for (int i = 0; i < N; i++)
        x[i] = random_float(0.01f, 20.0f), y[i] = 0.0f;
    send(x, N);
    send(y, N);
}

static void run(void) {
    static cl_kernel map;
    if (!map)
        map = cl_find(TEXT(FUNCTION));
    ARRAY(map, 0, x);
    ARRAY(map, 1, y);
    cl_launch(map, N, 1, 256, 1);
}

static int wrong(void) {
    int bad = 0;
    fetch(y, N);
    for (int i = 0; i < N; i++) {
        double expected = of(TEXT(FUNCTION), x[i]);
        bad += !(fabs(y[i] - expected) <= 16 * 6e-8 * fabs(expected) + 1e-9);
    }
    return bad;
}
