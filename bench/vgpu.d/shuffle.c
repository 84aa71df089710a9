// shuffle: sums of 128 numbers, a team for each, within a warp by shuffles. Not for what has no warps; rows.c has the same sums as a loop.

#include "bench.h"
#ifndef BENCH_OPENCL
#include <ompx.h>
#endif

enum { N = 1 << 18, PART = 128, PARTS = N / PART };
static int *from, *to;

static void prepare(void) {
    from = make(N * sizeof *from), to = make(PARTS * sizeof *to);
    for (int i = 0; i < N; i++)
        from[i] = random_bits() & 1023;
    memset(to, 0, PARTS * sizeof *to);
    send(from, N);
    send(to, PARTS);
}

static void run(void) {
#if defined(BENCH_OPENCL)
    static cl_kernel shuffle;
    if (!shuffle)
        shuffle = cl_find("shuffle_sums");
    ARRAY(shuffle, 0, from);
    ARRAY(shuffle, 1, to);
    cl_launch(shuffle, N, 1, PART, 1);
#else
    TEAMS(PARTS, PART)
    for (int part = 0; part < PARTS; part++) {
        int sums[PART / 32];
        TEAM(PART) {
            int me = team_thread(), sum = from[part * PART + me];
            for (int distance = 16; distance > 0; distance /= 2)
                sum += ompx_shfl_down_sync_i(~0ull, sum, distance, 32);
            if (me % 32 == 0)
                sums[me / 32] = sum;
            TEAM_BARRIER
            if (me == 0)
                to[part] = sums[0] + sums[1] + sums[2] + sums[3];
        }
    }
#endif
}

static int wrong(void) {
    int bad = 0;
    fetch(to, PARTS);
    for (int part = 0; part < PARTS; part++) {
        int sum = 0;
        for (int i = 0; i < PART; i++)
            sum += from[part * PART + i];
        bad += to[part] != sum;
    }
    return bad;
}
