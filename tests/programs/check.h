// Checks for the whole-program tests. Every program works with offload and without: compiled with
// -DOFFLOAD, done() also insists that target regions run on a device, unless OMP_TARGET_OFFLOAD=DISABLED.

#ifndef CHECK_H
#define CHECK_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks_failed = 0, checks_done = 0;

// `is` and `expected` as numbers, with what and where when they differ.
#define EXPECT(is, expected) check_equal((double)(is), (double)(expected), #is, __FILE__, __LINE__)
#define EXPECT_NEAR(is, expected, tolerance)                                                                 \
    check_near((double)(is), (double)(expected), tolerance, #is, __FILE__, __LINE__)

static inline void check_failed(const char *what, double is, double expected, const char *file, int line) {
    if (++checks_failed <= 20)
        printf("%s:%d: %s is %.17g, expected %.17g\n", file, line, what, is, expected);
}

static inline void check_equal(double is, double expected, const char *what, const char *file, int line) {
    checks_done++;
    if (!(is == expected) && !(is != is && expected != expected))
        check_failed(what, is, expected, file, line);
}

// Relative to the larger of 1 and the expected magnitude.
static inline void check_near(double is, double expected, double tolerance, const char *what, const char *file,
                              int line) {
    double size = expected < 0 ? -expected : expected, difference = is > expected ? is - expected : expected - is;
    checks_done++;
    if (!(difference <= tolerance * (size > 1 ? size : 1)) && !(is == expected) && !(is != is && expected != expected))
        check_failed(what, is, expected, file, line);
}

// Whether target regions run on a device here.
static inline int offloading(void) {
    int host = 1;
#pragma omp target map(from : host)
    host = omp_is_initial_device();
    return !host;
}

// To be returned from main.
static inline int done(void) {
#ifdef OFFLOAD
    const char *policy = getenv("OMP_TARGET_OFFLOAD");
    EXPECT(offloading(), !policy || strcmp(policy, "DISABLED") != 0);
#else
    EXPECT(offloading(), 0);
#endif
    if (checks_failed)
        printf("FAIL: %d of %d checks\n", checks_failed, checks_done);
    else
        printf("PASS\n");
    return checks_failed != 0;
}

#endif
