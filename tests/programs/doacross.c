// Loops with ordered(n): iterations that wait for others (sink) and tell that they are past a point (source).

#include "check.h"

enum { N = 90, ROWS = 17, COLUMNS = 21 };

// A chain through all iterations, for every schedule and several team sizes.
#define CHAIN(CLAUSES)                                                                                       \
    do {                                                                                                     \
        int a[N] = {1}, order = 0;                                                                           \
        _Pragma("omp target map(tofrom : a, order)")                                                         \
        _Pragma(CLAUSES) for (int i = 1; i < N; i++) {                                                       \
            _Pragma("omp ordered depend(sink : i - 1)") a[i] = a[i - 1] + i;                                 \
            order = i;                                                                                       \
            _Pragma("omp ordered depend(source)")                                                            \
        }                                                                                                    \
        EXPECT(order, N - 1);                                                                                \
        for (int i = 0; i < N; i++)                                                                          \
            EXPECT(a[i], 1 + i * (i + 1) / 2);                                                               \
    } while (0)
// A wavefront over two dimensions: each cell after its neighbours above and to the left, counted downwards and
// in steps.
static void wavefront(void) {
    static int grid[ROWS][COLUMNS];
#pragma omp target map(tofrom : grid)
#pragma omp parallel for ordered(2) num_threads(45) schedule(dynamic)
    for (int i = ROWS - 1; i >= 0; i--)
        for (long j = 0; j < 2 * COLUMNS; j += 2) {
            int up = 0, left = 0;
#pragma omp ordered depend(sink : i + 1, j) depend(sink : i, j - 2)
            if (i < ROWS - 1)
                up = grid[i + 1][j / 2];
            if (j > 0)
                left = grid[i][j / 2 - 1];
            grid[i][j / 2] = 1 + (up > left ? up : left);
#pragma omp ordered depend(source)
        }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            EXPECT(grid[i][j], ROWS - i + j);
}

// A sink that is earlier in one dimension and later in the other, and does not exist at the row's end. (LLVM's host
// runtime waits for it there for ever.)
static void skewed(void) {
    static int grid[ROWS][COLUMNS];
#pragma omp target map(tofrom : grid)
#pragma omp parallel for ordered(2) num_threads(33) schedule(static, 1)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
#pragma omp ordered depend(sink : i - 1, j + 1) depend(sink : i, j - 1)
            int right = i > 0 && j + 1 < COLUMNS ? grid[i - 1][j + 1] : 0, left = j > 0 ? grid[i][j - 1] : 0;
            grid[i][j] = 1 + (right > left ? right : left);
#pragma omp ordered depend(source)
        }
    static int expected[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int right = i > 0 && j + 1 < COLUMNS ? expected[i - 1][j + 1] : 0, left = j > 0 ? expected[i][j - 1] : 0;
            expected[i][j] = 1 + (right > left ? right : left);
            EXPECT(grid[i][j], expected[i][j]);
        }
}

// One loop after the other without a barrier between them, several teams, teams of one, serialised regions,
// loops without iterations.
static void variants(void) {
    int a[5][N] = {{0}}, none = 0;
#pragma omp target teams num_teams(5) thread_limit(40) map(tofrom : a) map(tofrom : none)
    {
        int *mine = a[omp_get_team_num()];
#pragma omp parallel num_threads(40)
        {
            for (int round = 0; round < 3; round++) {
#pragma omp for ordered(1) nowait
                for (int i = 0; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
                    mine[i] += 1 + (i > 0 ? mine[i - 1] > round : 0);
#pragma omp ordered depend(source)
                }
            }
#pragma omp for ordered(1)
            for (int i = 0; i < none; i++) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp atomic
                none++;
#pragma omp ordered depend(source)
            }
#pragma omp barrier
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1)
            for (int i = 0; i < 4; i++) {
#pragma omp ordered depend(sink : i - 2)
#pragma omp atomic
                mine[i] += 100;
#pragma omp ordered depend(source)
            }
        }
    }
    int teams = offloading() ? 5 : 1;
    for (int t = 0; t < teams; t++)
        for (int i = 4; i < N; i++)
            EXPECT(a[t][i], 6);
    if (offloading())
        for (int i = 1; i < 4; i++)
            EXPECT(a[0][i], 6 + 40 * 100);
    EXPECT(none, 0);
}

int main(void) {
    CHAIN("omp parallel for ordered(1) num_threads(1)");
    CHAIN("omp parallel for ordered(1) num_threads(50)");
    CHAIN("omp parallel for ordered(1) schedule(static, 1) num_threads(64)");
    CHAIN("omp parallel for ordered(1) schedule(dynamic, 3) num_threads(33)");
    CHAIN("omp parallel for ordered(1) schedule(guided) num_threads(100)");
    CHAIN("omp parallel for ordered(1) schedule(runtime) num_threads(7)");
    wavefront();
    if (offloading())
        skewed();
    variants();
    return done();
}
