// What the programs of this folder share: arguments, timing, checking, output. Each program holds one or more kernels
// of Table II of Jacob et al., "Efficient Fork-Join on GPUs through Warp Specialization" (HiPC 2017), in two shapes
// (section VI, "SPMD vs. Nested Parallelism"):
//
//   SPMD     `target teams distribute parallel for` on the outer loop; the inner loop is sequential
//   nested   `target teams distribute` on the outer loop, `parallel for` on the inner one
//
// Data stays on the device; what is timed is a kernel's launch with its end. A sample is the time of one run of the
// program's algorithm, summed over a kernel's launches. Every run is compared with what the host computed.
//
// Teams and threads are left to the runtime, as in the paper.

#ifndef NESTED_H
#define NESTED_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPMD, NESTED, SHAPES };
enum { MOST_RUNS = 1000, MOST_SIZE = 64 };

typedef struct {
    const char *name;             // as in Table II
    const char *paper;            // its loop ratio there; empty: the kernel is not in the table
    void (*shape[SHAPES])(void);  // the target region
    long outer, inner;            // trip counts, filled in by setup
    double elapsed;               // nanoseconds of the current run
    double samples[SHAPES][MOST_RUNS];
} Kernel;

typedef struct {
    void (*setup)(int size);      // makes and maps the data, computes the host's result
    void (*reset)(void);          // brings the device's data back to the start
    void (*run)(int shape);       // launches the kernels; null: each of them once
    long (*wrong)(void);          // fetches the device's results; how many values are wrong
    Kernel *kernels;
    int count;
} Program;

#define KERNELS(array) .kernels = array, .count = sizeof array / sizeof *array

// Nanoseconds; omp_get_wtime counts in microseconds.
static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// Runs a kernel's target region and adds to its time.
static inline void launch(Kernel *kernel, int shape) {
    double begin = now();
    kernel->shape[shape]();
    kernel->elapsed += now() - begin;
}

// Zeroed memory.
static inline void *allocate(long count, size_t bytes) {
    void *memory = calloc(count > 0 ? count : 1, bytes);
    if (!memory) {
        fprintf(stderr, "no memory for %ld values of %zu bytes\n", count, bytes);
        exit(1);
    }
    return memory;
}

// Pseudo-random numbers, the same on every machine.
static inline unsigned draw(unsigned bound) {
    static unsigned long long state = 42;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % bound;
}

// In [0, 1), a multiple of 2^-16.
static inline double draw_unit(void) { return draw(1 << 16) / 65536.0; }

// Roundings differ between host and device (fused multiply-add, order of sums); `tolerance` is relative.
static inline int near(double is, double expected, double tolerance) {
    return fabs(is - expected) <= tolerance * fmax(1.0, fabs(expected));
}

static inline long differing_doubles(const double *is, const double *expected, long count, double tolerance) {
    long wrong = 0;
    for (long i = 0; i < count; i++)
        wrong += !near(is[i], expected[i], tolerance);
    return wrong;
}

static inline long differing_floats(const float *is, const float *expected, long count, double tolerance) {
    long wrong = 0;
    for (long i = 0; i < count; i++)
        wrong += !near(is[i], expected[i], tolerance);
    return wrong;
}

static inline long differing_ints(const int *is, const int *expected, long count) {
    long wrong = 0;
    for (long i = 0; i < count; i++)
        wrong += is[i] != expected[i];
    return wrong;
}

typedef struct {
    int size, runs;
} Options;

static inline int number(const char *text, int most) {
    char *end;
    long value = text ? strtol(text, &end, 10) : 0;
    return text && *end == '\0' && value >= 1 && value <= most ? (int)value : 0;
}

static inline Options options(int argc, char **argv) {
    Options chosen = {.size = 1, .runs = 5};
    for (int i = 1; i < argc; i += 2) {
        int *option = NULL, most = 0;
        if (strcmp(argv[i], "--size") == 0)
            option = &chosen.size, most = MOST_SIZE;
        if (strcmp(argv[i], "--runs") == 0)
            option = &chosen.runs, most = MOST_RUNS;
        if (option)
            *option = number(argv[i + 1], most);
        if (!option || *option == 0) {
            fprintf(stderr,
                    "usage: %s [--size 1..%d] [--runs 1..%d]\n"
                    "--size 16 gives the loop ratios of the paper's Table II; default 1, for a virtual GPU\n",
                    argv[0], MOST_SIZE, MOST_RUNS);
            exit(2);
        }
    }
    return chosen;
}

// A line of JSON per kernel and shape.
static inline void report(const Kernel *kernel, int shape, int runs, long wrong) {
    printf("{\"kernel\": \"%s\", \"paper\": \"%s\", \"shape\": \"%s\", \"outer\": %ld, \"inner\": %ld, \"wrong\": %ld, "
           "\"ns\": [",
           kernel->name, kernel->paper, shape == SPMD ? "spmd" : "nested", kernel->outer, kernel->inner, wrong);
    for (int run = 0; run < runs; run++)
        printf("%s%.0f", run ? ", " : "", kernel->samples[shape][run]);
    printf("]}\n");
}

static inline void run_once(const Program *program, int shape) {
    for (int k = 0; k < program->count; k++)
        program->kernels[k].elapsed = 0;
    program->reset();
    if (program->run)
        program->run(shape);
    else
        for (int k = 0; k < program->count; k++)
            launch(&program->kernels[k], shape);
}

// The shapes take turns; the first run of each loads and compiles, and is checked but not timed.
static inline int measure(int argc, char **argv, const Program *program) {
    Options chosen = options(argc, argv);
    long wrong[SHAPES] = {0};
    program->setup(chosen.size);
    for (int run = -1; run < chosen.runs; run++)
        for (int shape = SPMD; shape < SHAPES; shape++) {
            run_once(program, shape);
            wrong[shape] += program->wrong();
            for (int k = 0; k < program->count && run >= 0; k++)
                program->kernels[k].samples[shape][run] = program->kernels[k].elapsed;
        }
    for (int k = 0; k < program->count; k++)
        for (int shape = SPMD; shape < SHAPES; shape++)
            report(&program->kernels[k], shape, chosen.runs, wrong[shape]);
    return wrong[SPMD] + wrong[NESTED] != 0;
}

#endif
