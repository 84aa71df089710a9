// Loops in which a thread combines consecutive elements of its own: rows of several lengths, from several places, with
// every operation that may be done in any order, of other types, of two arrays, of one row for all threads.
#include "check.h"
#include <stdint.h>

enum { ROWS = 75, COLUMNS = 131, COUNT = ROWS * COLUMNS };

static int32_t from[COUNT], weights[COLUMNS];
static uint8_t bytes[COUNT];
static int64_t wide[COUNT];
static float floats[COUNT];

struct results {
    int32_t sum, dot, most, least, shared;
    uint32_t all, any, odd, of_bytes;
    int64_t wide, product;
    float floats;
};
static struct results got[ROWS], expected[ROWS];

struct arrays {
    const int32_t *from, *weights;
    const uint8_t *bytes;
    const int64_t *wide;
    const float *floats;
};

#pragma omp begin declare target
static void fold(struct results *to, struct arrays all, int row, int begin, int end) {
    struct results r = {3, 5, -7, 1000, 9, ~0u, 0, 1, 2, -4, 1, 0.5f};
    const int32_t *a = all.from + row * COLUMNS, *weights = all.weights;
    for (int i = begin; i < end; i++)
        r.sum += a[i];
    for (int i = begin; i < end; i++)
        r.dot += a[i] * weights[i] - (a[i] >> 1);
    for (int i = begin; i < end; i++)
        r.most = a[i] > r.most ? a[i] : r.most;
    for (int i = begin; i < end; i++)
        r.least = a[i] < r.least ? a[i] : r.least;
    for (int i = begin; i < end; i++)
        r.shared += weights[i];
    for (int i = begin; i < end; i++)
        r.all &= (uint32_t)a[i] | 0xff00ff;
    for (int i = begin; i < end; i++)
        r.any |= (uint32_t)a[i] << row % 5;
    for (int i = begin; i < end; i++)
        r.odd ^= (uint32_t)a[i];
    for (int i = begin; i < end; i++)
        r.of_bytes += all.bytes[row * COLUMNS + i];
    for (int i = begin; i < end; i++)
        r.wide += all.wide[row * COLUMNS + i] == row ? 1 : all.wide[row * COLUMNS + i];
    for (int i = begin; i < end; i++)
        r.product *= all.wide[row * COLUMNS + i] | 1;
    for (int i = begin; i < end; i++)
        r.floats += all.floats[row * COLUMNS + i];
    *to = r;
}
#pragma omp end declare target

static void compare(void) {
    for (int row = 0; row < ROWS; row++) {
        EXPECT(got[row].sum, expected[row].sum);
        EXPECT(got[row].dot, expected[row].dot);
        EXPECT(got[row].most, expected[row].most);
        EXPECT(got[row].least, expected[row].least);
        EXPECT(got[row].shared, expected[row].shared);
        EXPECT(got[row].all, expected[row].all);
        EXPECT(got[row].any, expected[row].any);
        EXPECT(got[row].odd, expected[row].odd);
        EXPECT(got[row].of_bytes, expected[row].of_bytes);
        EXPECT(got[row].wide, expected[row].wide);
        EXPECT(got[row].product, expected[row].product);
        EXPECT(got[row].floats, expected[row].floats);
    }
}

// All rows, from `begin` to `end`, by all threads or by every other one.
static void rows(int begin, int end, int step) {
    memset(got, 0, sizeof got);
    memset(expected, 0, sizeof expected);
    for (int row = 0; row < ROWS; row += step)
        fold(&expected[row], (struct arrays){from, weights, bytes, wide, floats}, row, begin, end);
#pragma omp target teams distribute parallel for map(from : got) map(to : from, weights, bytes, wide, floats)
    for (int row = 0; row < ROWS; row++) {
        memset(&got[row], 0, sizeof got[row]);
        if (row % step == 0)
            fold(&got[row], (struct arrays){from, weights, bytes, wide, floats}, row, begin, end);
    }
    compare();
}

// Rows of 128 elements that the compiler knows the length of, in memory that is mapped, of each thread a row.
static void mapped(int count) {
    int *data = malloc(sizeof(int) * 128 * count), *sums = malloc(sizeof(int) * count);
    for (int i = 0; i < 128 * count; i++)
        data[i] = i * 7 % 1013 - 500;
#pragma omp target teams distribute parallel for map(to : data[0 : 128 * count]) map(from : sums[0 : count])
    for (int row = 0; row < count; row++) {
        int sum = row;
        for (int i = 0; i < 128; i++)
            sum += data[row * 128 + i];
        sums[row] = sum;
    }
    for (int row = 0; row < count; row++) {
        int sum = row;
        for (int i = 0; i < 128; i++)
            sum += data[row * 128 + i];
        EXPECT(sums[row], sum);
    }
    free(data);
    free(sums);
}

// Rows of a thread's own array, and of an array that the team shares.
static void own_and_shared(void) {
    enum { LENGTH = 96, THREADS = 64, TEAMS = 3 };
    static int sums[TEAMS * THREADS];
#pragma omp target teams distribute num_teams(TEAMS) thread_limit(THREADS) map(from : sums)
    for (int team = 0; team < TEAMS; team++) {
        int common[2 * LENGTH];
#pragma omp parallel num_threads(THREADS)
        {
            for (int i = omp_get_thread_num(); i < 2 * LENGTH; i += omp_get_num_threads())
                common[i] = i * team;
#pragma omp barrier
            for (int thread = omp_get_thread_num(); thread < THREADS; thread += omp_get_num_threads()) {
                int own[LENGTH], sum = 0;
                for (int i = 0; i < LENGTH; i++)
                    own[i * 7 % LENGTH] = i + thread;
                for (int i = 0; i < LENGTH; i++)
                    sum += own[i] & ~1;
                for (int i = 0; i < LENGTH; i++)
                    sum += common[(thread & 1) * LENGTH + i];
                sums[team * THREADS + thread] = sum;
            }
        }
    }
    for (int team = 0; team < TEAMS; team++)
        for (int thread = 0; thread < THREADS; thread++) {
            int sum = 0;
            for (int i = 0; i < LENGTH; i++)
                sum += ((i + thread) & ~1) + ((thread & 1) * LENGTH + i) * team;
            EXPECT(sums[team * THREADS + thread], sum);
        }
}

int main(void) {
    for (int i = 0; i < COUNT; i++) {
        from[i] = i * 37 % 1009 - 501;
        bytes[i] = (uint8_t)(i * 11);
        wide[i] = i % 97 - 40;
        floats[i] = (float)(i % 8) * 0.25f;
    }
    for (int i = 0; i < COLUMNS; i++)
        weights[i] = i % 9 - 4;
    int ends[] = {0, 1, 3, 47, 48, 50, 64, 128, 131};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        for (int step = 1; step < 3; step++)
            rows(0, ends[i], step);
    rows(3, 130, 1);
    rows(70, 131, 1);
    mapped(1);
    mapped(32);
    mapped(500);
    own_and_shared();
    return done();
}
