// histogram: a parallel region smaller than the block, after Listing 2 of Jacob et al., "Efficient
// Fork-Join on GPUs through Warp Specialization" (HiPC 2017).
//
// Every team counts into an array of its own, which the device runtime places where all its threads
// reach it. `num_threads(bins)` asks for fewer threads than the block has, and the barriers inside the
// region are among those threads only: a barrier of the whole block would wait for ever.
//
//     omptarget run examples/histogram.c -- dist/data/mri.pgm     (a 12-bit image, from scripts/fetch)
//
// The argument is a binary PGM image of 8 or up to 16 bits per pixel. Without one the program
// computes an image of its own and says so.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEAMS = 8, MAX_BINS = 192 };

typedef struct {
    int pixels;
    int maximum;
    unsigned short *data;
} Image;

static Image synthetic(void) {
    Image image = {.pixels = 640 * 480, .maximum = 4095};
    image.data = malloc(image.pixels * sizeof *image.data);
    unsigned state = 12345;
    for (int i = 0; i < image.pixels; i++) {
        state = state * 1664525u + 1013904223u;
        image.data[i] = (unsigned short)((state >> 20) * (state >> 24) >> 8); // 12 bits, dark ones favoured
    }
    return image;
}

static Image read_pgm(const char *path) {
    FILE *file = fopen(path, "rb");
    int columns, rows, maximum;
    if (!file || fscanf(file, "P5 %d %d %d", &columns, &rows, &maximum) != 3 || fgetc(file) == EOF ||
        columns < 1 || rows < 1 || columns > 1 << 15 || rows > 1 << 15 || maximum < 1 || maximum > 65535) {
        fprintf(stderr, "%s: cannot be read as a binary PGM image\n", path);
        exit(2);
    }
    Image image = {.pixels = columns * rows, .maximum = maximum};
    image.data = malloc(image.pixels * sizeof *image.data);
    for (int i = 0; i < image.pixels; i++) {
        int high = maximum > 255 ? fgetc(file) : 0, low = fgetc(file);
        if (high == EOF || low == EOF || high << 8 > maximum - low) {
            fprintf(stderr, "%s: ends early or has a pixel over %d\n", path, maximum);
            exit(2);
        }
        image.data[i] = (unsigned short)(high << 8 | low);
    }
    fclose(file);
    return image;
}

// `bins` is at most MAX_BINS; the region below is the paper's listing, with the shift spelled out.
static void histogram(const unsigned short *data, int size, int range, unsigned *histo, int bins) {
#pragma omp target teams num_teams(TEAMS) thread_limit(MAX_BINS) map(to : data[0 : size]) map(tofrom : histo[0 : bins])
    {
        unsigned private_histo[MAX_BINS];
#pragma omp parallel num_threads(bins)
        {
#pragma omp for
            for (int i = 0; i < bins; i++)
                private_histo[i] = 0;

            int first = omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num();
            int step = omp_get_num_teams() * omp_get_num_threads();
            for (int i = first; i < size; i += step) {
                int bin = (int)((long)data[i] * bins / range);
#pragma omp atomic
                private_histo[bin]++;
            }

#pragma omp barrier

#pragma omp for
            for (int i = 0; i < bins; i++) {
#pragma omp atomic
                histo[i] += private_histo[i];
            }
        }
    }
}

static int check(Image image, int bins) {
    unsigned *device = calloc(bins, sizeof *device), *host = calloc(bins, sizeof *host);
    int wrong = 0, fullest = 0, range = image.maximum + 1;
    histogram(image.data, image.pixels, range, device, bins);
    for (int i = 0; i < image.pixels; i++)
        host[(long)image.data[i] * bins / range]++;
    for (int i = 0; i < bins; i++) {
        fullest = host[i] > host[fullest] ? i : fullest;
        if (device[i] != host[i] && ++wrong <= 5)
            printf("%d bins: bin %d holds %u, expected %u\n", bins, i, device[i], host[i]);
    }
    printf("%3d bins: bin %d is the fullest with %u of %d pixels\n", bins, fullest, device[fullest], image.pixels);
    free(device);
    free(host);
    return wrong;
}

int main(int argc, char **argv) {
    if (argc < 2)
        printf("no image given: using a computed one\n");
    Image image = argc < 2 ? synthetic() : read_pgm(argv[1]);
    // A team of one, part of a warp, not whole warps, whole warps, the whole block.
    const int bins[] = {1, 20, 50, 64, MAX_BINS};
    int wrong = 0;
    for (unsigned i = 0; i < sizeof bins / sizeof *bins; i++)
        wrong += check(image, bins[i]);
    free(image.data);
    printf(wrong ? "FAIL: %d bins differ\n" : "PASS\n", wrong);
    return wrong != 0;
}
