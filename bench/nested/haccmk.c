// haccmk: short-range gravity of many particles on a few. Outer loop: particles that are moved; inner loop: all
// neighbours, a sum of three components, fully coalesced. The force is Newton's, softened, minus a polynomial.
#include "nested.h"

enum { FIELDS = 4 }; // x, y, z, mass
enum { CUT = 1 };    // neighbours further away than this do not count

static int moved, neighbours;
static float *x, *y, *z, *mass, *forces, *expected;
static Kernel kernels[1];

static inline float strength(float distance2, float mass) {
    float softened = distance2 + 0.01f;
    float newton = 1.0f / (softened * sqrtf(softened));
    float grid = 0.27f + distance2 * (-0.08f + distance2 * (0.011f + distance2 * (-0.0008f + distance2 * 0.00002f)));
    return distance2 < CUT && distance2 > 0.0f ? mass * (newton - grid) : 0.0f;
}

static void setup(int size) {
    moved = 16 * size;
    neighbours = 320 * size;
    kernels[0].outer = moved;
    kernels[0].inner = neighbours;
    float **fields[FIELDS] = {&x, &y, &z, &mass};
    for (int f = 0; f < FIELDS; f++) {
        *fields[f] = allocate(neighbours, sizeof **fields[f]);
        for (int i = 0; i < neighbours; i++)
            (*fields[f])[i] = (float)draw_unit();
    }
    forces = allocate(3 * moved, sizeof *forces);
    expected = allocate(3 * moved, sizeof *expected);
    for (int i = 0; i < moved; i++) {
        double fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < neighbours; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float f = strength(dx * dx + dy * dy + dz * dz, mass[j]);
            fx += f * dx, fy += f * dy, fz += f * dz;
        }
        expected[3 * i] = (float)fx, expected[3 * i + 1] = (float)fy, expected[3 * i + 2] = (float)fz;
    }
#pragma omp target enter data map(to : x[0 : neighbours], y[0 : neighbours], z[0 : neighbours], mass[0 : neighbours])  \
    map(alloc : forces[0 : 3 * moved])
}

static void reset(void) {
    memset(forces, 0xff, 3 * moved * sizeof *forces);
#pragma omp target update to(forces[0 : 3 * moved])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < moved; i++) {
        float fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < neighbours; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float f = strength(dx * dx + dy * dy + dz * dz, mass[j]);
            fx += f * dx, fy += f * dy, fz += f * dz;
        }
        forces[3 * i] = fx, forces[3 * i + 1] = fy, forces[3 * i + 2] = fz;
    }
}

static void nested(void) {
#pragma omp target teams distribute
    for (int i = 0; i < moved; i++) {
        float fx = 0, fy = 0, fz = 0;
#pragma omp parallel for reduction(+ : fx, fy, fz)
        for (int j = 0; j < neighbours; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float f = strength(dx * dx + dy * dy + dz * dz, mass[j]);
            fx += f * dx, fy += f * dy, fz += f * dz;
        }
        forces[3 * i] = fx, forces[3 * i + 1] = fy, forces[3 * i + 2] = fz;
    }
}

static long wrong(void) {
#pragma omp target update from(forces[0 : 3 * moved])
    return differing_floats(forces, expected, 3 * moved, 1e-2);
}

static Kernel kernels[1] = {{.name = "haccmk", .paper = "1:20", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
