// ep, after the embarrassingly parallel NAS benchmark: pairs of pseudo-random numbers inside the unit circle.
//
//   K1   outer loop: batches; inner loop: makes the numbers of a batch, each from its index alone (fully coalesced)
//   K2   outer loop: batches; inner loop: sums and counts over a batch's pairs. A batch's pairs lie as far apart as
//        there are batches: not coalesced. Sums inside, sums outside.
#include "nested.h"

static int batches, numbers, pairs;
static unsigned *made, *expected;
static unsigned *drawn;
static long inside, sum, expected_inside, expected_sum;
static Kernel kernels[2];

// A number from its index (an integer hash: multiplications and shifts).
static inline unsigned number_at(unsigned index) {
    index = (index ^ index >> 16) * 0x45d9f3bu;
    index = (index ^ index >> 16) * 0x45d9f3bu;
    return index ^ index >> 16;
}

// The square of the pair's distance from the centre, of 2^30 at most inside the circle; 15-bit coordinates.
static inline long distance2(unsigned pair) {
    long x = pair & 0x7fff, y = pair >> 16 & 0x7fff;
    return x * x + y * y;
}

static void setup(int size) {
    batches = 4 * size, numbers = 400 * size, pairs = 600 * size;
    kernels[0].outer = kernels[1].outer = batches;
    kernels[0].inner = numbers;
    kernels[1].inner = pairs;
    made = allocate((long)batches * numbers, sizeof *made);
    expected = allocate((long)batches * numbers, sizeof *expected);
    drawn = allocate((long)batches * pairs, sizeof *drawn);
    for (int i = 0; i < batches * numbers; i++)
        expected[i] = number_at(i);
    for (int i = 0; i < batches * pairs; i++) {
        drawn[i] = number_at(i + 1);
        long square = distance2(drawn[i]);
        expected_inside += square < 1l << 30;
        expected_sum += square < 1l << 30 ? square : 0;
    }
#pragma omp target enter data map(alloc : made[0 : batches * numbers]) map(to : drawn[0 : batches * pairs])
}

static void reset(void) {
    memset(made, 0, (long)batches * numbers * sizeof *made);
#pragma omp target update to(made[0 : batches * numbers])
    inside = sum = 0;
}

static void make_spmd(void) {
#pragma omp target teams distribute parallel for
    for (int b = 0; b < batches; b++)
        for (int i = 0; i < numbers; i++)
            made[b * numbers + i] = number_at(b * numbers + i);
}

static void make_nested(void) {
#pragma omp target teams distribute
    for (int b = 0; b < batches; b++) {
#pragma omp parallel for
        for (int i = 0; i < numbers; i++)
            made[b * numbers + i] = number_at(b * numbers + i);
    }
}

static void count_spmd(void) {
#pragma omp target teams distribute parallel for reduction(+ : inside, sum) map(tofrom : inside, sum)
    for (int b = 0; b < batches; b++)
        for (int i = 0; i < pairs; i++) {
            long square = distance2(drawn[i * batches + b]);
            inside += square < 1l << 30;
            sum += square < 1l << 30 ? square : 0;
        }
}

static void count_nested(void) {
#pragma omp target teams distribute reduction(+ : inside, sum) map(tofrom : inside, sum)
    for (int b = 0; b < batches; b++) {
        long inside_here = 0, sum_here = 0;
#pragma omp parallel for reduction(+ : inside_here, sum_here)
        for (int i = 0; i < pairs; i++) {
            long square = distance2(drawn[i * batches + b]);
            inside_here += square < 1l << 30;
            sum_here += square < 1l << 30 ? square : 0;
        }
        inside += inside_here;
        sum += sum_here;
    }
}

static long wrong(void) {
#pragma omp target update from(made[0 : batches * numbers])
    return differing_ints((int *)made, (int *)expected, (long)batches * numbers) + (inside != expected_inside) +
           (sum != expected_sum);
}

static Kernel kernels[2] = {{.name = "ep:K1", .paper = "1:100", .shape = {make_spmd, make_nested}},
                            {.name = "ep:K2", .paper = "1:150", .shape = {count_spmd, count_nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
