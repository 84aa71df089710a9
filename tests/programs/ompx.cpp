// ompx.h: kernels in the style of CUDA, with indices, barriers, ballots and shuffles of the hardware's own.

#include <ompx.h>

#include "check.h"

enum { BLOCKS = 3, THREADS = 64 };

int main() {
    if (!offloading())
        return done();
    int ids[BLOCKS][THREADS] = {{0}}, sums[BLOCKS] = {0}, neighbours[BLOCKS][THREADS] = {{0}}, shape[4] = {0};
    unsigned long ballots[BLOCKS] = {0};
    double halves[BLOCKS][THREADS] = {{0}};
    long wide[BLOCKS][THREADS] = {{0}};
    float singles[BLOCKS][THREADS] = {{0}};
#pragma omp target teams ompx_bare num_teams(BLOCKS) thread_limit(THREADS)                                   \
    map(tofrom : ids, sums, neighbours, ballots, halves, wide, singles, shape)
    {
        int thread = ompx::thread_id_x(), block = ompx::block_id_x(), lane = thread % 32;
        ids[block][thread] = thread + ompx::block_dim_x() * block;
        if (thread == 0 && block == 0) {
            shape[0] = ompx::block_dim(ompx::dim_x);
            shape[1] = ompx::grid_dim_x();
            shape[2] = ompx::block_dim_y() * ompx::block_dim_z() * ompx::grid_dim_y() * ompx::grid_dim_z();
            shape[3] = ompx::thread_id_y() + ompx::thread_id_z() + ompx::block_id_y() + ompx::block_id_z();
        }
        ompx::sync_block();
        neighbours[block][thread] = ids[block][(thread + 1) % THREADS];
        ompx_sync_block_acq_rel();
        unsigned long odd = ompx::ballot_sync(~0u, lane % 2);
        if (thread == 0)
            ballots[block] = odd;
        halves[block][thread] = ompx::shfl_down_sync(~0u, thread + 0.5, 1);
        wide[block][thread] = ompx::shfl_down_sync(~0u, (long)thread << 40, 2);
        singles[block][thread] = ompx::shfl_down_sync(~0u, thread + 0.25f, 3);
        int value = thread;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            value += ompx::shfl_down_sync(~0u, value, delta);
        if (lane == 0) {
#pragma omp atomic
            sums[block] += value;
        }
        ompx::sync_block_divergent();
    }
    EXPECT(shape[0], THREADS);
    EXPECT(shape[1], BLOCKS);
    EXPECT(shape[2], 1);
    EXPECT(shape[3], 0);
    for (int b = 0; b < BLOCKS; b++) {
        EXPECT(sums[b], THREADS * (THREADS - 1) / 2);
        EXPECT(ballots[b], 0xaaaaaaaaul);
        for (int t = 0; t < THREADS; t++) {
            EXPECT(ids[b][t], b * THREADS + t);
            EXPECT(neighbours[b][t], b * THREADS + (t + 1) % THREADS);
            if (t % 32 < 29) {
                EXPECT(halves[b][t], t + 1.5);
                EXPECT(wide[b][t], (long)(t + 2) << 40);
                EXPECT(singles[b][t], t + 3.25);
            }
        }
    }
    return done();
}
