// dct: the discrete cosine transform of an image's blocks of 8 by 8.

#include "bench.h"

enum { N = 512, SIDE = 8 };
static float *from, *to, basis[SIDE * SIDE];

static void prepare(void) {
    from = make(N * N * sizeof *from), to = make(N * N * sizeof *to);
    for (int i = 0; i < N * N; i++)
        from[i] = random_bits() & 255, to[i] = 0.0f;
    for (int k = 0; k < SIDE; k++)
        for (int x = 0; x < SIDE; x++)
            basis[k * SIDE + x] = sqrt((k ? 2.0 : 1.0) / SIDE) * cos((2 * x + 1) * k * M_PI / (2 * SIDE));
    send(from, N * N);
    send(to, N * N);
    send(basis, SIDE * SIDE);
}

static void run(void) {
    static cl_kernel dct;
    int width = N;
    if (!dct)
        dct = cl_find("dct");
    ARRAY(dct, 0, from);
    ARRAY(dct, 1, to);
    ARRAY(dct, 2, basis);
    cl_pass(dct, 3, SIDE * SIDE * sizeof(float), NULL);
    VALUE(dct, 4, width);
    cl_launch(dct, N, N, SIDE, SIDE);
}

static int wrong(void) {
    int bad = 0;
    fetch(to, N * N);
    for (int row = 0; row < 64; row++)
        for (int column = 0; column < 64; column++) {
            double sum = 0.0;
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++)
                    sum += (double)basis[row % SIDE * SIDE + y] * basis[column % SIDE * SIDE + x] *
                           from[(row / SIDE * SIDE + y) * N + column / SIDE * SIDE + x];
            bad += differs(to[row * N + column], sum, 1e-3);
        }
    return bad;
}
