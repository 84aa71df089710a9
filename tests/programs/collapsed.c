// Collapsed loops, and loops that recover indices by dividing themselves: rows that end anywhere among the lanes of a
// warp, indices of every type, and numbers that are too large for shortcuts. The host runs the same loops.
#include "check.h"
#include <limits.h>
#include <stdint.h>

enum { MOST = 20000, MARGIN = 600, SIZE = MOST + 2 * MARGIN };
static int in[SIZE], out[SIZE], expected[SIZE];

static void compare(const char *what, long rows, long columns) {
    int wrong = 0;
    for (int k = 0; k < SIZE; k++)
        wrong += out[k] != expected[k];
    if (wrong)
        printf("%s, %ld x %ld:\n", what, rows, columns);
    EXPECT(wrong, 0);
    memset(out, 0, sizeof out);
    memset(expected, 0, sizeof expected);
}

#define PRAGMA(directive) _Pragma(#directive)

// Two loops of type T with a body that reads the neighbours of element (i, j), run by the device and by the host.
#define NEST2(name, T, directive, loops)                                                                     \
    static void name(T n, T m) {                                                                             \
        PRAGMA(omp directive map(to : in) map(tofrom : out))                                                 \
        loops {                                                                                              \
            int *to = out + MARGIN;                                                                          \
            const int *from = in + MARGIN;                                                                   \
            to[i * m + j] += from[i * m + j] + 3 * from[i * m + j + 1] + 5 * from[i * m + j + m] +           \
                             7 * (int)i + 11 * (int)j;                                                       \
        }                                                                                                    \
        loops {                                                                                              \
            int *to = expected + MARGIN;                                                                     \
            const int *from = in + MARGIN;                                                                   \
            to[i * m + j] += from[i * m + j] + 3 * from[i * m + j + 1] + 5 * from[i * m + j + m] +           \
                             7 * (int)i + 11 * (int)j;                                                       \
        }                                                                                                    \
        compare(#name, (long)n, (long)m);                                                                    \
    }

#define UP(T) for (T i = 0; i < n; i++) for (T j = 0; j < m; j++)
#define INNER(T) for (T i = 1; i < n - 1; i++) for (T j = 1; j < m - 1; j++)
#define STEPS(T) for (T i = 1; i < n; i += 2) for (T j = 2; j < m; j += 3)
#define DOWN(T) for (T i = n - 1; i >= 0; i -= 2) for (T j = m - 1; j >= 0; j--)

NEST2(ints, int, target teams distribute parallel for collapse(2), UP(int))
NEST2(unsigneds, unsigned, target teams distribute parallel for collapse(2), UP(unsigned))
NEST2(longs, long, target teams distribute parallel for collapse(2), UP(long))
NEST2(sizes, size_t, target teams distribute parallel for collapse(2), UP(size_t))
NEST2(inner_ints, int, target teams distribute parallel for collapse(2), INNER(int))
NEST2(inner_longs, long, target teams distribute parallel for collapse(2), INNER(long))
NEST2(int_steps, int, target teams distribute parallel for collapse(2), STEPS(int))
NEST2(unsigned_steps, unsigned, target teams distribute parallel for collapse(2), STEPS(unsigned))
NEST2(int_down, int, target teams distribute parallel for collapse(2), DOWN(int))
NEST2(long_down, long, target teams distribute parallel for collapse(2), DOWN(long))
NEST2(few, int, target teams distribute parallel for collapse(2) num_teams(3) thread_limit(64), UP(int))
NEST2(dynamic, int, target teams distribute parallel for collapse(2) schedule(dynamic, 5) num_teams(3), UP(int))
NEST2(chunks, int, target teams distribute parallel for collapse(2) schedule(static, 7) num_teams(3), UP(int))
NEST2(distributed, long, target teams distribute collapse(2) num_teams(7), UP(long))
NEST2(one_team, int, target parallel for collapse(2) num_threads(96), UP(int))

static const int shapes[][2] = {{0, 5},   {5, 0},   {1, 1},   {1, 100}, {100, 1}, {700, 3}, {9, 15},  {40, 16},
                                {40, 17}, {33, 31}, {33, 32}, {33, 33}, {61, 64}, {9, 200}, {3, 1000}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void two(void) {
    for (int k = 0; k < SHAPES; k++) {
        int n = shapes[k][0], m = shapes[k][1];
        ints(n, m);
        unsigneds(n, m);
        longs(n, m);
        sizes(n, m);
        inner_ints(n, m);
        inner_longs(n, m);
        int_steps(n, m);
        unsigned_steps(n, m);
        int_down(n, m);
        long_down(n, m);
        few(n, m);
        dynamic(n, m);
        chunks(n, m);
        distributed(n, m);
        one_team(n, m);
    }
}

// Three loops, a condition on each index, and a loop inside.
static void three(int n, int m, int l) {
    for (int device = 1; device >= 0; device--) {
        int *whole = device ? out : expected;
#pragma omp target teams distribute parallel for collapse(3) map(to : in) map(tofrom : whole[ : SIZE]) if (device)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < l; k++) {
                    int at = MARGIN + (i * m + j) * l + k, sum = 0;
                    for (int o = -1; o <= 1; o++)
                        sum += in[at + o * l] * (o + 3);
                    if (i > 0 && j < m - 1 && k > 0)
                        sum -= 2 * in[at - 1] + j * k;
                    whole[at] += sum;
                }
    }
    compare("three", (long)n * m, l);
}

// A gang of generic mode: its regions run on workers.
static void generic(int n, int m) {
    for (int device = 1; device >= 0; device--) {
        int *whole = device ? out : expected, twice = 0;
#pragma omp target map(to : in) map(tofrom : whole[ : SIZE]) if (device)
        {
            twice = n > 2 ? 2 : 1;
            for (int round = 0; round < twice; round++) {
#pragma omp parallel for collapse(2)
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < m; j++)
                        whole[MARGIN + i * m + j] += in[MARGIN + i * m + j] + i - j + round;
            }
        }
    }
    compare("generic", n, m);
}

static void sums(int n, int m) {
    long sum = 0, right = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum) map(to : in)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum += (long)in[MARGIN + i * m + j] * (i + 1) + j;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            right += (long)in[MARGIN + i * m + j] * (i + 1) + j;
    EXPECT(sum, right);
}

// Consecutive numbers from anywhere on, divided by the program.
#define FROM(name, T)                                                                                        \
    static void name(T base, T by) {                                                                         \
        enum { COUNT = 1000 };                                                                               \
        static T quotients[COUNT], remainders[COUNT];                                                        \
        int wrong = 0;                                                                                       \
        PRAGMA(omp target teams distribute parallel for num_teams(2) map(from : quotients, remainders))      \
        for (int k = 0; k < COUNT; k++) {                                                                    \
            T x = base + (T)k;                                                                               \
            quotients[k] = x / by;                                                                           \
            remainders[k] = x % by;                                                                          \
        }                                                                                                    \
        for (int k = 0; k < COUNT; k++) {                                                                    \
            T x = base + (T)k;                                                                               \
            wrong += quotients[k] != x / by || remainders[k] != x % by;                                      \
        }                                                                                                    \
        if (wrong)                                                                                           \
            printf(#name " from %lld by %lld:\n", (long long)base, (long long)by);                           \
        EXPECT(wrong, 0);                                                                                    \
    }

FROM(from_int32, int32_t)
FROM(from_uint32, uint32_t)
FROM(from_int64, int64_t)
FROM(from_uint64, uint64_t)

static void far(void) {
    static const int64_t starts[] = {0,         -500,          (1LL << 30) - 500, (1LL << 31) - 1000, (1LL << 31) - 500,
                                     1LL << 40, (1LL << 51) - 500, (1LL << 62) - 500, INT64_MAX - 1000,  INT64_MIN};
    static const int64_t divisors[] = {1, 3, 16, 100, 333, 1LL << 20, INT32_MAX, -7, (1LL << 51) + 1, INT64_MAX};
    for (int i = 0; i < (int)(sizeof starts / sizeof *starts); i++)
        for (int j = 0; j < (int)(sizeof divisors / sizeof *divisors); j++) {
            from_int64(starts[i], divisors[j]);
            from_uint64((uint64_t)starts[i], (uint64_t)divisors[j]);
            if (divisors[j] <= INT32_MAX) {
                if (starts[i] <= INT32_MAX - 999 && starts[i] >= INT32_MIN)
                    from_int32((int32_t)starts[i], (int32_t)divisors[j]);
                from_uint32((uint32_t)starts[i], (uint32_t)divisors[j]);
            }
        }
}

// Numbers that are not consecutive.
#define PAIRS(name, T)                                                                                       \
    static void name(const T *x, const T *y, int count) {                                                    \
        int wrong = 0;                                                                                       \
        T *quotients = malloc(sizeof(T) * count), *remainders = malloc(sizeof(T) * count);                   \
        PRAGMA(omp target teams distribute parallel for map(to : x[ : count], y[ : count])                   \
                   map(from : quotients[ : count], remainders[ : count]))                                    \
        for (int k = 0; k < count; k++) {                                                                    \
            quotients[k] = y[k] ? x[k] / y[k] : 1;                                                           \
            remainders[k] = y[k] ? x[k] % y[k] : 1;                                                          \
        }                                                                                                    \
        for (int k = 0; k < count; k++)                                                                      \
            wrong += quotients[k] != (y[k] ? x[k] / y[k] : 1) || remainders[k] != (y[k] ? x[k] % y[k] : 1);   \
        EXPECT(wrong, 0);                                                                                    \
        free(quotients);                                                                                     \
        free(remainders);                                                                                    \
    }

PAIRS(pairs_int8, int8_t)
PAIRS(pairs_uint16, uint16_t)
PAIRS(pairs_int32, int32_t)
PAIRS(pairs_uint32, uint32_t)
PAIRS(pairs_int64, int64_t)
PAIRS(pairs_uint64, uint64_t)

// Operands of `bits` bits and less, with quotients close to integers among them.
static uint64_t number(int k, int bits) {
    uint64_t random = ((uint64_t)k * 0x9E3779B97F4A7C15u) ^ ((uint64_t)k << 29);
    return random >> (64 - bits) >> (k % bits);
}

#define FILL(name, T, bits)                                                                                  \
    {                                                                                                        \
        static T x[COUNT], y[COUNT];                                                                         \
        for (int k = 0; k < COUNT; k++) {                                                                    \
            y[k] = (T)number(k + 1, bits);                                                                   \
            x[k] = (T)number(3 * k + 7, bits);                                                               \
            if (k % 3 == 0 && y[k] > 0)                                                                      \
                x[k] = (T)(x[k] / y[k] * y[k] - (k % 2));                                                    \
            if ((T)-1 < 0 && k % 5 == 0)                                                                     \
                x[k] = (T)(-1 - x[k]);                                                                       \
            if ((T)-1 < 0 && k % 7 == 0 && y[k] > 1)                                                         \
                y[k] = (T)-y[k];                                                                             \
        }                                                                                                    \
        name(x, y, COUNT);                                                                                   \
    }

static void anywhere(void) {
    enum { COUNT = 4096 };
    FILL(pairs_int8, int8_t, 7)
    FILL(pairs_uint16, uint16_t, 16)
    FILL(pairs_int32, int32_t, 31)
    FILL(pairs_uint32, uint32_t, 32)
    FILL(pairs_int64, int64_t, 31)
    FILL(pairs_int64, int64_t, 51)
    FILL(pairs_int64, int64_t, 63)
    FILL(pairs_uint64, uint64_t, 51)
    FILL(pairs_uint64, uint64_t, 64)
}

int main(void) {
    for (int k = 0; k < SIZE; k++)
        in[k] = (k * 37) % 1009;
    two();
    three(0, 3, 3);
    three(5, 1, 40);
    three(7, 9, 33);
    three(4, 30, 31);
    three(50, 20, 3);
    generic(11, 37);
    generic(3, 200);
    sums(31, 33);
    sums(3, 1000);
    far();
    anywhere();
    return done();
}
