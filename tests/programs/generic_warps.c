// Generic mode, whose workers have a warp form: what regions of a team's master may do. (The masters print, which keeps
// openmp-opt from making the kernels SPMD.)

#include "check.h"

enum { N = 1000 };

static double *numbers(void) {
    double *a = malloc(N * sizeof *a);
    for (int i = 0; i < N; i++)
        a[i] = i;
    return a;
}

// Regions of as many threads as the block has workers, of fewer warps, and of a part of a warp, with barriers and reductions.
static void teams(void) {
    int wanted[] = {128, 96, 64, 50, 33, 7, 1, 1000}, got[8] = {0}, singles = 0;
    double *a = numbers(), *b = numbers(), sums[8] = {0};
#pragma omp target map(tofrom : a[:N], b[:N], got, sums, singles) map(to : wanted) thread_limit(128)
    for (int r = 0; r < 8; r++) {
        int threads = 0;
        double sum = 0;
#pragma omp parallel num_threads(wanted[r])
        {
            int t = omp_get_thread_num(), all = omp_get_num_threads();
            if (t == all - 1)
                threads = all;
            for (int i = t; i < N; i += all)
                b[i] = a[(i + 1) % N];
#pragma omp barrier
            for (int i = t; i < N; i += all)
                a[i] = b[(i + 1) % N] + r;
#pragma omp single
            singles++;
        }
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < N; i++)
            sum += a[i];
        got[r] = threads, sums[r] = sum;
        if (r == 7)
            printf("%d teams\n", r + 1);
    }
    for (int r = 0; r < 8; r++) {
        EXPECT(got[r], (wanted[r] < 128 ? wanted[r] : 128));
        EXPECT(sums[r], N * (N - 1) / 2.0 + N * r * (r + 1) / 2.0);
    }
    EXPECT(singles, 8);
    free(a), free(b);
}

#pragma omp begin declare target
static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int minus(int x) { return -x; }
int (*const operations[])(int) = {twice, square, minus};
#pragma omp end declare target

// Pointers to functions that differ from thread to thread, regions in functions that are not inlined.
__attribute__((noinline)) static void fill(int *out, int from) {
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        out[i] = operations[(i + from) % 3](i);
}

static void calls(void) {
    int *out = malloc(N * sizeof *out);
    for (int from = 0; from < 3; from++) {
#pragma omp target map(from : out[:N])
        {
            fill(out, from);
            printf("filled from %d\n", from);
        }
        for (int i = 0; i < N; i++) {
            int which = (i + from) % 3;
            EXPECT(out[i], (which == 0 ? 2 * i : which == 1 ? i * i : -i));
        }
    }
    free(out);
}

// Regions in regions run on one thread each.
static void nested(void) {
    int inner = 0, levels = 0;
#pragma omp target map(tofrom : inner, levels)
    {
#pragma omp parallel num_threads(40) reduction(+ : inner, levels)
        {
#pragma omp parallel for reduction(+ : inner)
            for (int i = 0; i < 5; i++)
                inner += omp_get_num_threads();
            levels += omp_get_level();
        }
        printf("%d levels\n", levels);
    }
    EXPECT(inner, 40 * 5);
    EXPECT(levels, 40);
}

// An atomic, output of workers, a local variable of the master that the workers share.
static void shared(void) {
    int hits = 0, *seen = calloc(N, sizeof *seen);
#pragma omp target map(tofrom : seen[:N], hits)
    {
        int count = 0;
        for (int r = 0; r < 3; r++) {
            int base = r * 10;
#pragma omp parallel for
            for (int i = 0; i < N; i++) {
                seen[i] += base + i;
                if (i % 100 == 0) {
#pragma omp atomic
                    count++;
                }
            }
#pragma omp parallel num_threads(64)
            if (omp_get_thread_num() == 33)
                printf("worker %d of round %d\n", omp_get_thread_num(), r);
        }
        hits = count;
        printf("%d hits\n", count);
    }
    for (int i = 0; i < N; i++)
        EXPECT(seen[i], 30 + 3 * i);
    EXPECT(hits, 30);
    free(seen);
}

int main(void) {
    teams();
    calls();
    nested();
    shared();
    return done();
}
