// A plate whose edges have fixed temperatures, on as many devices as there are MPI ranks times devices of each rank.
// It times the parts of a step, and what they consist of. bench/scaling runs it.
//
//     jacobi ROWS COLUMNS STEPS DEVICES host|device
//
// A *part* is the rows of one device. After each step, parts exchange the rows at their borders: those of a rank from
// device to device, those of different ranks by MPI, through the host (`host`) or with the devices' addresses
// (`device`). Then all ranks know by how much the plate has changed. Rank 0 prints a line of JSON: median and least
// over the steps of the slowest rank's times, in microseconds, and the sum of the plate, which does not depend on the
// ranks.

#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { MOST_DEVICES = 16, EMPTY_REGIONS = 200, WARM_UP = 4 };

typedef struct {
    long first, last; // its rows of the plate
    int device;
    double *now, *next; // device memory: its rows, and one of each neighbour before and after them
    double change;
} Part;

static long rows, columns;
static int rank, ranks, devices, parts, host, pass_device_addresses;
static Part mine[MOST_DEVICES];
static double *sent, *received;

static void fail(const char *why) {
    fprintf(stderr, "jacobi: rank %d: %s\n", rank, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double *allocate(size_t bytes, int device) {
    double *memory = omp_target_alloc(bytes, device);
    if (memory == NULL)
        fail("a device has no room for its part of the plate");
    return memory;
}

static void copy(double *to, int to_device, const double *from, int from_device, size_t bytes) {
    if (omp_target_memcpy(to, from, bytes, 0, 0, to_device, from_device) != 0)
        fail("a copy failed");
}

static void make_part(Part *part, int number, int device) {
    part->first = rows * number / parts;
    part->last = rows * (number + 1) / parts;
    part->device = device;
    size_t points = (size_t)(part->last - part->first + 2) * columns;
    part->now = allocate(points * sizeof(double), device);
    part->next = allocate(points * sizeof(double), device);
    double *now = part->now, *next = part->next;
    long before = part->first - 1, last = rows - 1, width = columns;
#pragma omp target teams distribute parallel for device(device) is_device_ptr(now, next)
    for (size_t i = 0; i < points; i++)
        now[i] = next[i] = before + (long)(i / width) == last ? 100 : 0;
}

// One step of a part: a point becomes the mean of its four neighbours. Edges stay.
static void step(Part *part) {
    const double *now = part->now;
    double *next = part->next, change = 0;
    long first = part->first, last = part->last, width = columns, bottom = rows - 1;
#pragma omp target teams distribute parallel for collapse(2) device(part->device) is_device_ptr(now, next) \
    reduction(+ : change) map(tofrom : change)
    for (long row = first; row < last; row++)
        for (long column = 0; column < width; column++) {
            size_t at = (size_t)(row - first + 1) * width + column;
            int is_edge = row == 0 || row == bottom || column == 0 || column == width - 1;
            double value = is_edge ? now[at] : 0.25 * (now[at - 1] + now[at + 1] + now[at - width] + now[at + width]);
            change += (value - now[at]) * (value - now[at]);
            next[at] = value;
        }
    part->change = change;
    part->next = part->now;
    part->now = next;
}

// All parts of the rank at once, each by a host thread of its own.
static void step_all(void) {
#pragma omp parallel for num_threads(devices) schedule(static, 1)
    for (int d = 0; d < devices; d++)
        step(&mine[d]);
}

// Sends a row to one neighbour and receives one from the other.
static void exchange_rows(Part *from, long row, int to_rank, Part *into, long place, int from_rank) {
    size_t bytes = (size_t)columns * sizeof(double);
    double *out = from->now + row * columns, *in = into->now + place * columns;
    if (pass_device_addresses) {
        MPI_Sendrecv(out, (int)columns, MPI_DOUBLE, to_rank, 0, in, (int)columns, MPI_DOUBLE, from_rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    if (to_rank != MPI_PROC_NULL)
        copy(sent, host, out, from->device, bytes);
    MPI_Sendrecv(sent, (int)columns, MPI_DOUBLE, to_rank, 0, received, (int)columns, MPI_DOUBLE, from_rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (from_rank != MPI_PROC_NULL)
        copy(in, into->device, received, host, bytes);
}

static void exchange(void) {
    Part *top = &mine[0], *bottom = &mine[devices - 1];
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    exchange_rows(top, 1, above, bottom, bottom->last - bottom->first + 1, below);
    exchange_rows(bottom, bottom->last - bottom->first, below, top, 0, above);
    size_t bytes = (size_t)columns * sizeof(double);
    for (int d = 0; d + 1 < devices; d++) {
        Part *one = &mine[d], *other = &mine[d + 1];
        long inner = one->last - one->first;
        copy(other->now, other->device, one->now + inner * columns, one->device, bytes);
        copy(one->now + (inner + 1) * columns, one->device, other->now + columns, other->device, bytes);
    }
}

static double total_change(void) {
    double change = 0, all;
    for (int d = 0; d < devices; d++)
        change += mine[d].change;
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static double plate_sum(void) {
    double sum = 0, all = 0;
    for (int d = 0; d < devices; d++) {
        size_t points = (size_t)(mine[d].last - mine[d].first) * columns;
        double *values = malloc(points * sizeof(double));
        if (values == NULL)
            fail("no memory");
        copy(values, host, mine[d].now + columns, mine[d].device, points * sizeof(double));
        for (size_t i = 0; i < points; i++)
            sum += values[i];
        free(values);
    }
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

static int ascending(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

// Microseconds.
typedef struct {
    double median, least;
} Times;

// Over the steps, of the slowest rank's time.
static Times slowest(const double *times, int count) {
    double *most = malloc(count * sizeof(double));
    if (most == NULL)
        fail("no memory");
    MPI_Allreduce(times, most, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(most, count, sizeof(double), ascending);
    Times result = {most[count / 2] * 1e6, most[0] * 1e6};
    free(most);
    return result;
}

// An empty region.
static Times launch(void) {
    double times[EMPTY_REGIONS];
    for (int i = 0; i < EMPTY_REGIONS; i++) {
        double begin = MPI_Wtime();
#pragma omp target device(mine[0].device)
        {
        }
        times[i] = MPI_Wtime() - begin;
    }
    return slowest(times, EMPTY_REGIONS);
}

// Times steps, and gives the last one's change. Every second step is timed by its parts, with a barrier before each, so
// that a part is not charged with waiting for another rank's last one. The others are timed as a whole.
static double time_steps(int steps, double *kernel, double *halo, double *reduction, double *whole) {
    double change = 0;
    for (int count = 0; count < 2 * steps; count++) {
        int apart = count % 2;
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        step_all();
        double computed = MPI_Wtime();
        if (apart)
            MPI_Barrier(MPI_COMM_WORLD);
        double exchanging = MPI_Wtime();
        exchange();
        double exchanged = MPI_Wtime();
        if (apart)
            MPI_Barrier(MPI_COMM_WORLD);
        double reducing = MPI_Wtime();
        change = total_change();
        double end = MPI_Wtime();
        if (apart) {
            kernel[count / 2] = computed - begin;
            halo[count / 2] = exchanged - exchanging;
            reduction[count / 2] = end - reducing;
        } else {
            whole[count / 2] = end - begin;
        }
    }
    return change;
}

static void print_times(const char *name, Times times) {
    printf("\"%s\": {\"median\": %.3f, \"least\": %.3f}, ", name, times.median, times.least);
}

// Whether the MPI library says that it takes addresses of NVIDIA's GPUs: 1, 0, or -1 if it says nothing.
static int takes_gpu_addresses(void) {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support();
#else
    return -1;
#endif
}

int main(int argc, char **argv) {
    int given;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 6)
        fail("usage: jacobi ROWS COLUMNS STEPS DEVICES host|device");
    rows = atol(argv[1]);
    columns = atol(argv[2]);
    int steps = atoi(argv[3]);
    devices = atoi(argv[4]);
    pass_device_addresses = strcmp(argv[5], "device") == 0;
    parts = ranks * devices;
    host = omp_get_initial_device();
    if (devices < 1 || devices > MOST_DEVICES || steps < 1 || columns < 3 || rows < parts)
        fail("too few rows, columns or steps, or more than 16 devices");
    if (omp_get_num_devices() < 1)
        fail("there is no device");

    // Ranks of one machine share its devices: the first rank takes the first ones, and so on.
    MPI_Comm machine;
    int local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_free(&machine);
    for (int d = 0; d < devices; d++)
        make_part(&mine[d], rank * devices + d, (local * devices + d) % omp_get_num_devices());
    sent = calloc(columns, sizeof(double));
    received = calloc(columns, sizeof(double));
    int most = steps > WARM_UP ? steps : WARM_UP;
    double *times = calloc(4 * (size_t)most, sizeof(double));
    if (sent == NULL || received == NULL || times == NULL)
        fail("no memory");

    double *kernel = times, *halo = times + most, *reduction = times + 2 * most, *whole = times + 3 * most;
    Times launched = launch();
    time_steps(WARM_UP, kernel, halo, reduction, whole);
    double change = time_steps(steps, kernel, halo, reduction, whole);
    Times parts_of_step[] = {slowest(kernel, steps), slowest(halo, steps), slowest(reduction, steps),
                             slowest(whole, steps)};
    double sum = plate_sum();
    if (rank == 0) {
        printf("{\"ranks\": %d, \"devices\": %d, \"rows\": %ld, \"columns\": %ld, ", ranks, devices, rows, columns);
        print_times("launch", launched);
        print_times("kernel", parts_of_step[0]);
        print_times("halo", parts_of_step[1]);
        print_times("reduction", parts_of_step[2]);
        print_times("step", parts_of_step[3]);
        printf("\"change\": %.17g, \"sum\": %.17g, \"mpi_takes_gpu_addresses\": %d}\n", change, sum,
               takes_gpu_addresses());
    }
    for (int d = 0; d < devices; d++) {
        omp_target_free(mine[d].now, mine[d].device);
        omp_target_free(mine[d].next, mine[d].device);
    }
    free(times);
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
