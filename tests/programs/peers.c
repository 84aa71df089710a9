// Several devices: each is another one, with memory and globals of its own, and copies go from one to another. The first
// argument is how many there must be.

#include <stdio.h>
#include <stdlib.h>

#include <omp.h>

#include "check.h"

enum { N = 1000 };

#pragma omp declare target
static int calls;
#pragma omp end declare target

int main(int argc, char **argv) {
    int devices = omp_get_num_devices(), wanted = argc > 1 ? atoi(argv[1]) : 1;
    EXPECT(devices, wanted);
    EXPECT(omp_get_initial_device(), wanted);
    for (int round = 0; round < 2; round++)
        for (int d = 0; d < devices; d++) {
            int number = -1, called = 0;
#pragma omp target device(d) map(from : number, called)
            {
                number = omp_get_device_num();
                called = ++calls;
            }
            EXPECT(number, d);
            EXPECT(called, round + 1);
        }

    // Mapped to each at once, with other values.
    static int shared[N];
    for (int d = 0; d < devices; d++) {
        for (int i = 0; i < N; i++)
            shared[i] = i + d;
#pragma omp target enter data map(to : shared) device(d)
    }
    int wrong = 0;
    for (int d = 0; d < devices; d++) {
        EXPECT(omp_target_is_present(shared, d), 1);
#pragma omp target teams distribute parallel for device(d) reduction(+ : wrong) map(tofrom : wrong)
        for (int i = 0; i < N; i++)
            wrong += shared[i] != i + d;
    }
    EXPECT(wrong, 0);

    // A rectangle from the last to the first.
    int last = devices - 1, *one = omp_target_alloc(sizeof shared, 0);
    size_t volume[] = {10, 20}, shape[] = {25, 40}, none[] = {0, 0}, offsets[] = {5, 20};
    const int *there = omp_get_mapped_ptr(shared, last);
    int answer = omp_target_memcpy_rect(one, there, sizeof(int), 2, volume, none, offsets, shape, shape, 0, last);
    EXPECT(answer, 0);
    wrong = 0;
#pragma omp target teams distribute parallel for collapse(2) is_device_ptr(one) reduction(+ : wrong) map(tofrom : wrong)
    for (int row = 0; row < 10; row++)
        for (int column = 0; column < 20; column++)
            wrong += one[row * 40 + column] != (row + 5) * 40 + column + 20 + last;
    EXPECT(wrong, 0);
    omp_target_free(one, 0);
    for (int d = 0; d < devices; d++) {
#pragma omp target exit data map(delete : shared) device(d)
    }
    return done();
}
