// Cooperative groups: blocks, tiles, the threads that come together, and a grid whose blocks wait for each other.
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <stdio.h>

namespace cg = cooperative_groups;

enum { THREADS = 128, TILE = 16 };

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            printf("line %d: %s\n", __LINE__, #condition);                                                            \
            return 1;                                                                                                 \
        }                                                                                                             \
    } while (0)

__global__ void tiles(int *sums, int *shifted, unsigned long long *odd) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<TILE> tile = cg::tiled_partition<TILE>(block);
    const int rank = block.thread_rank();
    int sum = cg::reduce(tile, rank, cg::plus<int>());
    __shared__ int of_tiles[THREADS / TILE];
    if (tile.thread_rank() == 0)
        of_tiles[tile.meta_group_rank()] = sum;
    cg::sync(block);
    int total = 0;
    for (unsigned at = 0; at < tile.meta_group_size(); at++)
        total += of_tiles[at];
    sums[rank] = total - sum;
    shifted[rank] = tile.shfl_down(rank, 3) + 1000 * tile.shfl(rank, 5) + 1000000 * tile.any(rank == 17);
    odd[rank] = tile.ballot(rank % 3 == 1) << 32 | tile.match_any(rank % 4);
}

// Threads that take a number each, with one addition for those of a warp that come together.
__global__ void numbers(int *counter, int *taken) {
    const int thread = threadIdx.x;
    if (thread % 3 != 0)
        return;
    cg::coalesced_group here = cg::coalesced_threads();
    int first = 0;
    if (here.thread_rank() == 0)
        first = atomicAdd(counter, (int)here.size());
    taken[thread] = here.shfl(first, 0) + here.thread_rank();
}

// Each block adds up what all blocks wrote in the round before.
__global__ void rounds(int *values, int *result) {
    cg::grid_group grid = cg::this_grid();
    const int blocks = grid.num_blocks(), block = grid.block_rank();
    for (int round = 1; round <= 5; round++) {
        if (threadIdx.x == 0)
            values[round % 2 * blocks + block] = round == 1 ? 1 : values[2 * blocks + block];
        grid.sync();
        if (threadIdx.x == 0) {
            int sum = 0;
            for (int other = 0; other < blocks; other++)
                sum += values[round % 2 * blocks + other];
            values[2 * blocks + block] = sum;
        }
        grid.sync();
    }
    if (grid.thread_rank() == 0)
        *result = values[2 * blocks];
}

int main() {
    int *data;
    unsigned long long *odd;
    CHECK(hipMallocManaged(&data, 4 * THREADS * sizeof(int)) == hipSuccess);
    CHECK(hipMallocManaged(&odd, THREADS * sizeof(unsigned long long)) == hipSuccess);
    int *sums = data, *shifted = data + THREADS, *taken = data + 2 * THREADS, *counter = data + 3 * THREADS;
    tiles<<<1, THREADS>>>(sums, shifted, odd);
    CHECK(hipDeviceSynchronize() == hipSuccess);
    for (int i = 0; i < THREADS; i++) {
        int first = i / TILE * TILE, rank = i % TILE;
        int own = TILE * first + TILE * (TILE - 1) / 2;
        CHECK(sums[i] == THREADS * (THREADS - 1) / 2 - own);
        int down = rank + 3 < TILE ? i + 3 : i;
        CHECK(shifted[i] == down + 1000 * (first + 5) + 1000000 * (first == TILE));
        unsigned long long thirds = 0, alike = 0;
        for (int at = 0; at < TILE; at++) {
            thirds |= (unsigned long long)((first + at) % 3 == 1) << at;
            alike |= (unsigned long long)(at % 4 == i % 4) << at;
        }
        CHECK(odd[i] == (thirds << 32 | alike));
    }

    *counter = 7;
    numbers<<<1, THREADS>>>(counter, taken);
    CHECK(hipDeviceSynchronize() == hipSuccess);
    bool seen[THREADS] = {};
    int takers = (THREADS + 2) / 3;
    for (int i = 0; i < THREADS; i += 3) {
        int number = taken[i] - 7;
        CHECK(number >= 0 && number < takers && !seen[number]);
        seen[number] = true;
    }
    CHECK(*counter == 7 + takers);

    int blocks = 2;
    void *arguments[] = {&data, &counter};
    hipError_t launched = hipLaunchCooperativeKernel((void *)rounds, dim3(blocks), dim3(THREADS), arguments, 0, 0);
    CHECK(launched == hipSuccess && hipDeviceSynchronize() == hipSuccess);
    CHECK(*counter == 32); // 2^5
    puts("PASS");
    return 0;
}
