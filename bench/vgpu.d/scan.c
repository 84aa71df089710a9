// scan: running sums of every team's part, after Hillis and Steele, with a barrier for every step.

#include "bench.h"

enum { N = 1 << 17, PART = 256, PARTS = N / PART };
static int *from, *to;

static void prepare(void) {
    from = make(N * sizeof *from), to = make(N * sizeof *to);
    for (int i = 0; i < N; i++)
        from[i] = random_bits() & 255, to[i] = 0;
    send(from, N);
    send(to, N);
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel scan;
    if (!scan)
        scan = cl_find("scan");
    ARRAY(scan, 0, from);
    ARRAY(scan, 1, to);
    cl_launch(scan, N, 1, PART, 1);
#else
    TEAMS(PARTS, PART)
    for (int part = 0; part < PARTS; part++) {
        int sums[2][PART];
        TEAM(PART) {
            for (int i = team_thread(); i < PART; i += team_threads())
                sums[0][i] = from[part * PART + i];
            int now = 0;
            for (int distance = 1; distance < PART; distance *= 2) {
                TEAM_BARRIER
                for (int i = team_thread(); i < PART; i += team_threads())
                    sums[1 - now][i] = sums[now][i] + (i >= distance ? sums[now][i - distance] : 0);
                now = 1 - now;
            }
            for (int i = team_thread(); i < PART; i += team_threads())
                to[part * PART + i] = sums[now][i];
        }
    }
#endif
}

static int wrong(void) {
    int bad = 0, sum = 0;
    fetch(to, N);
    for (int i = 0; i < N; i++) {
        sum = (i % PART ? sum : 0) + from[i];
        bad += to[i] != sum;
    }
    return bad;
}
