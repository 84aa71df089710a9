// bt, after the block-tridiagonal solver of the NAS benchmarks: kernels with large bodies on a cube of cells.
//
//   K1, K2   outer loop: planes; inner loop: the cells of a plane, whose five variables lie together (partly coalesced).
//            K1 makes the fluxes' divergence, K2 the dissipation that is subtracted from it.
//   K3 to K5 outer loop: the lines of the cube in one direction; inner loop: the cells of a line, each of which fills
//            a block of 5 x 5 coefficients; the cells' coefficients lie side by side (fully coalesced).
#include "nested.h"

enum { VARIABLES = 5, BLOCK = VARIABLES * VARIABLES, DIRECTIONS = 3 };

static int planes, side, edge; // of the planes (K1, K2); of the cube (K3 to K5)
static double *state, *flux, *expected_flux, *cube, *blocks[DIRECTIONS], *expected_blocks[DIRECTIONS];
static Kernel kernels[5];

static inline double pressure(const double *u) {
    return 0.4 * (u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]);
}

// The flux of variable `v` in a direction (1 to 3).
static inline double flux_of(const double *u, int direction, int v) {
    double speed = u[direction] / u[0], p = pressure(u);
    return u[v] * speed + (v == direction ? p : 0.0) + (v == 4 ? p * speed : 0.0);
}

// A plane is a torus.
static inline void diverge(const double *plane, double *result, int side, int cell) {
    int row = cell / side, column = cell % side;
    const double *west = plane + (row * side + (column + side - 1) % side) * VARIABLES;
    const double *east = plane + (row * side + (column + 1) % side) * VARIABLES;
    const double *north = plane + ((row + side - 1) % side * side + column) * VARIABLES;
    const double *south = plane + ((row + 1) % side * side + column) * VARIABLES;
    for (int v = 0; v < VARIABLES; v++)
        result[cell * VARIABLES + v] =
            flux_of(east, 1, v) - flux_of(west, 1, v) + flux_of(south, 2, v) - flux_of(north, 2, v);
}

static inline void dissipate(const double *plane, double *result, int side, int cell) {
    int row = cell / side, column = cell % side;
    for (int v = 0; v < VARIABLES; v++) {
        double fourth = 0.0;
        for (int step = -2; step <= 2; step++) {
            double weight = step == 0 ? 12.0 : step == 1 || step == -1 ? -8.0 : 2.0;
            int x = (column + step + side) % side, y = (row + step + side) % side;
            fourth += weight * plane[(row * side + x) * VARIABLES + v] + weight * plane[(y * side + column) * VARIABLES + v];
        }
        result[cell * VARIABLES + v] -= 0.05 * fourth;
    }
}

// Where the cell `i` of a line lies in the cube; lines of direction 0 run along the fastest dimension.
static inline int place(int direction, int line, int i, int edge) {
    int a = line / edge, b = line % edge;
    return direction == 0 ? (a * edge + b) * edge + i : direction == 1 ? (a * edge + i) * edge + b : (i * edge + a) * edge + b;
}

// The Jacobian of the flux, as differences.
static inline void jacobian(const double *cube, double *block, int direction, int line, int i, int edge) {
    const double *u = cube + place(direction, line, i, edge) * VARIABLES;
    for (int column = 0; column < VARIABLES; column++) {
        double moved[VARIABLES];
        for (int v = 0; v < VARIABLES; v++)
            moved[v] = u[v] + (v == column ? 0.125 : 0.0);
        for (int row = 0; row < VARIABLES; row++)
            block[((long)line * BLOCK + row * VARIABLES + column) * edge + i] =
                8.0 * (flux_of(moved, direction + 1, row) - flux_of(u, direction + 1, row));
    }
}

static double *random_state(long cells) {
    double *u = allocate(cells * VARIABLES, sizeof *u);
    for (long i = 0; i < cells * VARIABLES; i++)
        u[i] = 1.0 + draw_unit() + (i % VARIABLES == VARIABLES - 1 ? 8.0 : 0.0);
    return u;
}

static void expect(void) {
    int cells = side * side;
    for (int p = 0; p < planes; p++)
        for (int c = 0; c < cells; c++)
            diverge(state + (long)p * cells * VARIABLES, expected_flux + (long)p * cells * VARIABLES, side, c);
    for (int p = 0; p < planes; p++)
        for (int c = 0; c < cells; c++)
            dissipate(state + (long)p * cells * VARIABLES, expected_flux + (long)p * cells * VARIABLES, side, c);
    for (int d = 0; d < DIRECTIONS; d++)
        for (int line = 0; line < edge * edge; line++)
            for (int i = 0; i < edge; i++)
                jacobian(cube, expected_blocks[d], d, line, i, edge);
}

static void setup(int size) {
    planes = 1 + size / 4;
    side = (int)sqrt(500.0 * planes);
    edge = 4 + size;
    long cells = (long)planes * side * side * VARIABLES, coefficients = (long)edge * edge * edge * BLOCK;
    for (int k = 0; k < 5; k++) {
        kernels[k].outer = k < 2 ? planes : edge * edge;
        kernels[k].inner = k < 2 ? side * side : edge;
    }
    state = random_state((long)planes * side * side);
    cube = random_state((long)edge * edge * edge);
    flux = allocate(cells, sizeof *flux);
    expected_flux = allocate(cells, sizeof *flux);
#pragma omp target enter data map(to : state[0 : cells], cube[0 : edge * edge * edge * VARIABLES]) map(alloc : flux[0 : cells])
    for (int d = 0; d < DIRECTIONS; d++) {
        expected_blocks[d] = allocate(coefficients, sizeof *cube);
        double *block = blocks[d] = allocate(coefficients, sizeof *cube);
#pragma omp target enter data map(alloc : block[0 : coefficients])
    }
    expect();
}

static void reset(void) {
    long cells = (long)planes * side * side * VARIABLES, coefficients = (long)edge * edge * edge * BLOCK;
    memset(flux, 0xff, cells * sizeof *flux);
#pragma omp target update to(flux[0 : cells])
    for (int d = 0; d < DIRECTIONS; d++) {
        double *block = blocks[d];
        memset(block, 0xff, coefficients * sizeof *block);
#pragma omp target update to(block[0 : coefficients])
    }
}

static void divergence_spmd(void) {
#pragma omp target teams distribute parallel for
    for (int p = 0; p < planes; p++)
        for (int c = 0; c < side * side; c++)
            diverge(state + (long)p * side * side * VARIABLES, flux + (long)p * side * side * VARIABLES, side, c);
}

static void divergence_nested(void) {
#pragma omp target teams distribute
    for (int p = 0; p < planes; p++) {
#pragma omp parallel for
        for (int c = 0; c < side * side; c++)
            diverge(state + (long)p * side * side * VARIABLES, flux + (long)p * side * side * VARIABLES, side, c);
    }
}

static void dissipation_spmd(void) {
#pragma omp target teams distribute parallel for
    for (int p = 0; p < planes; p++)
        for (int c = 0; c < side * side; c++)
            dissipate(state + (long)p * side * side * VARIABLES, flux + (long)p * side * side * VARIABLES, side, c);
}

static void dissipation_nested(void) {
#pragma omp target teams distribute
    for (int p = 0; p < planes; p++) {
#pragma omp parallel for
        for (int c = 0; c < side * side; c++)
            dissipate(state + (long)p * side * side * VARIABLES, flux + (long)p * side * side * VARIABLES, side, c);
    }
}

static void x_spmd(void) {
    double *block = blocks[0];
#pragma omp target teams distribute parallel for
    for (int line = 0; line < edge * edge; line++)
        for (int i = 0; i < edge; i++)
            jacobian(cube, block, 0, line, i, edge);
}

static void x_nested(void) {
    double *block = blocks[0];
#pragma omp target teams distribute
    for (int line = 0; line < edge * edge; line++) {
#pragma omp parallel for
        for (int i = 0; i < edge; i++)
            jacobian(cube, block, 0, line, i, edge);
    }
}

static void y_spmd(void) {
    double *block = blocks[1];
#pragma omp target teams distribute parallel for
    for (int line = 0; line < edge * edge; line++)
        for (int i = 0; i < edge; i++)
            jacobian(cube, block, 1, line, i, edge);
}

static void y_nested(void) {
    double *block = blocks[1];
#pragma omp target teams distribute
    for (int line = 0; line < edge * edge; line++) {
#pragma omp parallel for
        for (int i = 0; i < edge; i++)
            jacobian(cube, block, 1, line, i, edge);
    }
}

static void z_spmd(void) {
    double *block = blocks[2];
#pragma omp target teams distribute parallel for
    for (int line = 0; line < edge * edge; line++)
        for (int i = 0; i < edge; i++)
            jacobian(cube, block, 2, line, i, edge);
}

static void z_nested(void) {
    double *block = blocks[2];
#pragma omp target teams distribute
    for (int line = 0; line < edge * edge; line++) {
#pragma omp parallel for
        for (int i = 0; i < edge; i++)
            jacobian(cube, block, 2, line, i, edge);
    }
}

static long wrong(void) {
    long cells = (long)planes * side * side * VARIABLES, coefficients = (long)edge * edge * edge * BLOCK;
#pragma omp target update from(flux[0 : cells])
    long wrong = differing_doubles(flux, expected_flux, cells, 1e-11);
    for (int d = 0; d < DIRECTIONS; d++) {
        double *block = blocks[d];
#pragma omp target update from(block[0 : coefficients])
        wrong += differing_doubles(block, expected_blocks[d], coefficients, 1e-11);
    }
    return wrong;
}

static Kernel kernels[5] = {{.name = "bt:K1", .paper = "1:500", .shape = {divergence_spmd, divergence_nested}},
                            {.name = "bt:K2", .paper = "1:500", .shape = {dissipation_spmd, dissipation_nested}},
                            {.name = "bt:K3", .paper = "20:1", .shape = {x_spmd, x_nested}},
                            {.name = "bt:K4", .paper = "20:1", .shape = {y_spmd, y_nested}},
                            {.name = "bt:K5", .paper = "20:1", .shape = {z_spmd, z_nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
