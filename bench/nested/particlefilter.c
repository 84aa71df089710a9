// particle filter: how well each particle's place explains the picture. Outer loop: particles; inner loop: the pixels
// of a disk around the particle, a short sum. Pixels of one disk lie in runs: partly coalesced.
#include "nested.h"

enum { RADIUS = 5, SIDE = 128, MOST = (2 * RADIUS - 1) * (2 * RADIUS - 1), BACKGROUND = 100, OBJECT = 228 };

static int particles, pixels, offsets[MOST], *places, *picture;
static double *likelihood, *expected;
static Kernel kernels[1];

static void make_disk(void) {
    for (int y = -RADIUS + 1; y < RADIUS; y++)
        for (int x = -RADIUS + 1; x < RADIUS; x++)
            if (x * x + y * y < RADIUS * RADIUS)
                offsets[pixels++] = y * SIDE + x;
}

// The difference of the squared distances from both grey levels: a whole number, so that sums are exact.
static inline int term(const int *picture, int pixel) {
    int grey = picture[pixel];
    return (grey - BACKGROUND) * (grey - BACKGROUND) - (grey - OBJECT) * (grey - OBJECT);
}

static inline double scaled(long sum, int pixels) { return sum / 50.0 / pixels; }

static void setup(int size) {
    make_disk();
    particles = 27 * size * size;
    kernels[0].outer = particles;
    kernels[0].inner = pixels;
    places = allocate(particles, sizeof *places);
    picture = allocate(SIDE * SIDE, sizeof *picture);
    likelihood = allocate(particles, sizeof *likelihood);
    expected = allocate(particles, sizeof *expected);
    for (int i = 0; i < SIDE * SIDE; i++)
        picture[i] = (int)draw(256);
    for (int p = 0; p < particles; p++) {
        places[p] = (RADIUS + (int)draw(SIDE - 2 * RADIUS)) * SIDE + RADIUS + (int)draw(SIDE - 2 * RADIUS);
        long sum = 0;
        for (int i = 0; i < pixels; i++)
            sum += term(picture, places[p] + offsets[i]);
        expected[p] = scaled(sum, pixels);
    }
#pragma omp target enter data map(to : places[0 : particles], picture[0 : SIDE * SIDE], offsets)                       \
    map(alloc : likelihood[0 : particles])
}

static void reset(void) {
    memset(likelihood, 0xff, particles * sizeof *likelihood);
#pragma omp target update to(likelihood[0 : particles])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int p = 0; p < particles; p++) {
        long sum = 0;
        for (int i = 0; i < pixels; i++)
            sum += term(picture, places[p] + offsets[i]);
        likelihood[p] = scaled(sum, pixels);
    }
}

static void nested(void) {
#pragma omp target teams distribute
    for (int p = 0; p < particles; p++) {
        long sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < pixels; i++)
            sum += term(picture, places[p] + offsets[i]);
        likelihood[p] = scaled(sum, pixels);
    }
}

static long wrong(void) {
#pragma omp target update from(likelihood[0 : particles])
    return differing_doubles(likelihood, expected, particles, 1e-12);
}

static Kernel kernels[1] = {{.name = "particlefilter", .paper = "100:1", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
