// lavaMD: forces between the particles of neighbouring boxes. Outer loop: boxes; inner loop: a box's particles, each
// with all particles of the box itself and of its neighbours. Four values per particle lie together.
#include "nested.h"

enum { ROWS = 2, FIELDS = 4 }; // x, y, z, charge; of results: potential and force

static int columns, boxes, particles;
static double *places, *forces, *expected;
static Kernel kernels[1];

// What the particle `i` of `box` feels.
static inline void interact(const double *places, double *forces, int columns, int particles, int box, int i) {
    const double *own = places + ((long)box * particles + i) * FIELDS;
    double felt[FIELDS] = {0};
    int row = box / columns, column = box % columns;
    for (int y = 0; y < ROWS; y++)
        for (int x = column > 0 ? column - 1 : 0; x <= column + 1 && x < columns; x++)
            for (int j = 0; j < particles; j++) {
                const double *other = places + ((long)(y * columns + x) * particles + j) * FIELDS;
                double dx = own[0] - other[0] + (column - x), dy = own[1] - other[1] + (row - y), dz = own[2] - other[2];
                double potential = other[3] * exp(-0.5 * (dx * dx + dy * dy + dz * dz));
                felt[0] += potential;
                felt[1] += potential * dx;
                felt[2] += potential * dy;
                felt[3] += potential * dz;
            }
    for (int f = 0; f < FIELDS; f++)
        forces[((long)box * particles + i) * FIELDS + f] = felt[f];
}

static void setup(int size) {
    columns = 1 + size / 4;
    boxes = ROWS * columns;
    particles = 10 * boxes;
    kernels[0].outer = boxes;
    kernels[0].inner = particles;
    int values = boxes * particles * FIELDS;
    places = allocate(values, sizeof *places);
    forces = allocate(values, sizeof *forces);
    expected = allocate(values, sizeof *expected);
    for (int i = 0; i < values; i++)
        places[i] = draw_unit();
    for (int b = 0; b < boxes; b++)
        for (int i = 0; i < particles; i++)
            interact(places, expected, columns, particles, b, i);
#pragma omp target enter data map(to : places[0 : values]) map(alloc : forces[0 : values])
}

static void reset(void) {
    int values = boxes * particles * FIELDS;
    memset(forces, 0xff, values * sizeof *forces);
#pragma omp target update to(forces[0 : values])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int b = 0; b < boxes; b++)
        for (int i = 0; i < particles; i++)
            interact(places, forces, columns, particles, b, i);
}

static void nested(void) {
#pragma omp target teams distribute
    for (int b = 0; b < boxes; b++) {
#pragma omp parallel for
        for (int i = 0; i < particles; i++)
            interact(places, forces, columns, particles, b, i);
    }
}

static long wrong(void) {
    int values = boxes * particles * FIELDS;
#pragma omp target update from(forces[0 : values])
    return differing_doubles(forces, expected, values, 1e-9);
}

static Kernel kernels[1] = {{.name = "lavamd", .paper = "1:10", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
