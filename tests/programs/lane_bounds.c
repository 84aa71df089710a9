// Comparisons of 64-bit numbers that count up over the threads with bounds: at both ends of signed and unsigned
// numbers, and where they wrap. All comparisons, with the number on either side.
#include "check.h"
#include <stdint.h>

enum { THREADS = 64, ENDS = 4, AROUND = 5, NUMBERS = ENDS * AROUND };

static uint64_t numbers[NUMBERS];
static int threads;
static uint16_t got[NUMBERS][NUMBERS][THREADS];

#pragma omp begin declare target
// A bit for each comparison that holds.
static uint16_t compare(uint64_t number, uint64_t bound) {
    int64_t n = (int64_t)number, b = (int64_t)bound;
    uint16_t holds = 0;
    if (number < bound)
        holds |= 1;
    if (number <= bound)
        holds |= 2;
    if (bound < number)
        holds |= 4;
    if (bound <= number)
        holds |= 8;
    if (n < b)
        holds |= 16;
    if (n <= b)
        holds |= 32;
    if (b < n)
        holds |= 64;
    if (b <= n)
        holds |= 128;
    if (number == bound)
        holds |= 256;
    if (number != bound)
        holds |= 512;
    return holds;
}
#pragma omp end declare target

static void on_device(void) {
    for (int i = 0; i < NUMBERS; i++) {
        uint64_t first = numbers[i];
#pragma omp target parallel num_threads(THREADS) map(to : numbers) map(tofrom : got, threads)
        {
            int thread = omp_get_thread_num();
            if (thread == 0)
                threads = omp_get_num_threads();
            for (int j = 0; j < NUMBERS; j++)
                got[i][j][thread] = compare(first + (uint64_t)thread, numbers[j]);
        }
    }
}

int main(void) {
    const uint64_t ends[ENDS] = {0, (uint64_t)INT64_MAX, UINT64_MAX, 1000};
    const int around[AROUND] = {-40, -17, 0, 1, 20};
    for (int e = 0; e < ENDS; e++)
        for (int a = 0; a < AROUND; a++)
            numbers[e * AROUND + a] = ends[e] + (uint64_t)(int64_t)around[a];
    on_device();
    EXPECT(threads > 0, 1);
    for (int i = 0; i < NUMBERS; i++)
        for (int j = 0; j < NUMBERS; j++)
            for (int t = 0; t < threads; t++)
                EXPECT(got[i][j][t], compare(numbers[i] + (uint64_t)t, numbers[j]));
    return done();
}
