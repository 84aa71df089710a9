// Teams of few threads, of numbers that are no multiples of a warp, and few teams: each iteration is run once, by
// vectors, one by one, and by several CPUs at a time (docs/decisions/0153-threads-in-no-subgroup.md,
// 0154-pieces-of-blocks.md).

#include "check.h"

enum { N = 20011, ROUNDS = 3 };
static int steps[N], sums[N];

// How often 3 n + 1 or n / 2 leads to 1: threads take different ways.
#pragma omp begin declare target
static int collatz(int n) {
    int count = 0;
    for (; n > 1; count++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return count;
}
#pragma omp end declare target

#define PRAGMA(text) _Pragma(#text)

#define RUN(clauses)                                                                                         \
    do {                                                                                                     \
        memset(sums, 0, sizeof sums);                                                                        \
        PRAGMA(omp target data map(tofrom : sums))                                                           \
        for (int round = 0; round < ROUNDS; round++)                                                         \
            PRAGMA(omp target teams distribute parallel for clauses)                                         \
            for (int i = 0; i < N; i++)                                                                      \
                sums[i] += collatz(i) + round;                                                               \
        int wrong = 0;                                                                                       \
        for (int i = 0; i < N; i++)                                                                          \
            wrong += sums[i] != ROUNDS * steps[i] + ROUNDS * (ROUNDS - 1) / 2;                               \
        EXPECT(wrong, 0);                                                                                    \
    } while (0)

int main(void) {
    for (int i = 0; i < N; i++)
        steps[i] = collatz(i);
    RUN(thread_limit(1));
    RUN(thread_limit(4));
    RUN(thread_limit(7));
    RUN(thread_limit(8));
    RUN(thread_limit(12));
    RUN(thread_limit(16));
    RUN(thread_limit(24));
    RUN(thread_limit(33));
    RUN(thread_limit(48) num_teams(500));
    RUN(thread_limit(63));
    RUN(thread_limit(100));
    RUN(thread_limit(250) num_teams(3));
    RUN(num_teams(1));
    RUN(num_teams(1) thread_limit(1024));
    RUN(num_teams(1) thread_limit(1000));
    RUN(num_teams(2) thread_limit(40));
    long long total = 0;
#pragma omp target parallel for map(tofrom : total)
    for (int i = 0; i < 10 * N; i++)
#pragma omp atomic
        total += collatz(i % N);
    for (int i = 0; i < N; i++)
        total -= 10 * steps[i];
    EXPECT(total, 0);
    return done();
}
