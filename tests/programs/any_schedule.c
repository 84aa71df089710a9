// Schedules of loops that do not ask for their thread, whose iterations may then be any thread's; and of the same loops
// that ask, whose iterations are dealt as the program says.
#include "check.h"

enum { MOST = 2500 };
static int a[MOST], thread[MOST], team[MOST];

#define LOOP(directive, type, end)                                                                           \
    {                                                                                                        \
        memset(a, 0, sizeof a);                                                                              \
        _Pragma(directive) for (type i = 0; i < (type)end; i++) a[i] += (int)i + 1;                          \
        for (int i = 0; i < MOST; i++)                                                                       \
            EXPECT(a[i], i < end ? i + 1 : 0);                                                               \
    }

// Of three types of counters.
#define LOOPS(directive)                                                                                     \
    LOOP(directive, int, n)                                                                                  \
    LOOP(directive, unsigned, n)                                                                             \
    LOOP(directive, long, n)

static void combined(int n) {
    LOOPS("omp target teams distribute parallel for schedule(static, 16) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for schedule(static, n) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for schedule(dynamic) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for schedule(dynamic, 64) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for schedule(monotonic : dynamic, 3) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for schedule(guided, 4) num_teams(3) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for schedule(runtime) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for schedule(auto) thread_limit(33) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for dist_schedule(static, 64) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for dist_schedule(static, 7) schedule(static, 2) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for dist_schedule(static, 500) schedule(guided) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for simd schedule(simd : static, 5) map(tofrom : a)")
    LOOPS("omp target teams distribute parallel for simd schedule(dynamic, 5) map(tofrom : a)")
}

static void in_a_team(int n) {
    LOOPS("omp target parallel for schedule(static) map(tofrom : a)")
    LOOPS("omp target parallel for schedule(static, 16) map(tofrom : a)")
    LOOPS("omp target parallel for schedule(static, n) num_threads(50) map(tofrom : a)")
    LOOPS("omp target parallel for simd schedule(static, 3) map(tofrom : a)")
    LOOPS("omp target parallel for schedule(dynamic, 16) map(tofrom : a)")
    // As many iterations as the compiler knows.
    LOOP("omp target parallel for map(tofrom : a)", int, MOST)
    LOOP("omp target parallel for schedule(static) map(tofrom : a)", unsigned, MOST)
    LOOP("omp target parallel for schedule(static, 16) map(tofrom : a)", int, MOST)
    LOOP("omp target teams distribute parallel for schedule(static, 16) map(tofrom : a)", unsigned, MOST)
    LOOP("omp target teams distribute parallel for schedule(dynamic, 16) map(tofrom : a)", int, MOST)
}

#define SUM(directive)                                                                                       \
    {                                                                                                        \
        long sum = 0;                                                                                        \
        _Pragma(directive) for (int i = n; i > 0; i--) sum += i;                                             \
        EXPECT(sum, (long)n * (n + 1) / 2);                                                                  \
    }

#define LAST(directive)                                                                                      \
    {                                                                                                        \
        int last = -1;                                                                                       \
        _Pragma(directive) for (int i = 0; i < n; i += 3) last = i;                                          \
        EXPECT(last, (n - 1) / 3 * 3);                                                                       \
    }

static void results(int n) {
    SUM("omp target teams distribute parallel for schedule(static, 16) reduction(+ : sum)")
    SUM("omp target teams distribute parallel for schedule(dynamic, 16) reduction(+ : sum)")
    SUM("omp target teams distribute parallel for schedule(guided) reduction(+ : sum)")
    SUM("omp target teams distribute parallel for dist_schedule(static, 16) reduction(+ : sum)")
    SUM("omp target parallel for schedule(static, 16) reduction(+ : sum)")
    SUM("omp target parallel for schedule(static) reduction(+ : sum)")
    LAST("omp target teams distribute parallel for schedule(static, 16) lastprivate(last) map(tofrom : last)")
    LAST("omp target teams distribute parallel for schedule(dynamic, 16) lastprivate(last) map(tofrom : last)")
    LAST("omp target parallel for schedule(static, 16) lastprivate(last) map(tofrom : last)")
    memset(a, 0, sizeof a);
#pragma omp target teams distribute parallel for collapse(2) schedule(dynamic, 8) map(tofrom : a)
    for (int i = 0; i < n / 10; i++)
        for (unsigned j = 0; j < 10; j++)
            a[i * 10 + j]++;
    for (int i = 0; i < MOST; i++)
        EXPECT(a[i], i < n / 10 * 10);
}

// Where the program asks it finds what OpenMP promises (OpenMP 5.2, §11.5.3 and §11.6.1).
static void asked(int n) {
    int threads = 0, teams = 0;
#pragma omp target parallel for schedule(static, 16) num_threads(32) map(from : thread) map(tofrom : threads)
    for (int i = 0; i < n; i++) {
        thread[i] = omp_get_thread_num();
        if (i == 0)
            threads = omp_get_num_threads();
    }
    for (int i = 0; i < n; i++)
        EXPECT(thread[i], i / 16 % threads);
#pragma omp target teams distribute parallel for dist_schedule(static, 24) num_teams(5) map(from : team) \
    map(tofrom : teams)
    for (int i = 0; i < n; i++) {
        team[i] = omp_get_team_num();
        if (i == 0)
            teams = omp_get_num_teams();
    }
    for (int i = 0; i < n; i++)
        EXPECT(team[i], i / 24 % teams);
#pragma omp target teams num_teams(3) map(from : team)
    {
        int own = omp_get_team_num();
#pragma omp distribute parallel for dist_schedule(static, 24)
        for (int i = 0; i < n; i++)
            team[i] = own;
    }
    for (int i = 0; i < n; i++)
        EXPECT(team[i] == team[i / 24 * 24], 1);
    // The same iterations of both loops are one thread's: nobody waits between them.
    memset(a, 0, sizeof a);
#pragma omp target parallel num_threads(64) map(tofrom : a)
    {
#pragma omp for schedule(static, 4) nowait
        for (int i = 0; i < n; i++)
            a[i] = i;
#pragma omp for schedule(static, 4)
        for (int i = 0; i < n; i++)
            a[i] *= 2;
    }
    for (int i = 0; i < n; i++)
        EXPECT(a[i], 2 * i);
}

int main(void) {
    for (int n = 1; n <= MOST; n += n < 100 ? 33 : 800) {
        if (offloading()) // libomp executes iterations of some of these several times on the host
            combined(n);
        in_a_team(n);
        results(n);
        asked(n);
    }
    return done();
}
