// Loops whose 32-bit indices may wrap: with small bounds, with bounds at which they do wrap, and with counters that are
// small where other numbers are not. The device adds to elements, and the host adds the same.
#include "check.h"
#include <stdint.h>

enum { N = 5000 };

static float host[N], device[N], rows[N];
static int64_t found[N];

#pragma omp begin declare target
// What a loop counts: from, to, and by which distance its elements lie elsewhere.
struct bounds {
    uint32_t first, end, step, distance;
};

static void add(float *data, uint32_t at) {
    if (at < N)
        data[at] += (float)(at % 7 + 1);
}
#pragma omp end declare target

// An unsigned counter that a worksharing loop deals.
static void dealt(struct bounds b, float *data, int on_host) {
#pragma omp target teams distribute parallel for map(tofrom : data[:N]) if (target : !on_host)
    for (uint32_t i = b.first; i < b.end; i++)
        add(data, i + b.distance);
}

// One with chunks of iterations.
static void in_chunks(struct bounds b, float *data, int on_host) {
#pragma omp target teams distribute parallel for dist_schedule(static, 64) schedule(static, 1)                         \
    map(tofrom : data[:N]) if (target : !on_host)
    for (uint32_t i = b.first; i < b.end; i++)
        add(data, i + b.distance);
}

// Threads that count by themselves, each with every 64th number.
static void by_hand(struct bounds b, float *data, int on_host) {
#pragma omp target parallel num_threads(64) map(tofrom : data[:N]) if (target : !on_host)
    {
        uint32_t threads = (uint32_t)omp_get_num_threads();
        for (uint32_t i = b.first + (uint32_t)omp_get_thread_num(); i < b.end; i += b.step * threads)
            add(data, i + b.distance);
    }
}

// Elements in front of the counter's and behind it.
static void around(struct bounds b, float *data, int on_host) {
#pragma omp target parallel num_threads(64) map(tofrom : data[:N]) if (target : !on_host)
    {
        uint32_t threads = (uint32_t)omp_get_num_threads();
        for (uint32_t i = b.first + (uint32_t)omp_get_thread_num(); i < b.end; i += threads) {
            uint32_t before = i - 1, behind = i + b.distance + 2;
            float sum = 0;
            if (before < N)
                sum += (float)(before % 5);
            if (behind < N)
                sum += 0.5f;
            if (i < N)
                data[i] += sum;
        }
    }
}

// The numbers themselves, extended with zeros and with their sign.
static void numbers(uint32_t first) {
    memset(found, 255, sizeof found);
#pragma omp target parallel for num_threads(64) map(tofrom : found)
    for (uint32_t i = 0; i < N; i++) {
        uint32_t sum = i + first;
        found[i] = (int64_t)sum * 3 + (int64_t)(int32_t)sum;
    }
    for (uint32_t i = 0; i < N; i++) {
        uint32_t sum = i + first;
        EXPECT(found[i], (int64_t)sum * 3 + (int64_t)(int32_t)sum);
    }
}

// Rows of three elements.
static void in_rows(uint32_t columns) {
    memset(rows, 0, sizeof rows);
#pragma omp target teams distribute parallel for map(tofrom : rows)
    for (uint32_t i = 0; i < N / 3; i++)
        for (uint32_t j = 0; j < columns; j++)
            rows[i * 3 + j] += (float)(i + j);
    for (uint32_t i = 0; i < N / 3; i++)
        for (uint32_t j = 0; j < 3; j++)
            EXPECT(rows[i * 3 + j], j < columns ? i + j : 0);
}

int main(void) {
    static const struct bounds all[] = {
        {0, N, 1, 0},
        {3, N - 5, 1, 2},
        {0, 1, 1, 0},
        {N, 0, 1, 0},
        // Distances that lead backwards: the sums wrap.
        {100, N, 1, (uint32_t)-100},
        {10, N + 10, 1, (uint32_t)-10},
        // Numbers around those that are small enough, beyond those with a sign, and at the end of all.
        {268434000u, 268437000u, 1, (uint32_t)-268434000},
        {536870000u, 536873000u, 1, (uint32_t)-536870000},
        {2147480000u, 2147486000u, 1, (uint32_t)-2147480000},
        {4294965000u, 4294967295u, 1, 2296},
        // Few large steps.
        {0, N, 13, 1},
    };
    void (*const loops[])(struct bounds, float *, int) = {dealt, in_chunks, by_hand, around};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        for (unsigned l = 0; l < sizeof loops / sizeof *loops; l++) {
            // Threads that count by themselves would never come to an end so near to the last number. The others are
            // launched for 2^32 iterations if the end is before the beginning.
            int counts_itself = loops[l] == by_hand || loops[l] == around;
            if (counts_itself ? all[k].end > 4294960000u : all[k].end < all[k].first)
                continue;
            for (int i = 0; i < N; i++)
                host[i] = device[i] = (float)(i % 11);
            loops[l](all[k], device, 0);
            loops[l](all[k], host, 1);
            int i = 0;
            while (i < N - 1 && host[i] == device[i])
                i++;
            EXPECT(device[i], host[i]);
        }
    numbers(0);
    numbers(1u << 28);
    numbers(2147483000u);
    numbers(4294965000u);
    for (uint32_t columns = 1; columns <= 3; columns++)
        in_rows(columns);
    return done();
}
