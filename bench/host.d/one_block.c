// What a region of one block costs on the virtual GPU (bench/README.md), in microseconds: the best of five means.
#include <omp.h>
#include <stdio.h>

enum { CALLS = 20000, RUNS = 5 };

static void spmd(int threads) {
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(threads)
    for (int i = 0; i < threads; i++)
        ;
}

static void generic(int threads) {
    (void)threads;
    int x = 0;
#pragma omp target map(tofrom : x)
    x++;
}

static double best(void (*region)(int), int threads) {
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        double begin = omp_get_wtime();
        for (int call = 0; call < CALLS; call++)
            region(threads);
        double mean = (omp_get_wtime() - begin) / CALLS * 1e6;
        best = mean < best ? mean : best;
    }
    return best;
}

int main(void) {
    printf("SPMD, 32 threads\t%.2f\n", best(spmd, 32));
    printf("SPMD, 128 threads\t%.2f\n", best(spmd, 128));
    printf("generic, maps one int\t%.2f\n", best(generic, 0));
}
