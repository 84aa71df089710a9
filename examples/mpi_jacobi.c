// mpi_jacobi: a plate whose edges have fixed temperatures, on as many devices as MPI has ranks.
//
// Every rank keeps a slab of the plate's rows on its device for the whole run. After each step neighbours exchange the
// rows at their border. omp_target_memcpy takes them from device to host and back. With the argument `device-pointers`
// MPI gets the device's addresses instead. It must be able to read them: it always can with the virtual GPU, and with a
// real GPU if it is built for it. At the end every rank compares its rows with a computation on the host.
//
//     OMPI_CC=clang-22 mpicc --config=dist/etc/omptarget.cfg -O2 examples/mpi_jacobi.c -o mpi_jacobi
//     mpirun -n 2 ./mpi_jacobi
//     mpirun -n 2 ./mpi_jacobi device-pointers

#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 96, COLUMNS = 130, STEPS = 200, ROW = COLUMNS * sizeof(double) };

// Left, right and upper edge at 0 degrees, the lower one at 100.
static double initial(int row) { return row == ROWS - 1 ? 100 : 0; }

static int is_edge(int row, int column) {
    return row == 0 || row == ROWS - 1 || column == 0 || column == COLUMNS - 1;
}

// This rank's slab: rows first … last-1 of the plate, with a row of each neighbour before and after them.
typedef struct {
    int first, last, above, below; // the neighbours' ranks, MPI_PROC_NULL at the plate's edges
    int device, host;              // OpenMP's numbers
    double *now, *next;            // device memory
} Slab;

static size_t rows_of(const Slab *slab) { return (size_t)(slab->last - slab->first) + 2; }

// Ranks of one machine share its devices: the first rank takes the first device, and so on.
static int choose_device(void) {
    MPI_Comm machine;
    int local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_free(&machine);
    int devices = omp_get_num_devices();
    return devices > 0 ? local % devices : omp_get_initial_device();
}

static double *to_device(const Slab *slab, const double *rows, size_t size) {
    double *copy = omp_target_alloc(size, slab->device);
    if (copy == NULL || omp_target_memcpy(copy, rows, size, 0, 0, slab->device, slab->host) != 0) {
        fprintf(stderr, "device %d has no room for %zu bytes\n", slab->device, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return copy;
}

static Slab make_slab(int rank, int ranks) {
    Slab slab = {.first = ROWS * rank / ranks, .last = ROWS * (rank + 1) / ranks};
    slab.above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    slab.below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    slab.device = choose_device();
    slab.host = omp_get_initial_device();
    size_t size = rows_of(&slab) * ROW;
    double *rows = malloc(size);
    if (rows == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < size / sizeof(double); i++)
        rows[i] = initial(slab.first - 1 + (int)(i / COLUMNS));
    slab.now = to_device(&slab, rows, size);
    slab.next = to_device(&slab, rows, size);
    free(rows);
    return slab;
}

// One step: a point becomes the mean of its four neighbours. Edges stay.
static void step(Slab *slab) {
    const double *now = slab->now;
    double *next = slab->next;
    int first = slab->first, last = slab->last;
#pragma omp target teams distribute parallel for collapse(2) device(slab->device) is_device_ptr(now, next)
    for (int row = first; row < last; row++)
        for (int column = 0; column < COLUMNS; column++) {
            const double *here = now + (size_t)(row - first + 1) * COLUMNS + column;
            next[(size_t)(row - first + 1) * COLUMNS + column] =
                is_edge(row, column) ? *here : 0.25 * (here[-1] + here[1] + here[-COLUMNS] + here[COLUMNS]);
        }
    slab->next = slab->now;
    slab->now = next;
}

// Sends row `from` of the slab to one neighbour and receives row `into` from the other.
static void exchange(const Slab *slab, size_t from, int to_rank, size_t into, int from_rank, int device_pointers) {
    if (device_pointers) {
        MPI_Sendrecv(slab->now + from * COLUMNS, COLUMNS, MPI_DOUBLE, to_rank, 0, slab->now + into * COLUMNS, COLUMNS,
                     MPI_DOUBLE, from_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    double sent[COLUMNS], received[COLUMNS];
    if (to_rank != MPI_PROC_NULL)
        omp_target_memcpy(sent, slab->now, ROW, 0, from * ROW, slab->host, slab->device);
    MPI_Sendrecv(sent, COLUMNS, MPI_DOUBLE, to_rank, 0, received, COLUMNS, MPI_DOUBLE, from_rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (from_rank != MPI_PROC_NULL)
        omp_target_memcpy(slab->now, received, ROW, into * ROW, 0, slab->device, slab->host);
}

// The whole plate on the host, for comparison.
static double *plate_after(int steps) {
    double *now = malloc((size_t)ROWS * ROW), *next = malloc((size_t)ROWS * ROW);
    if (now == NULL || next == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        now[i] = next[i] = initial(i / COLUMNS);
    for (int count = 0; count < steps; count++) {
        for (int row = 1; row < ROWS - 1; row++)
            for (int column = 1; column < COLUMNS - 1; column++) {
                const double *here = now + row * COLUMNS + column;
                next[row * COLUMNS + column] = 0.25 * (here[-1] + here[1] + here[-COLUMNS] + here[COLUMNS]);
            }
        double *swapped = now;
        now = next;
        next = swapped;
    }
    free(next);
    return now;
}

// How many points of this rank differ from the host's.
static int differences(const Slab *slab) {
    size_t size = (size_t)(slab->last - slab->first) * ROW;
    double *mine = malloc(size), *expected = plate_after(STEPS);
    if (mine == NULL || omp_target_memcpy(mine, slab->now, size, 0, ROW, slab->host, slab->device) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    int count = 0;
    for (size_t i = 0; i < size / sizeof(double); i++)
        count += mine[i] != expected[(size_t)slab->first * COLUMNS + i];
    free(mine);
    free(expected);
    return count;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, device_pointers = argc > 1 && strcmp(argv[1], "device-pointers") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    Slab slab = make_slab(rank, ranks);
    size_t inner = rows_of(&slab) - 2;
    for (int count = 0; count < STEPS; count++) {
        step(&slab);
        exchange(&slab, 1, slab.above, inner + 1, slab.below, device_pointers);
        exchange(&slab, inner, slab.below, 0, slab.above, device_pointers);
    }

    int wrong = differences(&slab), devices = omp_get_num_devices(), all_wrong = 0;
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    printf("rank %d of %d: rows %d to %d on device %d of %d\n", rank, ranks, slab.first, slab.last - 1, slab.device, devices);
    fflush(stdout);
    omp_target_free(slab.now, slab.device);
    omp_target_free(slab.next, slab.device);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf(all_wrong == 0 ? "PASS\n" : "FAIL: %d points differ\n", all_wrong);
    MPI_Finalize();
    return rank == 0 && all_wrong != 0;
}
