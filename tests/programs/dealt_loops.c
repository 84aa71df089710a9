// Loops over more iterations than there are threads, of any length and with any number of threads: each iteration is
// executed once, whoever executes it.

#include "check.h"

enum { MOST = 40000 };
static int visits[MOST + 64];
static long squares[MOST + 64];

static void check(int n, long last) {
    for (int i = 0; i < MOST + 64; i++) {
        EXPECT(visits[i], i < n);
        EXPECT(squares[i], i < n ? (long)i * i : 0);
        visits[i] = 0, squares[i] = 0;
    }
    EXPECT(last, n - 1);
}

// Nobody asks for the thread. The counter has 32 bits, with a sign and without, or 64.
static void silent(int n, int teams, int threads) {
    long last = -1;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) lastprivate(last)              \
    map(tofrom : visits, squares, last)
    for (int i = 0; i < n; i++)
        visits[i]++, squares[i] = (long)i * i, last = i;
    check(n, last);
#pragma omp target teams distribute parallel for num_teams(teams) num_threads(threads) map(tofrom : visits, squares)
    for (unsigned i = 0; i < (unsigned)n; i++)
        visits[i]++, squares[i] = (long)i * i;
    check(n, n - 1);
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) map(tofrom : visits, squares)
    for (long i = n - 1; i >= 0; i--)
        visits[i]++, squares[i] = i * i;
    check(n, n - 1);
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(threads)                    \
    map(tofrom : visits, squares)
    for (int row = 0; row < 7; row++)
        for (int i = row; i < n; i += 7)
            visits[i]++, squares[i] = (long)i * i;
    check(n, n - 1);
}

// As programs have it: the number of teams is left open.
static void open(int n) {
#pragma omp target teams distribute parallel for map(tofrom : visits, squares)
    for (int i = 0; i < n; i++)
        visits[i]++, squares[i] = (long)i * i;
    check(n, n - 1);
#pragma omp target teams distribute parallel for map(tofrom : visits, squares)
    for (unsigned long i = 0; i < (unsigned long)n; i++)
        visits[i]++, squares[i] = (long)i * i;
    check(n, n - 1);
}

// Threads that say who they are get the iterations that their numbers say.
static void telling(int n, int teams, int threads) {
    static int mine[MOST];
    int all = 0;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) map(from : mine) map(tofrom : all)
    for (int i = 0; i < n; i++) {
        int number = omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num();
        mine[i] = number;
        if (i == 0)
            all = omp_get_num_teams() * omp_get_num_threads();
    }
    for (int i = 0; i < n; i++)
        EXPECT(mine[i], i % all);
}

int main(void) {
    static const int lengths[] = {1, 31, 32, 33, 640, 1000, 4095, 4096, 4097, 39999};
    static const int grids[][2] = {{1, 32}, {1, 100}, {3, 64}, {7, 128}, {40, 96}, {2, 48}};
    for (int n = 0; n < 10; n++) {
        open(lengths[n]);
        for (int grid = 0; grid < 6; grid++) {
            silent(lengths[n], grids[grid][0], grids[grid][1]);
            telling(lengths[n], grids[grid][0], grids[grid][1]);
        }
    }
    return done();
}
