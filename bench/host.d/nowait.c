// What a region with `nowait` costs: one that the thread waits for at once, and one of many in flight. Microseconds.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 15, REGIONS = 2000 };

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void regions(int wait_for_each) {
    int sum = 0;
#pragma omp target enter data map(to : sum)
    for (int region = 0; region < REGIONS; region++) {
#pragma omp target nowait map(alloc : sum)
        {
#pragma omp atomic
            sum++;
        }
        if (wait_for_each) {
#pragma omp taskwait
        }
    }
#pragma omp taskwait
#pragma omp target exit data map(from : sum)
    if (sum != REGIONS)
        exit(1);
}

static void measure(const char *name, int wait_for_each) {
    double rounds[ROUNDS];
    regions(wait_for_each);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = omp_get_wtime();
        regions(wait_for_each);
        rounds[round] = (omp_get_wtime() - begin) * 1e6 / REGIONS;
    }
    qsort(rounds, ROUNDS, sizeof(double), ascending);
    printf("%s\t%.2f\n", name, rounds[ROUNDS / 2]);
}

int main(void) {
    measure("nowait region and taskwait", 1);
    measure("nowait region, many in flight", 0);
    return 0;
}
