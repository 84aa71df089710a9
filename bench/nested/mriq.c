// mri-q: the matrix Q of a magnetic-resonance reconstruction. Outer loop: voxels; inner loop: samples of the
// trajectory, each with a sine and a cosine, two sums.
#include "nested.h"

typedef struct {
    float x, y, z, magnitude;
} Sample;

static int voxels, samples;
static Sample *trajectory;
static float *x, *y, *z;
static double *real, *imaginary, *expected_real, *expected_imaginary;
static Kernel kernels[1];

static inline float angle(Sample sample, float x, float y, float z) {
    return 6.2831853f * (sample.x * x + sample.y * y + sample.z * z);
}

static void expect(void) {
    for (int v = 0; v < voxels; v++)
        for (int s = 0; s < samples; s++) {
            float a = angle(trajectory[s], x[v], y[v], z[v]);
            expected_real[v] += trajectory[s].magnitude * cosf(a);
            expected_imaginary[v] += trajectory[s].magnitude * sinf(a);
        }
}

static void setup(int size) {
    voxels = 320 * size;
    samples = 32 * size;
    kernels[0].outer = voxels;
    kernels[0].inner = samples;
    trajectory = allocate(samples, sizeof *trajectory);
    float **places[] = {&x, &y, &z};
    for (int p = 0; p < 3; p++) {
        *places[p] = allocate(voxels, sizeof **places[p]);
        for (int v = 0; v < voxels; v++)
            (*places[p])[v] = (float)draw_unit();
    }
    for (int s = 0; s < samples; s++)
        trajectory[s] = (Sample){(float)draw_unit(), (float)draw_unit(), (float)draw_unit(), (float)draw_unit()};
    double **results[] = {&real, &imaginary, &expected_real, &expected_imaginary};
    for (int r = 0; r < 4; r++)
        *results[r] = allocate(voxels, sizeof **results[r]);
    expect();
#pragma omp target enter data map(to : x[0 : voxels], y[0 : voxels], z[0 : voxels], trajectory[0 : samples])           \
    map(alloc : real[0 : voxels], imaginary[0 : voxels])
}

static void reset(void) {
    memset(real, 0xff, voxels * sizeof *real);
    memset(imaginary, 0xff, voxels * sizeof *imaginary);
#pragma omp target update to(real[0 : voxels], imaginary[0 : voxels])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int v = 0; v < voxels; v++) {
        double r = 0, i = 0;
        for (int s = 0; s < samples; s++) {
            float a = angle(trajectory[s], x[v], y[v], z[v]);
            r += trajectory[s].magnitude * cosf(a);
            i += trajectory[s].magnitude * sinf(a);
        }
        real[v] = r;
        imaginary[v] = i;
    }
}

static void nested(void) {
#pragma omp target teams distribute
    for (int v = 0; v < voxels; v++) {
        double r = 0, i = 0;
#pragma omp parallel for reduction(+ : r, i)
        for (int s = 0; s < samples; s++) {
            float a = angle(trajectory[s], x[v], y[v], z[v]);
            r += trajectory[s].magnitude * cosf(a);
            i += trajectory[s].magnitude * sinf(a);
        }
        real[v] = r;
        imaginary[v] = i;
    }
}

static long wrong(void) {
#pragma omp target update from(real[0 : voxels], imaginary[0 : voxels])
    // An angle of up to 19 with a relative error of 2^-24 or two: each term is off by 3e-6 at most.
    return differing_doubles(real, expected_real, voxels, 3e-6 * samples) +
           differing_doubles(imaginary, expected_imaginary, voxels, 3e-6 * samples);
}

static Kernel kernels[1] = {{.name = "mriq", .paper = "10:1", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
