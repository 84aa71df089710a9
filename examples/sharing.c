// sharing: what a team's initial thread declares, the threads of an inner `parallel` share.
//
// After Figures 5 and 6 of Bercea et al., "Implementing implicit OpenMP data sharing on GPUs"
// (LLVM-HPC 2017): a growing number of shared scalars, then of shared arrays with one entry per thread.
// The runtime hands the workers a list of references: 20 fit in a fixed list in shared memory, more go
// through global memory. 64 is the count at which the paper stops, 80 is beyond it.
//
//     omptarget run examples/sharing.c

#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { TEAMS = 4, WORKERS = 96, SIZE = TEAMS * WORKERS };

// LIST_n(X) is X(0) … X(n - 1).
#define TENS(X, t) X(t##0) X(t##1) X(t##2) X(t##3) X(t##4) X(t##5) X(t##6) X(t##7) X(t##8) X(t##9)
#define LIST_1(X) X(0)
#define LIST_2(X) LIST_1(X) X(1)
#define LIST_3(X) LIST_2(X) X(2)
#define LIST_4(X) LIST_3(X) X(3)
#define LIST_8(X) LIST_4(X) X(4) X(5) X(6) X(7)
#define LIST_10(X) LIST_8(X) X(8) X(9)
#define LIST_16(X) LIST_10(X) X(10) X(11) X(12) X(13) X(14) X(15)
#define LIST_20(X) LIST_10(X) TENS(X, 1)
#define LIST_21(X) LIST_20(X) X(20)
#define LIST_32(X) LIST_20(X) TENS(X, 2) X(30) X(31)
#define LIST_64(X) LIST_20(X) TENS(X, 2) TENS(X, 3) TENS(X, 4) TENS(X, 5) X(60) X(61) X(62) X(63)
#define LIST_65(X) LIST_64(X) X(64)
#define LIST_80(X) LIST_65(X) X(65) X(66) X(67) X(68) X(69) TENS(X, 7)

// The entries of `a` that the calling thread owns: one, when the team has all the threads asked for.
// (OpenMP may give fewer; the host, without offload, does.)
#define MY_ENTRIES(w) int w = omp_get_thread_num(); w < WORKERS; w += omp_get_num_threads()

static int report(const char *what, int count, int wrong) {
    if (wrong)
        printf("%d shared %s: %d values differ\n", count, what, wrong);
    return wrong != 0;
}

#define DECLARE(i) int d##i = 10 + i;
#define ADD(i) +d##i
#define INCREMENT(i) d##i++;
#define COUNT(i) +1
#define SUM(i) +(10 + i)

// Two parallel regions read the scalars, the initial thread changes them in between, and every worker
// adds to the first one: so they are shared, not copied.
#define SHARE_SCALARS(n)                                                                                       \
    static int scalars_##n(void) {                                                                             \
        int a[SIZE], shared[TEAMS], wrong = 0;                                                                 \
        memset(a, 0, sizeof a);                                                                                \
        _Pragma("omp target teams distribute num_teams(TEAMS) thread_limit(WORKERS) map(tofrom : a, shared)")  \
        for (int t = 0; t < TEAMS; t++) {                                                                      \
            LIST_##n(DECLARE)                                                                                  \
            int *mine = a + t * WORKERS;                                                                       \
            _Pragma("omp parallel num_threads(WORKERS)")                                                       \
            for (MY_ENTRIES(w))                                                                                \
                mine[w] += 0 LIST_##n(ADD);                                                                    \
            LIST_##n(INCREMENT)                                                                                \
            _Pragma("omp parallel num_threads(WORKERS)")                                                       \
            for (MY_ENTRIES(w))                                                                                \
                mine[w] += 0 LIST_##n(ADD);                                                                    \
            _Pragma("omp parallel num_threads(WORKERS)")                                                       \
            for (MY_ENTRIES(w)) {                                                                              \
                _Pragma("omp atomic")                                                                          \
                d0 += 0 LIST_##n(COUNT);                                                                       \
            }                                                                                                  \
            shared[t] = d0;                                                                                    \
        }                                                                                                      \
        for (int i = 0; i < SIZE; i++)                                                                         \
            wrong += a[i] != 2 * (LIST_##n(SUM)) + (LIST_##n(COUNT));                                          \
        for (int i = 0; i < TEAMS; i++)                                                                        \
            wrong += shared[i] != 11 + WORKERS * (LIST_##n(COUNT));                                            \
        return report("scalars", n, wrong);                                                                    \
    }

#define DECLARE_ARRAY(i) int d##i[WORKERS];
#define FILL(i) d##i[w] = (i + 1) * w;
#define ADD_ELEMENT(i) +d##i[w]
#define REPLACE_ELEMENT(i) d##i[w] += 1;
#define SUM_ELEMENT(i) +((i + 1) * w)

#define SHARE_ARRAYS(n)                                                                                        \
    static int arrays_##n(void) {                                                                              \
        int a[SIZE], wrong = 0;                                                                                \
        memset(a, 0, sizeof a);                                                                                \
        _Pragma("omp target teams distribute num_teams(TEAMS) thread_limit(WORKERS) map(tofrom : a)")          \
        for (int t = 0; t < TEAMS; t++) {                                                                      \
            LIST_##n(DECLARE_ARRAY)                                                                            \
            int *mine = a + t * WORKERS;                                                                       \
            for (int w = 0; w < WORKERS; w++) {                                                                \
                LIST_##n(FILL)                                                                                 \
            }                                                                                                  \
            _Pragma("omp parallel num_threads(WORKERS)")                                                       \
            for (MY_ENTRIES(w)) {                                                                              \
                mine[w] += 0 LIST_##n(ADD_ELEMENT);                                                            \
                LIST_##n(REPLACE_ELEMENT)                                                                      \
            }                                                                                                  \
            /* What the workers stored, their initial thread sees. */                                          \
            for (int w = 0; w < WORKERS; w++)                                                                  \
                mine[w] += 0 LIST_##n(ADD_ELEMENT);                                                            \
        }                                                                                                      \
        for (int i = 0; i < SIZE; i++) {                                                                       \
            int w = i % WORKERS;                                                                               \
            wrong += a[i] != 2 * (LIST_##n(SUM_ELEMENT)) + (LIST_##n(COUNT));                                  \
        }                                                                                                      \
        return report("arrays", n, wrong);                                                                     \
    }

SHARE_SCALARS(1)
SHARE_SCALARS(2)
SHARE_SCALARS(4)
SHARE_SCALARS(8)
SHARE_SCALARS(16)
SHARE_SCALARS(20)
SHARE_SCALARS(21)
SHARE_SCALARS(32)
SHARE_SCALARS(64)
SHARE_SCALARS(65)
SHARE_SCALARS(80)
SHARE_ARRAYS(1)
SHARE_ARRAYS(2)
SHARE_ARRAYS(3)
SHARE_ARRAYS(4)

// On a device a team has exactly the threads it asked for: the block size follows thread_limit.
static int team_size(void) {
    int threads = 0, host = 1;
#pragma omp target teams num_teams(1) thread_limit(WORKERS) map(from : threads, host)
    {
        host = omp_is_initial_device();
#pragma omp parallel num_threads(WORKERS)
#pragma omp single
        threads = omp_get_num_threads();
    }
    if (host || threads == WORKERS)
        return 0;
    printf("a team asked for %d threads has %d\n", WORKERS, threads);
    return 1;
}

int main(void) {
    int wrong = scalars_1() + scalars_2() + scalars_4() + scalars_8() + scalars_16() + scalars_20() +
                scalars_21() + scalars_32() + scalars_64() + scalars_65() + scalars_80();
    wrong += arrays_1() + arrays_2() + arrays_3() + arrays_4() + team_size();
    printf(wrong ? "FAIL: %d of 16 programs differ\n" : "PASS\n", wrong);
    return wrong != 0;
}
