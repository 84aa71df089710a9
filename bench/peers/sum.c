// The sum of doubles across all teams; the result comes to the host.
#include "peers.h"

static long n;
static double *x, result;

static void sum(void) {
    double *from = x, total = 0;
#pragma omp target teams distribute parallel for reduction(+ : total) map(tofrom : total)
    for (long i = 0; i < n; i++)
        total += from[i];
    result = total;
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    n = chosen.elements;
    x = (double *)allocate(n * sizeof *x);
    double expected = 0;
    for (long i = 0; i < n; i++)
        expected += x[i] = (double)(i % 1000); // sums of whole numbers are exact in any order
#pragma omp target enter data map(to : x[0 : n])
    measure("sum", (double)n * sizeof *x, 1, chosen.samples, sum);
    return ended(result != expected);
}
