// Constants that a region uses and no clause names. clang maps them `tofrom`; they lie in memory that may only be read.
#include "check.h"

enum { N = 64 };

struct weights {
    double by_row[N];
    int shift;
};

static const int numbers[N] = {3, 1, 4, 1, 5, 9, 2, 6};
static const struct weights weights = {{0.5, 0.25, 2}, 7};
// Filled in by the dynamic linker.
static const int *const places[2] = {numbers, numbers + 4};
static int copied[N];

static void sums(int first) {
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = first; i < N; i++)
        sum += numbers[i] * weights.by_row[i] + weights.shift;
    double expected = 0;
    for (int i = first; i < N; i++)
        expected += numbers[i] * weights.by_row[i] + weights.shift;
    EXPECT(sum, expected);
}

static void addresses(int index) {
    int same = 0;
#pragma omp target map(from : same) map(to : index)
    same = places[index] != places[1 - index];
    EXPECT(same, 1);
    EXPECT(places[index] == numbers + 4 * index, 1);
}

static void tasks(int first) {
    for (int i = 0; i < 4; i++) {
#pragma omp target nowait map(from : copied[i * 16 : 16]) firstprivate(first)
        for (int j = 0; j < 16; j++)
            copied[i * 16 + j] = numbers[(i * 16 + j + first) % N];
    }
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        EXPECT(copied[i], numbers[(i + first) % N]);
}

int main(int count, char **arguments) {
    (void)arguments;
    sums(count - 1);
    addresses(count - 1);
    tasks(count);
    return done();
}
