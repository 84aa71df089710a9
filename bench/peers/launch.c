// An empty target region, from its beginning to its end.
#include "peers.h"

enum { LAUNCHES = 1000 };

static void regions(void) {
    for (int i = 0; i < LAUNCHES; i++) {
#pragma omp target
        {
        }
    }
}

static void teams(void) {
    for (int i = 0; i < LAUNCHES; i++) {
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(32)
        for (int j = 0; j < 32; j++) {
        }
    }
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    measure("launch", 0, LAUNCHES, chosen.samples, regions);
    measure("launch of one warp, SPMD", 0, LAUNCHES, chosen.samples, teams);
    return ended(0);
}
