// Loops whose chunks are handed out as threads ask, in kernels whose threads ask as lanes of a vector: each iteration once, by whomever.
#include "check.h"
#include <stdint.h>

enum { MOST = 3000 };
static int hits[MOST];

static void check(const char *what, long count) {
    int wrong = 0;
    for (long i = 0; i < MOST; i++)
        wrong += hits[i] != (i < count);
    if (wrong)
        printf("%s, %ld iterations:\n", what, count);
    EXPECT(wrong, 0);
    memset(hits, 0, sizeof hits);
}

static void spmd(int count, int chunk) {
#pragma omp target teams distribute parallel for schedule(dynamic) map(tofrom : hits) num_teams(3)
    for (int i = 0; i < count; i++)
        hits[i]++;
    check("dynamic", count);
#pragma omp target parallel for schedule(dynamic, 16) map(tofrom : hits)
    for (int i = 0; i < count; i++)
        hits[i]++;
    check("dynamic, 16", count);
#pragma omp target parallel for schedule(dynamic, chunk) map(tofrom : hits)
    for (int i = 0; i < count; i++)
        hits[i]++;
    check("dynamic, chunk", count);
}

static void long_spmd(long count, long chunk) {
#pragma omp target parallel for schedule(dynamic, chunk) map(tofrom : hits)
    for (long i = 0; i < count; i++)
        hits[i]++;
    check("long dynamic, chunk", count);
#pragma omp target parallel for schedule(guided) map(tofrom : hits)
    for (long i = 0; i < count; i++)
        hits[i]++;
    check("long guided", count);
}

static void guided_spmd(int count) {
#pragma omp target parallel for schedule(guided, 3) map(tofrom : hits)
    for (int i = 0; i < count; i++)
        hits[i]++;
    check("guided, 3", count);
}

static void runtime_spmd(int count) {
#pragma omp target parallel for schedule(runtime) map(tofrom : hits)
    for (int i = 0; i < count; i++)
        hits[i]++;
    check("runtime", count);
}

// The teams' masters are busy alone between the regions.
static void generic(int count) {
    int sums[2] = {0, 0};
#pragma omp target teams num_teams(2) map(tofrom : hits, sums)
    {
        int team = omp_get_team_num(), half = count / 2, before = 0;
        for (int i = 0; i < team; i++)
            before += half;
#pragma omp parallel for schedule(dynamic, 4)
        for (int i = before; i < before + half; i++)
            hits[i]++;
        for (int i = before; i < before + half; i++)
            sums[team] += hits[i];
#pragma omp parallel for schedule(guided)
        for (int i = before; i < before + half; i++)
            hits[i] += sums[team] - half;
    }
    EXPECT(sums[0], count / 2);
    EXPECT(sums[1], count / 2);
    check("generic", count / 2 * 2);
}

int main(void) {
    for (int count = 0; count <= MOST; count += 600) {
        spmd(count, 7);
        long_spmd(count, 5);
        guided_spmd(count);
        runtime_spmd(count);
        generic(count);
    }
    // A chunk as large as the type: what is asked for after the last one must not come round to the first.
    spmd(MOST, INT32_MAX);
    long_spmd(MOST, INT64_MAX);
    return done();
}
