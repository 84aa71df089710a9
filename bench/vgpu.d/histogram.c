// histogram: every team counts into bins of its own, then adds them to everyone's.

#include "bench.h"

enum { N = 1 << 20, BINS = 256, GROUPS = 16, THREADS = 192 };
static unsigned short *pixels;
static unsigned *bins;
static int runs;

static void prepare(void) {
    pixels = make(N * sizeof *pixels), bins = make(BINS * sizeof *bins);
    for (int i = 0; i < N; i++)
        pixels[i] = random_bits() % 4096 * (random_bits() % 4096) >> 12;
    memset(bins, 0, BINS * sizeof *bins);
    send(pixels, N);
    send(bins, BINS);
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel histogram;
    int n = N;
    if (!histogram)
        histogram = cl_find("histogram");
    ARRAY(histogram, 0, pixels);
    ARRAY(histogram, 1, bins);
    VALUE(histogram, 2, n);
    cl_launch(histogram, GROUPS * THREADS, 1, THREADS, 1);
#else
    TEAMS(GROUPS, THREADS)
    for (int team = 0; team < GROUPS; team++) {
        unsigned own[BINS];
        TEAM(THREADS) {
            for (int i = team_thread(); i < BINS; i += team_threads())
                own[i] = 0;
            TEAM_BARRIER
            for (int i = team * (N / GROUPS) + team_thread(); i < (team + 1) * (N / GROUPS); i += team_threads()) {
                int bin = pixels[i] >> 4;
                TEAM_ATOMIC
                own[bin]++;
            }
            TEAM_BARRIER
            for (int i = team_thread(); i < BINS; i += team_threads()) {
                BENCH_PRAGMA(omp atomic)
                bins[i] += own[i];
            }
        }
    }
#endif
    runs++;
}

static int wrong(void) {
    int bad = 0;
    unsigned expected[BINS] = {0};
    fetch(bins, BINS);
    for (int i = 0; i < N; i++)
        expected[pixels[i] >> 4]++;
    for (int i = 0; i < BINS; i++)
        bad += bins[i] != runs * expected[i];
    return bad;
}
