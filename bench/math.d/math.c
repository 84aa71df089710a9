// A function of <math.h> over arrays, in a target region and on the host: nanoseconds per value on one CPU, and the
// largest error in units in the last place.
//
// -DNAME=expf -DTYPE=float -DWIDE=double -DREFERENCE=exp -DLOW=-80 -DHIGH=80; with two arguments -DLOW2, -DHIGH2, too.
// -DHOST: on the host, where -fveclib says which library serves the vectors.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 1 << 16, ROUNDS = 64 };

static TYPE first[COUNT], second[COUNT], result[COUNT];

#ifdef LOW2
#define CALL(function, x, y) function(x, y)
#else
#define LOW2 0
#define HIGH2 1
#define CALL(function, x, y) function(x)
#endif

// CPU time, as other programs may be running. One multiprocessor is one thread.
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void compute(TYPE *restrict to, const TYPE *restrict x, const TYPE *restrict y, int rounds) {
    for (int round = 0; round < rounds; ++round) {
#ifdef HOST
        for (int i = 0; i < COUNT; ++i)
#else
#pragma omp target teams distribute parallel for num_teams(64) thread_limit(128) map(to : x[ : COUNT], y[ : COUNT]) \
    map(from : to[ : COUNT])
        for (int i = 0; i < COUNT; ++i)
#endif
            to[i] = CALL(NAME, x[i], y[i]);
#ifdef HOST
        __asm__ volatile("" ::: "memory");
#endif
    }
}

// The distance of a value from the exact one, in units in the last place of the result's type.
static double distance(TYPE value, WIDE exact) {
    TYPE rounded = (TYPE)exact;
    if (value == rounded || (value != value && rounded != rounded))
        return 0;
    if (isinf(rounded) || isinf(value) || value != value || rounded != rounded)
        return INFINITY;
    int exponent;
    frexpl(exact, &exponent);
    int digits = sizeof(TYPE) == 4 ? 24 : 53, least = sizeof(TYPE) == 4 ? -149 : -1074;
    int place = exponent - digits < least ? least : exponent - digits;
    return (double)fabsl(((long double)value - exact) / ldexpl(1, place));
}

int main(void) {
    for (int i = 0; i < COUNT; ++i) {
        first[i] = (TYPE)(LOW + (HIGH - (LOW)) * drand48());
        second[i] = (TYPE)(LOW2 + (HIGH2 - (LOW2)) * drand48());
    }
    double best = INFINITY;
#pragma omp target data map(to : first, second) map(from : result)
    {
        compute(result, first, second, 2);
        for (int trial = 0; trial < 5; ++trial) {
            double start = now();
            compute(result, first, second, ROUNDS);
            double time = (now() - start) / ((double)COUNT * ROUNDS);
            best = time < best ? time : best;
        }
    }
    double worst = 0;
    for (int i = 0; i < COUNT; ++i) {
        double error = distance(result[i], CALL(REFERENCE, (WIDE)first[i], (WIDE)second[i]));
        worst = error > worst ? error : worst;
    }
    printf("%.4f %.3f\n", best, worst);
    return 0;
}
