// Which team gets which iterations of a `distribute` loop with a reduction across teams: chunk by chunk where the program
// says so, however it says it; in one piece where it says nothing (docs/decisions/0024-reducing-loops-in-one-piece.md). Each once, with the right sum in any case.

#include <limits.h>
#include <stdint.h>

#include "check.h"

enum { N = 5003 };
static int owner[N + 1]; // the team that ran the iteration, and 1; an iteration that runs twice changes `twice`
static int teams, twice;

static void clear(void) {
    memset(owner, 0, sizeof owner);
    teams = twice = 0;
}

// Every iteration ran, once.
static void each_once(const char *what, int count) {
    int missing = 0;
    for (int i = 0; i < N; i++)
        missing += (owner[i] != 0) != (i < count);
    if (missing || twice)
        printf("%s: %d iterations missing or too many, %d run twice\n", what, missing, twice);
    EXPECT(missing, 0);
    EXPECT(twice, 0);
}

// Chunks go round the teams in order.
static void dealt_round(const char *what, int chunk) {
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += owner[i] != i / chunk % teams + 1;
    if (wrong)
        printf("%s: %d iterations with another team than chunks of %d would give them\n", what, wrong, chunk);
    EXPECT(wrong, 0);
}

// A team has no more than one piece; teams differ by less than two units of 32.
static void in_one_piece(const char *what) {
    int pieces = 1, shortest = N, longest = 0, begin = 0;
    for (int i = 1; i <= N; i++)
        if (i == N || owner[i] != owner[i - 1]) {
            int length = i - begin;
            begin = i;
            pieces += i < N;
            longest = length > longest ? length : longest;
            shortest = i < N && length < shortest ? length : shortest; // but for the last, which is cut
        }
    if (pieces > teams || longest - shortest > 32)
        printf("%s: %d pieces of %d to %d iterations for %d teams\n", what, pieces, shortest, longest, teams);
    EXPECT(pieces <= teams, 1);
    EXPECT(longest - shortest <= 32, 1);
}

#define MARK(i)                                                                                              \
    int before;                                                                                              \
    _Pragma("omp atomic capture") {                                                                          \
        before = owner[i];                                                                                   \
        owner[i] = omp_get_team_num() + 1;                                                                   \
    }                                                                                                        \
    if (before) {                                                                                            \
        _Pragma("omp atomic write") twice = 1;                                                               \
    }                                                                                                        \
    if (i == 0) {                                                                                            \
        _Pragma("omp atomic write") teams = omp_get_num_teams();                                             \
    }

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define LOOP(...)                                                                                            \
    {                                                                                                        \
        clear();                                                                                             \
        long sum = 1;                                                                                        \
        PRAGMA(omp target teams distribute parallel for reduction(+ : sum) map(tofrom : owner, teams, twice) __VA_ARGS__) \
        for (int i = 0; i < N; i++) {                                                                        \
            MARK(i)                                                                                          \
            sum += i;                                                                                        \
        }                                                                                                    \
        EXPECT(sum, 1 + (long)N * (N - 1) / 2);                                                              \
        each_once(#__VA_ARGS__, N);                                                                          \
    }

static void chunks(void) {
    int c = 64;
    LOOP(num_teams(5) thread_limit(128) dist_schedule(static, 128))
    dealt_round("a constant of the block's size", 128);
    LOOP(num_teams(5) thread_limit(64) dist_schedule(static, c))
    dealt_round("a variable of the block's size", 64);
    LOOP(num_teams(3) dist_schedule(static, 7))
    dealt_round("a small constant", 7);
}

static void pieces(int optimised) {
    for (int t = 5; t < 300; t += 145)
        for (int limit = 33; limit < 128; limit += 31) {
            LOOP(num_teams(t) thread_limit(limit))
            if (optimised)
                in_one_piece("num_teams and thread_limit");
        }
    LOOP(schedule(dynamic, 5))
}

// The team with the last iteration knows that it has it.
static void last_value(void) {
    for (int t = 1; t < 70; t += 34) {
        int last = -1;
        long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) lastprivate(last) map(tofrom : last) num_teams(t) thread_limit(64)
        for (int i = 3; i <= N; i += 4) {
            last = i;
            sum += 1;
        }
        EXPECT(last, 5003);
        EXPECT(sum, 1251);
    }
}

static void collapsed(void) {
    clear();
    long sum = 0;
#pragma omp target teams distribute parallel for collapse(3) reduction(+ : sum) num_teams(9) map(tofrom : owner, teams, twice)
    for (int a = 0; a < 10; a++)
        for (long b = 20; b > 0; b--)
            for (unsigned c = 0; c < 21; c += 2) {
                int i = (int)((a * 20 + (20 - b)) * 11 + c / 2);
                MARK(i)
                sum += i;
            }
    EXPECT(sum, 2200L * 2199 / 2);
    each_once("collapse(3)", 2200);
}

// Iterations of a loop of a type from `first` on, beyond which lies `bound`, a few numbers of teams.
#define COUNT(type)                                                                                          \
    static void count_##type(type first, type bound, type step, long expected) {                             \
        for (int t = 1; t < 12; t += 5) {                                                                    \
            long sum = 0;                                                                                    \
            PRAGMA(omp target teams distribute parallel for reduction(+ : sum) num_teams(t) thread_limit(64)) \
            for (type i = first; i < bound; i += step)                                                       \
                sum += 1 + (i == first);                                                                     \
            EXPECT(sum, expected);                                                                           \
        }                                                                                                    \
    }
COUNT(int)
COUNT(unsigned)
COUNT(int64_t)
COUNT(uint64_t)

static void types(void) {
    count_int(INT_MAX - 700, INT_MAX, 1, 701);
    count_int(INT_MIN, INT_MIN + 700, 3, 235);
    count_int(5, 5, 1, 0);
    count_int(5, -5, 1, 0);
    count_unsigned(UINT_MAX - 900, UINT_MAX, 1, 901);
    count_unsigned(9, 2, 1, 0);
    count_int64_t(INT64_MAX - 900, INT64_MAX, 1, 901);
    count_int64_t(-3000000000, 3000000000, 10000000, 601);
    count_uint64_t(UINT64_MAX - 900, UINT64_MAX, 1, 901);
    long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) num_teams(6)
    for (unsigned i = 4000; i > 10; i -= 3)
        sum += i;
    EXPECT(sum, 2668645);
}

// Two loops of one region, and a reduction in a region that is no loop.
static void two_loops(void) {
    long a = 0, b = 0;
#pragma omp target teams reduction(+ : a, b) num_teams(5)
    {
#pragma omp distribute parallel for reduction(+ : a)
        for (int i = 0; i < N; i++)
            a += i;
#pragma omp distribute parallel for reduction(+ : b) dist_schedule(static, 10)
        for (int i = 0; i < N; i++)
            b += 2 * i;
    }
    EXPECT(a, (long)N * (N - 1) / 2);
    EXPECT(b, (long)N * (N - 1));
}

int main(int count, char **arguments) {
    int optimised = count > 1 && !strcmp(arguments[1], "one-piece");
    chunks();
    pieces(optimised);
    last_value();
    collapsed();
    types();
    two_loops();
    return done();
}
