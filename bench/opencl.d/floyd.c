// floyd: shortest paths between all nodes (Floyd, Warshall), a launch for each node.

#include "bench.h"

enum { N = 128 };
static int *distance, *given;

static void prepare(void) {
    distance = make(N * N * sizeof *distance), given = make(N * N * sizeof *given);
    for (int i = 0; i < N * N; i++)
        given[i] = i % (N + 1) ? (int)(random_bits() & 0xfff) : 0;
    send(distance, N * N);
}

static void run(void) {
    static cl_kernel floyd;
    if (!floyd)
        floyd = cl_find("floyd");
    memcpy(distance, given, N * N * sizeof *distance);
    send(distance, N * N);
    ARRAY(floyd, 0, distance);
    for (int through = 0; through < N; through++) {
        VALUE(floyd, 1, through);
        cl_launch(floyd, N, N, 16, 16);
    }
}

static int wrong(void) {
    static int expected[N][N];
    int bad = 0;
    fetch(distance, N * N);
    memcpy(expected, given, sizeof expected);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (expected[i][k] + expected[k][j] < expected[i][j])
                    expected[i][j] = expected[i][k] + expected[k][j];
    for (int i = 0; i < N * N; i++)
        bad += distance[i] != expected[i / N][i % N];
    return bad;
}
