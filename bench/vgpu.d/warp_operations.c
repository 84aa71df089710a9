// What a shuffle and a vote of a warp cost in warp form, where they are vector instructions, and what they cost as loops over the warp's
// lanes, one after the other, as a compiler without a vector form makes them (Table 2 of Han et al., "COX: CUDA on X86 by Exposing
// Warp-Level Functions to CPUs", 2021). Prints ns of CPU time per operation of a warp, and the ratio; one thread on either side:
//
//   clang-22 --config=dist/etc/omptarget.cfg -O3 -march=native bench/vgpu.d/warp_operations.c -o warp_operations
//   OMPTARGET_VGPU_SMS=1 OMPTARGET_VGPU_ENGINE=workgroup ./warp_operations

#include <ompx.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Every lane has as many values, so that no operation waits for the one before it.
enum { LANES = 32, CHAINS = 4, TURNS = 20000, RUNS = 15 };

// Loops that stay loops.
#define EACH_LANE                                                                                                                                  \
    _Pragma("clang loop vectorize(disable) interleave(disable) unroll(disable)") for (int lane = 0; lane < LANES; lane++)

// A kernel of one warp whose lanes add the operation of their `value` to it, in every chain and turn.
#define BY_WARP(name, operation)                                                                                                                   \
    static void name(int (*values)[LANES]) {                                                                                                       \
        _Pragma("omp target teams num_teams(1) thread_limit(LANES) map(tofrom : values[0 : CHAINS])")                                              \
        _Pragma("omp parallel num_threads(LANES)")                                                                                                 \
        {                                                                                                                                          \
            int lane = ompx_thread_id_x(), own[CHAINS];                                                                                            \
            for (int chain = 0; chain < CHAINS; chain++)                                                                                           \
                own[chain] = values[chain][lane];                                                                                                  \
            for (int turn = 0; turn < TURNS; turn++)                                                                                               \
                for (int chain = 0; chain < CHAINS; chain++) {                                                                                     \
                    int value = own[chain];                                                                                                        \
                    own[chain] += operation;                                                                                                       \
                }                                                                                                                                  \
            for (int chain = 0; chain < CHAINS; chain++)                                                                                           \
                values[chain][lane] = own[chain];                                                                                                  \
        }                                                                                                                                          \
    }

BY_WARP(shuffles_by_warp, ompx_shfl_down_sync_i(~0ull, value, 4, LANES))
BY_WARP(votes_by_warp, (int)ompx_ballot_sync(~0ull, value & 1))

static void shuffles_by_lane(int (*values)[LANES]) {
    for (int turn = 0; turn < TURNS; turn++)
        for (int chain = 0; chain < CHAINS; chain++) {
            int from[LANES];
            EACH_LANE from[lane] = values[chain][lane];
            EACH_LANE values[chain][lane] += from[lane + 4 < LANES ? lane + 4 : lane];
        }
}

static void votes_by_lane(int (*values)[LANES]) {
    for (int turn = 0; turn < TURNS; turn++)
        for (int chain = 0; chain < CHAINS; chain++) {
            unsigned ballot = 0;
            EACH_LANE ballot |= (unsigned)(values[chain][lane] & 1) << lane;
            EACH_LANE values[chain][lane] += (int)ballot;
        }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

// The least of the runs, per operation.
static double least(void (*operations)(int (*)[LANES]), int (*values)[LANES]) {
    double least = 1e18;
    for (int run = 0; run <= RUNS; run++) {
        for (int chain = 0; chain < CHAINS; chain++)
            for (int lane = 0; lane < LANES; lane++)
                values[chain][lane] = 7 * lane + chain;
        double start = now();
        operations(values);
        double time = now() - start;
        if (run > 0 && time < least)
            least = time;
    }
    return least / TURNS / CHAINS;
}

int main(void) {
    static const struct {
        const char *name;
        void (*warp)(int (*)[LANES]), (*lane)(int (*)[LANES]);
    } rows[] = {{"shuffle", shuffles_by_warp, shuffles_by_lane}, {"vote", votes_by_warp, votes_by_lane}};
    for (int row = 0; row < 2; row++) {
        int got[CHAINS][LANES], expected[CHAINS][LANES];
        double vector = least(rows[row].warp, got), scalar = least(rows[row].lane, expected);
        if (memcmp(got, expected, sizeof got)) {
            printf("FAIL: %s: the results differ\n", rows[row].name);
            return 1;
        }
        printf("%s: vector %.2f ns, scalar %.2f ns, %.1f times\n", rows[row].name, vector, scalar, scalar / vector);
    }
    return 0;
}
