// y = a x + y on data that stay on the device.
#include "peers.h"

static long n;
static float *x, *y;

static void saxpy(void) {
    float *from = x, *to = y;
#pragma omp target teams distribute parallel for
    for (long i = 0; i < n; i++)
        to[i] += 2.0f * from[i];
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    n = chosen.elements;
    x = (float *)allocate(n * sizeof *x);
    y = (float *)allocate(n * sizeof *y);
    for (long i = 0; i < n; i++)
        x[i] = (float)(i % 7), y[i] = 1.0f;
#pragma omp target enter data map(to : x[0 : n], y[0 : n])
    measure("saxpy", 3.0 * n * sizeof *x, 1, chosen.samples, saxpy);
#pragma omp target update from(y[0 : n])
    long wrong = 0;
    for (long i = 0; i < n; i++)
        wrong += y[i] != 1.0f + 2.0f * (i % 7) * (chosen.samples + 1);
    return ended(wrong);
}
