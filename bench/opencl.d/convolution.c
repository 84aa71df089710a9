// convolution: an image with a mask of 5 by 5, in work-groups of the implementation's choice.

#include "bench.h"

enum { N = 512, SIDE = 5 };
static float *from, *to, mask[SIDE * SIDE];

static void prepare(void) {
    from = make(N * N * sizeof *from), to = make(N * N * sizeof *to);
    for (int i = 0; i < N * N; i++)
        from[i] = random_bits() & 15, to[i] = 0.0f;
    for (int i = 0; i < SIDE * SIDE; i++)
        mask[i] = random_bits() & 7;
    send(from, N * N);
    send(to, N * N);
    send(mask, SIDE * SIDE);
}

static void run(void) {
    static cl_kernel convolution;
    int side = SIDE;
    if (!convolution)
        convolution = cl_find("convolution");
    ARRAY(convolution, 0, from);
    ARRAY(convolution, 1, to);
    ARRAY(convolution, 2, mask);
    VALUE(convolution, 3, side);
    cl_launch(convolution, N, N, 0, 0);
}

static int wrong(void) {
    int bad = 0;
    fetch(to, N * N);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            float sum = 0.0f;
            for (int dy = -SIDE / 2; dy <= SIDE / 2; dy++)
                for (int dx = -SIDE / 2; dx <= SIDE / 2; dx++)
                    if (x + dx >= 0 && x + dx < N && y + dy >= 0 && y + dy < N)
                        sum += from[(y + dy) * N + x + dx] * mask[(dy + SIDE / 2) * SIDE + dx + SIDE / 2];
            bad += to[y * N + x] != sum;
        }
    return bad;
}
