// matmul: a matrix product by tiles that a team's threads share.

#include "bench.h"

enum { N = 256, TILE = 16, TILES = N / TILE, THREADS = TILE * TILE };
static float *a, *b, *c;

static void prepare(void) {
    a = make(N * N * sizeof *a), b = make(N * N * sizeof *b), c = make(N * N * sizeof *c);
    for (int i = 0; i < N * N; i++)
        a[i] = random_bits() & 7, b[i] = random_bits() & 7, c[i] = 0.0f;
    send(a, N * N);
    send(b, N * N);
    send(c, N * N);
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel matmul;
    if (!matmul)
        matmul = cl_find("matmul");
    ARRAY(matmul, 0, a);
    ARRAY(matmul, 1, b);
    ARRAY(matmul, 2, c);
    cl_launch(matmul, N, N, TILE, TILE);
#else
    TEAMS(TILES * TILES, THREADS)
    for (int team = 0; team < TILES * TILES; team++) {
        float left[TILE][TILE], right[TILE][TILE], sums[TILE][TILE];
        TEAM(THREADS) {
            int row0 = team / TILES * TILE, column0 = team % TILES * TILE;
            for (int i = team_thread(); i < THREADS; i += team_threads())
                sums[i / TILE][i % TILE] = 0.0f;
            for (int tile = 0; tile < TILES; tile++) {
                for (int i = team_thread(); i < THREADS; i += team_threads()) {
                    left[i / TILE][i % TILE] = a[(row0 + i / TILE) * N + tile * TILE + i % TILE];
                    right[i / TILE][i % TILE] = b[(tile * TILE + i / TILE) * N + column0 + i % TILE];
                }
                TEAM_BARRIER
                for (int i = team_thread(); i < THREADS; i += team_threads()) {
                    float sum = sums[i / TILE][i % TILE];
                    for (int k = 0; k < TILE; k++)
                        sum += left[i / TILE][k] * right[k][i % TILE];
                    sums[i / TILE][i % TILE] = sum;
                }
                TEAM_BARRIER
            }
            for (int i = team_thread(); i < THREADS; i += team_threads())
                c[(row0 + i / TILE) * N + column0 + i % TILE] = sums[i / TILE][i % TILE];
        }
    }
#endif
}

static int wrong(void) {
    int bad = 0;
    fetch(c, N * N);
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column++) {
            float expected = 0.0f;
            for (int k = 0; k < N; k++)
                expected += a[row * N + k] * b[k * N + column];
            bad += c[row * N + column] != expected;
        }
    return bad;
}
