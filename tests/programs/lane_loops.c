// Loops in which a thread goes through rows of its own: stencils and sums along them, of several lengths, with rows
// that overlap those of other threads, with more than one value behind the loop, and in regions with reductions.
#include "check.h"

enum { ROWS = 150, COLUMNS = 96, COUNT = ROWS * COLUMNS };

static double from[COUNT], to[COUNT], expected[COUNT];
static int numbers[COUNT], counted[ROWS];

#pragma omp begin declare target
// One point of a stencil, and what it adds to a sum.
static double point(const double *a, double *b, int i, int j) {
    const double *row = a + i * COLUMNS;
    b[i * COLUMNS + j] = 4 * row[j] - row[j - 1] - row[j + 1] - row[j - COLUMNS] - row[j + COLUMNS];
    return row[j] * b[i * COLUMNS + j];
}
#pragma omp end declare target

// The same number from either side: both add in the order of the rows.
static double sum_on_host(int first, int last) {
    double sum = 0;
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = first; j < last; j++)
            sum += point(from, expected, i, j);
    return sum;
}

static void stencil(int first, int last) {
    memset(to, 0, sizeof to);
    memset(expected, 0, sizeof expected);
    double sum = 0, right = sum_on_host(first, last);
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : from) map(tofrom : to)
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = first; j < last; j++)
            sum += point(from, to, i, j);
    // All terms are whole numbers, so their order does not matter.
    EXPECT(sum, right);
    EXPECT(memcmp(to, expected, sizeof to), 0);
}

// Each row begins inside the one before: threads write their own part only.
static void overlapping(int length, int distance) {
    memset(to, 0, sizeof to);
    memset(expected, 0, sizeof expected);
    int rows = (COUNT - length) / distance;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < distance; j++)
            expected[i * distance + j] = from[i * distance + j] + from[i * distance + j + length - distance];
#pragma omp target teams distribute parallel for map(to : from) map(tofrom : to)
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < distance; j++)
            to[i * distance + j] = from[i * distance + j] + from[i * distance + j + length - distance];
    EXPECT(memcmp(to, expected, sizeof to), 0);
}

// The loop ends where a thread has counted enough, and the counter is used behind it.
static void counting(int length) {
#pragma omp target teams distribute parallel for map(tofrom : numbers) map(from : counted)
    for (int i = 0; i < ROWS; i++) {
        int j, odd = 0;
        for (j = 0; j < length; j++) {
            odd += numbers[i * COLUMNS + j] & 1;
            numbers[i * COLUMNS + j] += i;
        }
        counted[i] = 1000 * odd + j;
    }
    for (int i = 0; i < ROWS; i++) {
        int odd = 0, wrong = 0;
        for (int j = 0; j < COLUMNS; j++) {
            int before = (i + j) % 7;
            odd += j < length ? before & 1 : 0;
            wrong += numbers[i * COLUMNS + j] != before + (j < length ? i : 0);
            numbers[i * COLUMNS + j] = before;
        }
        EXPECT(counted[i], 1000 * odd + length);
        EXPECT(wrong, 0);
    }
}

int main(void) {
    for (int i = 0; i < COUNT; i++) {
        from[i] = (i * 37 + i / 11) % 17;
        numbers[i] = (i / COLUMNS + i % COLUMNS) % 7;
    }
    for (int last = 1; last < COLUMNS; last += 13)
        stencil(1, last);
    stencil(17, COLUMNS - 1);
    overlapping(40, 33);
    overlapping(64, 64);
    overlapping(33, 8);
    for (int length = 0; length <= COLUMNS; length += 19)
        counting(length);
    return done();
}
