// The EPCC micro-benchmarks (J. M. Bull, "Measuring Synchronisation and Scheduling Overheads in OpenMP", EWOMP 1999) for target
// regions: what the files of the suites share. README.md, "epcc", explains the method.
#ifndef EPCC_H
#define EPCC_H

#include <omp.h>
#include <stdint.h>

// What a kernel has of its team, in device memory.
struct team {
    uint64_t ticks;   // cycles of the device's clock that the measured part took
    uint64_t steady;  // the same on a clock of known rate
    omp_lock_t lock;  // the measured lock
    int counter;      // what atomic and lock change
    int threads;      // threads that the team had
    float sink;       // never written, but nobody can know
};

// One launch.
struct run {
    struct team *own;     // device memory, one per team
    int teams, threads;   // its shape
    int inner;            // inner repetitions
    int length;           // iterations of a delay
    int parameter;        // chunk or size, where there is one
};

typedef void launch(const struct run *);

// Who does the delays of one unit, an execution of the construct.
enum work {
    EACH,  // every thread one
    ONE,   // one thread one
    LOOP,  // every thread ITERATIONS
    TURNS, // one thread one, and one thread after the other: each has inner / threads units, at least one
    NONE,  // nobody, but one thread after the other as in TURNS
};

enum { ITERATIONS = 16 }; // of a thread in a loop of the scheduling suite, on average

// A construct and its kernels.
struct construct {
    const char *suite, *name;
    enum work work;
    int parameter; // chunk or size; 0: none
    int per;       // units in one of the `inner` repetitions; 0: one
    launch *spmd;  // in a kernel in SPMD mode
    launch *generic;
};

// A team of `threads` threads does `inner / threads` turns each.
static inline int turns(int inner, int threads) { return inner > threads ? inner / threads : 1; }

#pragma omp begin declare target

// The moment: cycles, and a clock of known rate (omp_get_wtick).
struct moment {
    uint64_t ticks, steady;
};

static inline struct moment now(void) {
#if defined __NVPTX__ || defined __AMDGCN__
    return (struct moment){__builtin_readcyclecounter(), __builtin_readsteadycounter()};
#else
    return (struct moment){__builtin_readcyclecounter(), (uint64_t)(omp_get_wtime() / omp_get_wtick())};
#endif
}

static inline void took(struct team *own, struct moment begin) {
    struct moment end = now();
    own->ticks = end.ticks - begin.ticks;
    own->steady = end.steady - begin.steady;
}

// Bull's delay: a chain of additions. Not unrolled, so that it is the same code wherever it stands.
static inline void delay(int length, float *sum) {
    int i = 0;
#pragma clang loop unroll(disable) vectorize(disable)
    do
        *sum += i;
    while (++i < length);
}

// Keeps what a delay computed alive.
static inline void keep(struct team *own, float sum) {
    if (sum < 0)
        own->sink = sum;
}

static inline void work(struct team *own, int length) {
    float sum = 0;
    delay(length, &sum);
    keep(own, sum);
}

// Called where a kernel begins that is to stay in generic mode: sequential code with an effect that only one thread may have.
// openmp-opt makes every other kernel here SPMD.
static inline void sequential(void) { __asm__ volatile("" ::: "memory"); }

#pragma omp end declare target

#define OMP(...) _Pragma_(omp __VA_ARGS__)
#define _Pragma_(...) _Pragma(#__VA_ARGS__)

#define LAUNCH                                                                                                                   \
    const int teams = run->teams, threads = run->threads, inner = run->inner, length = run->length, parameter = run->parameter; \
    struct team *const all = run->own;                                                                                           \
    (void)inner, (void)length, (void)parameter;
#define BOTH(name) name##_spmd, name##_generic
#define TEAMS OMP(target teams num_teams(teams) thread_limit(threads) is_device_ptr(all))
#define OWN (&all[omp_get_team_num()])
// Not unrolled: a unit is to cost the same however many there are.
#define NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#define REPEAT NOT_UNROLLED for (int j = 0; j < inner; j++)
#define TURN NOT_UNROLLED for (int j = turns(inner, threads); j > 0; j--)

// Kernels `NAME_spmd` and `NAME_generic` whose region's threads all run the statements given.
#define IN_REGION(name, ...) IN_REGION_SHARING(name, , __VA_ARGS__)
// The same with variables that the region's threads share.
#define IN_REGION_SHARING(name, shared, ...)                                                                                     \
    static void name##_spmd(const struct run *run) {                                                                             \
        LAUNCH TEAMS {                                                                                                           \
            shared OMP(parallel) { TIMED_REGION(__VA_ARGS__) }                                                                   \
        }                                                                                                                        \
    }                                                                                                                            \
    static void name##_generic(const struct run *run) {                                                                          \
        LAUNCH TEAMS {                                                                                                           \
            sequential();                                                                                                        \
            shared OMP(parallel) { TIMED_REGION(__VA_ARGS__) }                                                                   \
        }                                                                                                                        \
    }
#define TIMED_REGION(...)                                                                                                        \
    struct team *own = OWN;                                                                                                      \
    float sum = 0;                                                                                                               \
    OMP(barrier)                                                                                                                 \
    struct moment begin = now();                                                                                                 \
    __VA_ARGS__                                                                                                                  \
    OMP(barrier)                                                                                                                 \
    if (omp_get_thread_num() == 0)                                                                                               \
        took(own, begin);                                                                                                        \
    keep(own, sum);

// The same with the statements in sequential code, for constructs that fork.
#define IN_SEQUENCE(name, ...)                                                                                                   \
    static void name##_spmd(const struct run *run) {                                                                             \
        LAUNCH TEAMS { TIMED_SEQUENCE(__VA_ARGS__) }                                                                             \
    }                                                                                                                            \
    static void name##_generic(const struct run *run) {                                                                          \
        LAUNCH TEAMS {                                                                                                           \
            sequential();                                                                                                        \
            TIMED_SEQUENCE(__VA_ARGS__)                                                                                          \
        }                                                                                                                        \
    }
#define TIMED_SEQUENCE(...)                                                                                                      \
    struct team *own = OWN;                                                                                                      \
    struct moment begin = now();                                                                                                 \
    __VA_ARGS__                                                                                                                  \
    took(own, begin);

#endif
