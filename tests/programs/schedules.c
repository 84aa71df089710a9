// Worksharing: every schedule, chunk, loop shape and index type; each iteration exactly once.

#include <limits.h>
#include <stdint.h>

#include "check.h"

enum { N = 1003 };
static int hits[N];

static void each_once(const char *what) {
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        wrong += hits[i] != 1;
        hits[i] = 0;
    }
    if (wrong)
        printf("%s: %d iterations not run exactly once\n", what, wrong);
    EXPECT(wrong, 0);
}

#define ONCE(directive)                                                                                      \
    {                                                                                                        \
        _Pragma(directive) for (int i = 0; i < N; i++) {                                                     \
            _Pragma("omp atomic") hits[i]++;                                                                 \
        }                                                                                                    \
        each_once(directive);                                                                                \
    }

// simd and loop allow no atomic inside.
#define ONCE_PLAIN(directive)                                                                                \
    {                                                                                                        \
        _Pragma(directive) for (int i = 0; i < N; i++) hits[i]++;                                            \
        each_once(directive);                                                                                \
    }

static void combined(void) {
    ONCE("omp target teams distribute map(tofrom : hits)")
    ONCE("omp target teams distribute dist_schedule(static, 10) map(tofrom : hits)")
    ONCE("omp target teams distribute parallel for map(tofrom : hits)")
    ONCE("omp target teams distribute parallel for num_teams(7) thread_limit(33) map(tofrom : hits)")
    ONCE("omp target teams distribute parallel for dist_schedule(static, 100) schedule(static, 3) map(tofrom : hits)")
    ONCE("omp target teams distribute parallel for schedule(dynamic) num_teams(3) map(tofrom : hits)")
    ONCE("omp target teams distribute parallel for schedule(guided, 4) num_teams(5) map(tofrom : hits)")
    ONCE_PLAIN("omp target teams distribute parallel for simd map(tofrom : hits)")
    ONCE_PLAIN("omp target teams distribute simd simdlen(4) map(tofrom : hits)")
    ONCE("omp target parallel for map(tofrom : hits)")
    ONCE("omp target parallel for num_threads(1) map(tofrom : hits)")
    ONCE("omp target parallel for num_threads(77) schedule(static) map(tofrom : hits)")
    ONCE("omp target parallel for schedule(static, 7) map(tofrom : hits)")
    ONCE("omp target parallel for schedule(dynamic, 5) map(tofrom : hits)")
    ONCE("omp target parallel for schedule(guided) map(tofrom : hits)")
    ONCE("omp target parallel for schedule(auto) map(tofrom : hits)")
    ONCE("omp target parallel for schedule(runtime) map(tofrom : hits)")
    ONCE_PLAIN("omp target parallel for simd schedule(static, 8) map(tofrom : hits)")
    ONCE_PLAIN("omp target simd map(tofrom : hits)")
    ONCE_PLAIN("omp target teams loop map(tofrom : hits)")
    ONCE_PLAIN("omp target parallel loop map(tofrom : hits)")
    if (!offloading())
        return; // libomp 19 skips iterations of these two on the host
    ONCE("omp target teams distribute parallel for schedule(static, 1) num_teams(3) map(tofrom : hits)")
    ONCE_PLAIN("omp target teams distribute parallel for simd schedule(simd : static, 5) map(tofrom : hits)")
}

// The same in a generic region, with a chunk only known at run time, and orphaned.
#define INNER(schedule)                                                                                      \
    {                                                                                                        \
        _Pragma("omp parallel num_threads(41)") {                                                            \
            _Pragma(schedule) for (int i = 0; i < N; i++) {                                                  \
                _Pragma("omp atomic") hits[i]++;                                                             \
            }                                                                                                \
        }                                                                                                    \
    }

#pragma omp declare target
static void orphaned(int *counts, int chunk) {
#pragma omp for schedule(static, chunk) nowait
    for (int i = 0; i < N; i++) {
#pragma omp atomic
        counts[i]++;
    }
#pragma omp for schedule(dynamic, chunk)
    for (int i = N - 1; i >= 0; i--) {
#pragma omp atomic
        counts[i]++;
    }
}
#pragma omp end declare target

static void separate(int chunk) {
    int rounds = 0;
#pragma omp target map(tofrom : hits, rounds)
    {
        rounds = 1;
        INNER("omp for")
        rounds++;
        INNER("omp for schedule(static, chunk)")
        rounds++;
        INNER("omp for schedule(dynamic, chunk)")
        rounds++;
        INNER("omp for schedule(guided, chunk)")
        rounds++;
        INNER("omp for schedule(nonmonotonic : dynamic)")
        rounds++;
        INNER("omp for schedule(monotonic : dynamic, 2)")
#pragma omp parallel num_threads(13)
        orphaned(hits, chunk);
        rounds += 2;
    }
    EXPECT(rounds, 8);
    for (int i = 0; i < N; i++) {
        EXPECT(hits[i], 8);
        hits[i] = 0;
    }
}

static void shapes(void) {
    long sum = 0;
    // Steps other than one, down, with != and >=, and no iterations at all.
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 5; i < 100; i += 7)
        sum += i;
    EXPECT(sum, 14 * 5 + 7 * 91);
    sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) schedule(static, 2)
    for (int i = 100; i > -100; i -= 9)
        sum += i;
    EXPECT(sum, 23 * 100 - 9 * 253);
    sum = 0;
#pragma omp target parallel for reduction(+ : sum) schedule(dynamic, 3)
    for (int i = 10; i >= 0; --i)
        sum += i;
    EXPECT(sum, 55);
    sum = 0;
#pragma omp target parallel for reduction(+ : sum)
    for (int i = 3; i != 33; i += 3)
        sum += i;
    EXPECT(sum, 165);
    sum = 0;
    int none = -4;
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < none; i++)
        sum++;
#pragma omp target parallel for reduction(+ : sum) schedule(dynamic)
    for (int i = 0; i < none; i++)
        sum++;
    EXPECT(sum, 0);
}

static void index_types(void) {
    long count = 0;
    // Unsigned, near its largest value.
#pragma omp target teams distribute parallel for reduction(+ : count)
    for (unsigned i = UINT_MAX - 10; i < UINT_MAX; i++)
        count++;
    EXPECT(count, 10);
    count = 0;
#pragma omp target parallel for reduction(+ : count) schedule(dynamic, 4)
    for (unsigned i = UINT_MAX - 1; i > UINT_MAX - 21; i--)
        count++;
    EXPECT(count, 20);
    count = 0;
    // 64 bits, beyond 32, negative.
#pragma omp target teams distribute parallel for reduction(+ : count) schedule(static, 5)
    for (int64_t i = -5000000000; i < -5000000000 + 1000; i += 10)
        count += i < -4999999000;
    EXPECT(count, 100);
    count = 0;
#pragma omp target parallel for reduction(+ : count) schedule(guided)
    for (uint64_t i = UINT64_MAX - 40; i < UINT64_MAX - 5; i += 5)
        count++;
    EXPECT(count, 7);
    count = 0;
    // Small types wrap in their own arithmetic, not in the trip count.
#pragma omp target teams distribute parallel for reduction(+ : count)
    for (unsigned char i = 0; i < 255; i++)
        count++;
    EXPECT(count, 255);
    count = 0;
#pragma omp target parallel for reduction(+ : count)
    for (signed char i = -100; i < 100; i += 3)
        count++;
    EXPECT(count, 67);
    count = 0;
    // More iterations than 32 bits count: each thread takes few of them.
#pragma omp target teams distribute parallel for reduction(+ : count) num_teams(4)
    for (int64_t i = INT64_MIN / 2; i < INT64_MAX / 2; i += INT64_MAX / 64)
        count++;
    EXPECT(count, 65);
    count = 0;
    // Nearly the whole range of int.
#pragma omp target teams distribute parallel for reduction(+ : count)
    for (int i = INT_MIN; i < INT_MAX - (1 << 23); i += 1 << 22)
        count++;
    EXPECT(count, 1022);
}

static void collapsed(void) {
    enum { A = 7, B = 11, C = 5 };
    static int grid[A][B][C];
#pragma omp target teams distribute parallel for collapse(3) map(tofrom : grid)
    for (int a = 0; a < A; a++)
        for (int b = B - 1; b >= 0; b--)
            for (long c = 0; c < C; c++)
                grid[a][b][c] += a * 100 + b * 10 + (int)c;
#pragma omp target parallel for collapse(2) schedule(dynamic, 3) map(tofrom : grid)
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            for (int c = 0; c < C; c++)
                grid[a][b][c]++;
#pragma omp target teams distribute collapse(2) map(tofrom : grid)
    for (int a = 0; a < A; a += 2)
        for (int b = 0; b < B; b += 3)
#pragma omp parallel for
            for (int c = 0; c < C; c++)
                grid[a][b][c] += 1000;
    int wrong = 0;
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            for (int c = 0; c < C; c++)
                wrong += grid[a][b][c] != a * 100 + b * 10 + c + 1 + (a % 2 == 0 && b % 3 == 0 ? 1000 : 0);
    EXPECT(wrong, 0);
    // Non-rectangular (OpenMP 5.0).
    int triangle = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : triangle)
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < i; j++)
            triangle += 1;
    EXPECT(triangle, 190);
}

// schedule(static): thread t of T gets a contiguous block, the same in two loops of equal length.
static void static_is_static(void) {
    int owner[200], same = 1, ascending = 1;
#pragma omp target map(from : owner) map(tofrom : same)
#pragma omp parallel num_threads(24)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 200; i++)
            owner[i] = omp_get_thread_num();
#pragma omp for schedule(static)
        for (int i = 0; i < 200; i++)
            if (owner[i] != omp_get_thread_num())
                same = 0;
    }
    for (int i = 1; i < 200; i++)
        ascending = ascending && owner[i] >= owner[i - 1];
    EXPECT(same, 1);
    EXPECT(ascending, 1);
}

static void ordered(void) {
    int order[60], next = 0;
#pragma omp target map(tofrom : order, next)
#pragma omp parallel for ordered schedule(dynamic) num_threads(9)
    for (int i = 0; i < 60; i++) {
        int mine = i * 2;
#pragma omp ordered
        order[next++] = mine;
    }
    for (int i = 0; i < 60; i++)
        EXPECT(order[i], 2 * i);
}

int main(void) {
    combined();
    separate(4);
    shapes();
    index_types();
    collapsed();
    static_is_static();
    ordered();
    return done();
}
