// Atomic operations of many threads on one place, on few, and on a place for each: every operation, on integers and
// floating-point numbers, some threads only, several operations of a thread in a row with loads between them.
#include "check.h"
#include <stdint.h>

enum { COUNT = 5000, PLACES = 1024 };

struct sums {
    int32_t added, least, most, all, any, odd;
    uint32_t most_unsigned;
    int64_t wide;
    float single_precision;
    double double_precision;
};
static int key[COUNT];
static struct sums got[PLACES], expected[PLACES];
static int64_t pairs[2 * PLACES], expected_pairs[2 * PLACES];
static int later[COUNT];

static void begin(struct sums *to) {
    for (int i = 0; i < PLACES; i++)
        to[i] = (struct sums){1, 1000, -7, ~0, 0, 1, 3, -4, 0.5f, 0.25};
}

// Numbers whose sums are exact in any order.
#pragma omp begin declare target
static int weight(int i) { return i * 37 % 101 - 50; }
#pragma omp end declare target

static void on_host(int places) {
    begin(expected);
    for (int i = 0; i < 2 * PLACES; i++)
        expected_pairs[i] = 0;
    for (int i = 0; i < COUNT; i++) {
        struct sums *at = &expected[key[i] % places];
        int w = weight(i);
        if (i % 7 == 3)
            continue;
        at->added += w;
        at->least = w < at->least ? w : at->least;
        at->most = w > at->most ? w : at->most;
        at->all &= w | 1 << i % 31;
        at->any |= w & 1 << i % 31;
        at->odd ^= w;
        at->most_unsigned = (uint32_t)w > at->most_unsigned ? (uint32_t)w : at->most_unsigned;
        at->wide += (int64_t)w << 33;
        at->single_precision += (float)w;
        at->double_precision += w * 0.5;
        expected_pairs[2 * (key[i] % places)] += w;
        expected_pairs[2 * (key[i] % places) + 1] += 1;
    }
}

static void on_device(int places) {
    begin(got);
#pragma omp target teams distribute parallel for map(to : key) map(tofrom : got)
    for (int i = 0; i < COUNT; i++) {
        int k = key[i] % places, w = weight(i);
        if (i % 7 == 3)
            continue;
#pragma omp atomic
        got[k].added += w;
#pragma omp atomic compare
        got[k].least = w < got[k].least ? w : got[k].least;
#pragma omp atomic compare
        got[k].most = w > got[k].most ? w : got[k].most;
#pragma omp atomic
        got[k].all &= w | 1 << i % 31;
#pragma omp atomic
        got[k].any |= w & 1 << i % 31;
#pragma omp atomic
        got[k].odd ^= w;
        uint32_t u = (uint32_t)w;
#pragma omp atomic compare
        got[k].most_unsigned = u > got[k].most_unsigned ? u : got[k].most_unsigned;
    }
#pragma omp target teams distribute parallel for map(to : key) map(tofrom : got)
    for (int i = 0; i < COUNT; i++) {
        int w = weight(i);
        if (i % 7 == 3)
            continue;
#pragma omp atomic
        got[key[i] % places].wide += (int64_t)w << 33;
    }
#pragma omp target teams distribute parallel for map(to : key) map(tofrom : got)
    for (int i = 0; i < COUNT; i++)
        if (i % 7 != 3) {
#pragma omp atomic
            got[key[i] % places].single_precision += (float)weight(i);
        }
#pragma omp target teams distribute parallel for map(to : key) map(tofrom : got)
    for (int i = 0; i < COUNT; i++)
        if (i % 7 != 3) {
#pragma omp atomic
            got[key[i] % places].double_precision += weight(i) * 0.5;
        }
}

// A thread sees what it has added itself, whatever others add at the same time: the number only grows.
static void in_a_row(int places) {
    for (int i = 0; i < 2 * PLACES; i++)
        pairs[i] = 0;
#pragma omp target teams distribute parallel for map(to : key) map(tofrom : pairs) map(from : later)
    for (int i = 0; i < COUNT; i++) {
        int k = key[i] % places, seen = 1;
        if (i % 7 != 3) {
#pragma omp atomic
            pairs[2 * k] += weight(i);
#pragma omp atomic
            pairs[2 * k + 1] += 1;
            seen = pairs[2 * k + 1] > 0;
        }
        later[i] = seen;
    }
}

int main(void) {
    const int places[] = {1, 2, 5, 32, PLACES};
    unsigned random = 1;
    for (int i = 0; i < COUNT; i++) {
        random = random * 1664525 + 1013904223;
        key[i] = random >> 9 & 0xffff;
    }
    for (unsigned n = 0; n < sizeof places / sizeof *places; n++) {
        on_host(places[n]);
        on_device(places[n]);
        in_a_row(places[n]);
        for (int i = 0; i < places[n]; i++) {
            EXPECT(got[i].added, expected[i].added);
            EXPECT(got[i].least, expected[i].least);
            EXPECT(got[i].most, expected[i].most);
            EXPECT(got[i].all, expected[i].all);
            EXPECT(got[i].any, expected[i].any);
            EXPECT(got[i].odd, expected[i].odd);
            EXPECT(got[i].most_unsigned, expected[i].most_unsigned);
            EXPECT(got[i].wide, expected[i].wide);
            EXPECT(got[i].single_precision, expected[i].single_precision);
            EXPECT(got[i].double_precision, expected[i].double_precision);
            EXPECT(pairs[2 * i], expected_pairs[2 * i]);
            EXPECT(pairs[2 * i + 1], expected_pairs[2 * i + 1]);
        }
        for (int i = 0; i < COUNT; i++)
            EXPECT(later[i], 1);
    }
    return done();
}
