// Loops that the threads of one team share: of every type and bound, in teams of any size, alone in their region and
// not, with and without code that asks which thread executes an iteration.
#include "check.h"

enum { N = 1000 };

static int counts[N];
static long sum_of(int n) { return (long)n * (n - 1) / 2; }

// Each iteration once.
static void once(int n, int threads) {
    memset(counts, 0, sizeof counts);
#pragma omp target parallel for map(tofrom : counts) num_threads(threads)
    for (int i = 0; i < n; i++)
        counts[i]++;
    int right = 0;
    for (int i = 0; i < N; i++)
        right += counts[i] == (i < n);
    EXPECT(right, N);
}

static void types(int n) {
    long sums[6] = {0};
#pragma omp target parallel for map(tofrom : sums) reduction(+ : sums[:6])
    for (unsigned i = 0; i < (unsigned)n; i++)
        sums[0] += i;
#pragma omp target parallel for map(tofrom : sums) reduction(+ : sums[:6])
    for (long i = n - 1; i >= 0; i--)
        sums[1] += i;
#pragma omp target parallel for map(tofrom : sums) reduction(+ : sums[:6])
    for (unsigned long i = 3; i < 3ul * n; i += 3)
        sums[2] += i;
#pragma omp target parallel for collapse(2) map(tofrom : sums) reduction(+ : sums[:6])
    for (int i = 0; i < n; i++)
        for (short j = 0; j < 3; j++)
            sums[3] += i * j;
#pragma omp target parallel for simd map(tofrom : sums) reduction(+ : sums[:6])
    for (int i = 0; i < n; i++)
        sums[4] += i;
    EXPECT(sums[0], sum_of(n));
    EXPECT(sums[1], sum_of(n));
    EXPECT(sums[2], 3 * sum_of(n));
    EXPECT(sums[3], 3 * sum_of(n));
    EXPECT(sums[4], sum_of(n));
}

// The last iteration's value.
static void last(int n) {
    int value = -1;
#pragma omp target parallel for map(from : value) lastprivate(value)
    for (int k = 0; k < n; k++)
        value = k * 3;
    EXPECT(value, (n - 1) * 3);
}

// schedule(static, 1): who asks gets every n-th iteration.
static void asked(int n) {
    int wrong = 0;
#pragma omp target parallel for schedule(static, 1) map(tofrom : wrong) reduction(+ : wrong)
    for (int i = 0; i < n; i++)
        wrong += omp_get_thread_num() != i % omp_get_num_threads();
    EXPECT(wrong, 0);
}

// The same thread executes iterations of the same number of both loops (OpenMP 5.2, 11.5.3).
static void second(int *a, int n) {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < n; i++)
        a[i] = a[i] * 2 + 1;
}

static void two_loops(int n) {
    int a[N] = {0}, b[N] = {0}, right = 0;
#pragma omp target map(tofrom : a, b)
#pragma omp parallel
    {
#pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < n; i++)
            a[i] = i;
#pragma omp for schedule(static, 1)
        for (int i = 0; i < n; i++)
            a[i] = a[i] * 2 + 1;
    }
#pragma omp target map(tofrom : b)
#pragma omp parallel
    {
#pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < n; i++)
            b[i] = i;
        second(b, n);
    }
    for (int i = 0; i < n; i++)
        right += a[i] == 2 * i + 1 && b[i] == 2 * i + 1;
    EXPECT(right, n);
}

// In generic mode, in a league, and nested.
static void regions(int n) {
    long rows = 0, outer = 0;
    int team[8] = {0};
#pragma omp target teams distribute num_teams(3) thread_limit(96) map(tofrom : team) reduction(+ : rows)
    for (int r = 0; r < 8; r++) {
        int sum = r;
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < n; i++)
            sum += i & 7;
        team[r] = sum;
        rows += sum;
    }
    int of_row = 0;
    for (int i = 0; i < n; i++)
        of_row += i & 7;
    EXPECT(rows, 8L * of_row + 28);
    EXPECT(team[7], of_row + 7);
#pragma omp target parallel for map(tofrom : outer) reduction(+ : outer)
    for (int i = 0; i < 20; i++) {
        long mine = 0;
#pragma omp parallel for reduction(+ : mine)
        for (int j = 0; j < n; j++)
            mine += j;
        outer += mine;
    }
    EXPECT(outer, 20 * sum_of(n));
}

int main(void) {
    const int lengths[] = {0, 1, 31, 32, 33, 127, 128, 129, 500, N};
    const int teams[] = {1, 7, 32, 40, 64, 128, 200};
    for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (unsigned t = 0; t < sizeof teams / sizeof *teams; t++)
            once(lengths[l], teams[t]);
    for (int n = 1; n <= N; n += 333) {
        types(n);
        last(n);
        asked(n);
        two_loops(n);
        regions(n);
    }
    return done();
}
