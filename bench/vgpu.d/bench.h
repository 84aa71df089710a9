// What every benchmark in this folder has in common: one source, several shapes of it.
//
//   (none)           an OpenMP target program: for the virtual GPU and for LLVM's host offload
//   -DBENCH_HOST     plain OpenMP on the host's threads: a team is one thread, its barriers are nothing
//   -DBENCH_HAND     with BENCH_HOST, the same in vectors by hand (mandelbrot, nbody)
//   -DBENCH_OPENCL   the host side of the OpenCL kernel beside it (opencl.h); with BENCH_CUDA, of the CUDA kernel of
//                    that name (../cuda.d)
//
// A benchmark defines
//   prepare()   makes the data and sends it to the device (send(), twin())
//   run()       the region that is timed, on data the device has
//   wrong()     fetches the results and says how many differ from a serial computation
// The program checks the first run, repeats the region and prints the median of its times in µs, or their mean if
// BENCH_MEAN is in the environment: under load, a few long times are most of what a user waits for.

#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void prepare(void);
static void run(void);
static int wrong(void);

#define BENCH_PRAGMA(text) _Pragma(#text)

#if defined(BENCH_OPENCL)
#ifdef BENCH_CUDA
#include "../cuda.d/cuda.h"
#else
#include "opencl.h"
#endif
#define send(array, count) cl_send(array, (count) * sizeof *(array))
#define fetch(array, count) cl_fetch(array, (count) * sizeof *(array))
#elif defined(BENCH_HOST)
#define send(array, count) ((void)0)
#define fetch(array, count) ((void)0)
// A loop over everything.
#define PARALLEL_FOR(...) BENCH_PRAGMA(omp parallel for __VA_ARGS__)
// A loop over `count` teams of `threads`; in it, TEAM is what all threads of a team do.
#define TEAMS(count, threads) BENCH_PRAGMA(omp parallel for)
#define TEAM(threads)
#define TEAM_BARRIER
#define TEAM_ATOMIC
#define team_thread() 0
#define team_threads() 1
#else
#define BENCH_SENDS
// What was sent goes when the program ends.
static struct {
    char *array;
    size_t bytes;
} bench_sent[16];
static int bench_sends;
static void bench_keep(void *array, size_t bytes) {
    bench_sent[bench_sends].array = array;
    bench_sent[bench_sends++].bytes = bytes;
}
#define send(array, count)                                                                                             \
    do {                                                                                                               \
        BENCH_PRAGMA(omp target enter data map(to : (array)[0 : count]))                                               \
        bench_keep(array, (count) * sizeof *(array));                                                                  \
    } while (0)
#define fetch(array, count) BENCH_PRAGMA(omp target update from((array)[0 : count]))
#define PARALLEL_FOR(...) BENCH_PRAGMA(omp target teams distribute parallel for __VA_ARGS__)
#define TEAMS(count, threads) BENCH_PRAGMA(omp target teams distribute num_teams(count) thread_limit(threads))
#define TEAM(threads) BENCH_PRAGMA(omp parallel num_threads(threads))
#define TEAM_BARRIER BENCH_PRAGMA(omp barrier)
#define TEAM_ATOMIC BENCH_PRAGMA(omp atomic)
#define team_thread() omp_get_thread_num()
#define team_threads() omp_get_num_threads()
#endif

// Allocates or ends the program.
static void *make(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

// Numbers that are the same everywhere.
static unsigned random_state = 1;
static unsigned random_bits(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}
static float random_float(float low, float high) { return low + (high - low) * (float)(random_bits() & 0xffff) / 65536.0f; }

// Whether a result is what was expected, up to rounding.
static int differs(double got, double expected, double tolerance) {
    double scale = fabs(expected) > 1.0 ? fabs(expected) : 1.0;
    return !(fabs(got - expected) <= tolerance * scale);
}

// With BENCH_CPU_TIME in the environment, CPU time of the process: on a machine that others use, and with one thread.
static double now(void) {
    struct timespec time;
    clock_gettime(getenv("BENCH_CPU_TIME") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// At least 3 runs, and as many as fit into 0.2 s.
int main(void) {
    enum { LEAST = 3, MOST = 1 << 16 };
    static double times[MOST];
    prepare();
    run();
    int bad = wrong();
    if (bad) {
        printf("FAIL: %d results differ\n", bad);
        return 1;
    }
    int runs = 0;
    double sum = 0;
    for (double begin = now(); runs < MOST && (runs < LEAST || now() - begin < 2e5); runs++) {
        double start = now();
        run();
        times[runs] = now() - start;
        sum += times[runs];
    }
    qsort(times, runs, sizeof *times, by_value);
    printf("%.3f\n", getenv("BENCH_MEAN") ? sum / runs : times[runs / 2]);
#ifdef BENCH_SENDS
    for (int i = 0; i < bench_sends; i++) {
        char *array = bench_sent[i].array;
#pragma omp target exit data map(delete : array[0 : bench_sent[i].bytes])
    }
#endif
    return 0;
}

#endif
