// transpose: of a matrix, by tiles that a team's threads share.

#include "bench.h"

enum { N = 1024, TILE = 32, TILES = N / TILE, CELLS = TILE * TILE, THREADS = 256 };
static float *from, *to;

static void prepare(void) {
    from = make(N * N * sizeof *from), to = make(N * N * sizeof *to);
    for (int i = 0; i < N * N; i++)
        from[i] = i, to[i] = -1.0f;
    send(from, N * N);
    send(to, N * N);
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel transpose;
    if (!transpose)
        transpose = cl_find("transpose");
    ARRAY(transpose, 0, from);
    ARRAY(transpose, 1, to);
    cl_launch(transpose, N, N / TILE * (THREADS / TILE), TILE, THREADS / TILE);
#else
    TEAMS(TILES * TILES, THREADS)
    for (int team = 0; team < TILES * TILES; team++) {
        float tile[TILE][TILE + 1];
        TEAM(THREADS) {
            int row0 = team / TILES * TILE, column0 = team % TILES * TILE;
            for (int i = team_thread(); i < CELLS; i += team_threads())
                tile[i / TILE][i % TILE] = from[(row0 + i / TILE) * N + column0 + i % TILE];
            TEAM_BARRIER
            for (int i = team_thread(); i < CELLS; i += team_threads())
                to[(column0 + i / TILE) * N + row0 + i % TILE] = tile[i % TILE][i / TILE];
        }
    }
#endif
}

static int wrong(void) {
    int bad = 0;
    fetch(to, N * N);
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column++)
            bad += to[row * N + column] != from[column * N + row];
    return bad;
}
