// A library with target regions, for programs in other languages (docs/python.md).
#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

// Puts a field of rows x columns on the device, where `steps` finds it. The host's copy stays as it is.
EXPORTED void upload(double *field, long rows, long columns) {
#pragma omp target enter data map(to : field[0 : rows * columns])
}

// The average of each inner point's four neighbours, `count` times, on the device. Returns the largest change of the
// last time. `field` was uploaded; `scratch` is device memory of the same size (omp_target_alloc).
EXPORTED double steps(double *field, double *scratch, long rows, long columns, int count) {
    double change = 0;
    for (int step = 0; step < count; step++) {
        change = 0;
#pragma omp target teams distribute parallel for collapse(2) is_device_ptr(scratch) reduction(max : change)           \
    map(tofrom : change)
        for (long row = 1; row < rows - 1; row++)
            for (long column = 1; column < columns - 1; column++) {
                long at = row * columns + column;
                double mean = (field[at - columns] + field[at + columns] + field[at - 1] + field[at + 1]) / 4;
                double difference = mean > field[at] ? mean - field[at] : field[at] - mean;
                change = difference > change ? difference : change;
                scratch[at] = mean;
            }
#pragma omp target teams distribute parallel for collapse(2) is_device_ptr(scratch)
        for (long row = 1; row < rows - 1; row++)
            for (long column = 1; column < columns - 1; column++)
                field[row * columns + column] = scratch[row * columns + column];
    }
    return change;
}

// Brings the field back and frees the device's copy.
EXPORTED void download(double *field, long rows, long columns) {
#pragma omp target exit data map(from : field[0 : rows * columns])
}
