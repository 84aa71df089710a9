// image histogram of a 12-bit image, after the paper's Listing 2. Outer loop: parts of the image; inner loop: the pixels
// of a part, which are counted in a histogram of the part, with atomic additions where threads share it. The parts'
// histograms are added to the image's, atomically.
#include "nested.h"

enum { BINS = 256, SHIFT = 4 };

static int parts, pixels;
static unsigned short *image;
static int histogram[BINS], expected[BINS];
static Kernel kernels[1];

static void setup(int size) {
    parts = 2 * size;
    pixels = 12000 * size;
    kernels[0].outer = parts;
    kernels[0].inner = pixels;
    image = allocate((long)parts * pixels, sizeof *image);
    for (long i = 0; i < (long)parts * pixels; i++) {
        image[i] = (unsigned short)(draw(64) * draw(65)); // dark ones are more frequent
        expected[image[i] >> SHIFT]++;
    }
#pragma omp target enter data map(to : image[0 : (long)parts * pixels]) map(alloc : histogram)
}

static void reset(void) {
    memset(histogram, 0, sizeof histogram);
#pragma omp target update to(histogram)
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int p = 0; p < parts; p++) {
        int own[BINS] = {0};
        for (int i = 0; i < pixels; i++)
            own[image[(long)p * pixels + i] >> SHIFT]++;
        for (int b = 0; b < BINS; b++) {
#pragma omp atomic
            histogram[b] += own[b];
        }
    }
}

static void nested(void) {
#pragma omp target teams distribute
    for (int p = 0; p < parts; p++) {
        int own[BINS];
#pragma omp parallel
        {
#pragma omp for
            for (int b = 0; b < BINS; b++)
                own[b] = 0;
#pragma omp for
            for (int i = 0; i < pixels; i++) {
#pragma omp atomic
                own[image[(long)p * pixels + i] >> SHIFT]++;
            }
#pragma omp for
            for (int b = 0; b < BINS; b++) {
#pragma omp atomic
                histogram[b] += own[b];
            }
        }
    }
}

static long wrong(void) {
#pragma omp target update from(histogram)
    return differing_ints(histogram, expected, BINS);
}

static Kernel kernels[1] = {{.name = "imghisto", .paper = "1:6,000", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
