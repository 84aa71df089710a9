// sp, after the scalar-pentadiagonal solver of the NAS benchmarks.
//
//   K1   outer loop: lines; inner loop: the cells of a line, few operations; three values per cell lie together (partly
//        coalesced)
//   K2   the same cells along the other dimension: neighbouring threads are a line apart (not coalesced)
//   K3   outer loop: planes; inner loop: the cells of a plane, a five-point formula (fully coalesced)
#include "nested.h"

enum { FIELDS = 3 };

static int lines, length, planes, cells;
static double *momentum, *wave, *expected_wave, *cross, *expected_cross, *plane, *smooth, *expected_smooth;
static Kernel kernels[3];

static inline double wave_speed(const double *cell) { return cell[1] / cell[0] + sqrt(1.4 * cell[2] / cell[0]); }

// Five cells of a plane; beyond its ends it goes on at the other end.
static inline double smoothed(const double *plane, int cells, int i) {
    double sum = 6.0 * plane[i];
    sum -= 4.0 * (plane[(i + 1) % cells] + plane[(i + cells - 1) % cells]);
    return sum + plane[(i + 2) % cells] + plane[(i + cells - 2) % cells];
}

static double *random_values(long count) {
    double *values = allocate(count, sizeof *values);
    for (long i = 0; i < count; i++)
        values[i] = 1.0 + draw_unit();
    return values;
}

static void setup(int size) {
    lines = 20 * size, length = 4 * size, planes = 2 * size, cells = 160 * size;
    for (int k = 0; k < 3; k++) {
        kernels[k].outer = k < 2 ? lines : planes;
        kernels[k].inner = k < 2 ? length : cells;
    }
    momentum = random_values((long)lines * length * FIELDS);
    plane = random_values((long)planes * cells);
    double **results[] = {&wave, &expected_wave, &cross, &expected_cross, &smooth, &expected_smooth};
    for (int r = 0; r < 6; r++)
        *results[r] = allocate(r < 4 ? (long)lines * length : (long)planes * cells, sizeof(double));
    for (int l = 0; l < lines; l++)
        for (int i = 0; i < length; i++) {
            expected_wave[l * length + i] = wave_speed(momentum + (l * length + i) * FIELDS);
            expected_cross[i * lines + l] = wave_speed(momentum + (i * lines + l) * FIELDS);
        }
    for (int p = 0; p < planes; p++)
        for (int i = 0; i < cells; i++)
            expected_smooth[p * cells + i] = smoothed(plane + p * cells, cells, i);
#pragma omp target enter data map(to : momentum[0 : lines * length * FIELDS], plane[0 : planes * cells])               \
    map(alloc : wave[0 : lines * length], cross[0 : lines * length], smooth[0 : planes * cells])
}

static void reset(void) {
    memset(wave, 0xff, (long)lines * length * sizeof *wave);
    memset(cross, 0xff, (long)lines * length * sizeof *cross);
    memset(smooth, 0xff, (long)planes * cells * sizeof *smooth);
#pragma omp target update to(wave[0 : lines * length], cross[0 : lines * length], smooth[0 : planes * cells])
}

static void along_spmd(void) {
#pragma omp target teams distribute parallel for
    for (int l = 0; l < lines; l++)
        for (int i = 0; i < length; i++)
            wave[l * length + i] = wave_speed(momentum + (l * length + i) * FIELDS);
}

static void along_nested(void) {
#pragma omp target teams distribute
    for (int l = 0; l < lines; l++) {
#pragma omp parallel for
        for (int i = 0; i < length; i++)
            wave[l * length + i] = wave_speed(momentum + (l * length + i) * FIELDS);
    }
}

static void across_spmd(void) {
#pragma omp target teams distribute parallel for
    for (int l = 0; l < lines; l++)
        for (int i = 0; i < length; i++)
            cross[i * lines + l] = wave_speed(momentum + (i * lines + l) * FIELDS);
}

static void across_nested(void) {
#pragma omp target teams distribute
    for (int l = 0; l < lines; l++) {
#pragma omp parallel for
        for (int i = 0; i < length; i++)
            cross[i * lines + l] = wave_speed(momentum + (i * lines + l) * FIELDS);
    }
}

static void planes_spmd(void) {
#pragma omp target teams distribute parallel for
    for (int p = 0; p < planes; p++)
        for (int i = 0; i < cells; i++)
            smooth[p * cells + i] = smoothed(plane + p * cells, cells, i);
}

static void planes_nested(void) {
#pragma omp target teams distribute
    for (int p = 0; p < planes; p++) {
#pragma omp parallel for
        for (int i = 0; i < cells; i++)
            smooth[p * cells + i] = smoothed(plane + p * cells, cells, i);
    }
}

static long wrong(void) {
#pragma omp target update from(wave[0 : lines * length], cross[0 : lines * length], smooth[0 : planes * cells])
    return differing_doubles(wave, expected_wave, (long)lines * length, 1e-12) +
           differing_doubles(cross, expected_cross, (long)lines * length, 1e-12) +
           differing_doubles(smooth, expected_smooth, (long)planes * cells, 1e-12);
}

static Kernel kernels[3] = {{.name = "sp:K1", .paper = "5:1", .shape = {along_spmd, along_nested}},
                            {.name = "sp:K2", .paper = "5:1", .shape = {across_spmd, across_nested}},
                            {.name = "sp:K3", .paper = "1:80", .shape = {planes_spmd, planes_nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
