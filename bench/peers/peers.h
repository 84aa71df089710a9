// What the programs of this folder share: arguments, timing, output. For each `NAME.c`, an OpenMP program, there is a
// `NAME.cu` that does the same in CUDA and, with names from hip.cuh, in HIP, written by hand. Both print lines of the
// same form, which scripts/gpu-check compares. No statistics here.

#ifndef PEERS_H
#define PEERS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SAMPLES = 1000 };

// --elements N: size of the problem; --samples N: how often it is timed.
struct options {
    long elements;
    int samples;
};

static inline double nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline long number(const char *text, long most) {
    char *end;
    long value = text ? strtol(text, &end, 10) : 0;
    return text && *end == '\0' && value >= 1 && value <= most ? value : 0;
}

static inline struct options options(int argc, char **argv) {
    struct options chosen = {1 << 16, 11};
    for (int i = 1; i < argc; i += 2) {
        long value = 0;
        if (strcmp(argv[i], "--elements") == 0)
            value = chosen.elements = number(argv[i + 1], 1l << 30);
        else if (strcmp(argv[i], "--samples") == 0)
            value = chosen.samples = (int)number(argv[i + 1], MOST_SAMPLES);
        if (value == 0) {
            fprintf(stderr, "usage: %s [--elements 1..2^30] [--samples 1..%d]\n", argv[0], MOST_SAMPLES);
            exit(2);
        }
    }
    return chosen;
}

static inline void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

// Times `samples` calls of `work` after one that is not timed, and prints a line of JSON: what was measured, the bytes
// that one call moves (0: none to speak of), the repetitions within a call, nanoseconds of each call per repetition.
static inline void measure(const char *what, double bytes, int repetitions, int samples, void (*work)(void)) {
    static double taken[MOST_SAMPLES];
    work();
    for (int i = 0; i < samples; i++) {
        double begin = nanoseconds();
        work();
        taken[i] = (nanoseconds() - begin) / repetitions;
    }
    printf("{\"what\": \"%s\", \"bytes\": %.0f, \"ns\": [", what, bytes);
    for (int i = 0; i < samples; i++)
        printf("%s%.1f", i ? ", " : "", taken[i]);
    printf("]}\n");
}

// The end of main: the number of wrong values decides.
static inline int ended(long wrong) {
    if (wrong)
        fprintf(stderr, "%ld values are wrong\n", wrong);
    return wrong != 0;
}

#endif
