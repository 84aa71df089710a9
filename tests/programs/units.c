// Regions in another translation unit (units_other.c) than the kernel that reaches them: the unit that has the kernel cannot
// see them when it is compiled on its own, and the unit that has them sees no kernel.

#include "check.h"

enum { SIZE = 300 };

#pragma omp begin declare target
void orphan(int *numbers, int size);
int team_sum(const int *numbers, int size);
void part_of_team(int *numbers, int size);
double root_of_sum(const double *numbers, int size);
int nested_levels(void);
extern int calls;
extern void (*chosen)(int *, int);
#pragma omp end declare target

static void parallel_regions(void) {
    int numbers[SIZE], sum = 0, levels = 0;
    for (int i = 0; i < SIZE; i++)
        numbers[i] = i;
#pragma omp target map(tofrom : numbers, sum, levels)
    {
        orphan(numbers, SIZE);
        sum = team_sum(numbers, SIZE);
        levels = nested_levels();
    }
    for (int i = 0; i < SIZE; i++)
        EXPECT(numbers[i], 2 * i + 1);
    EXPECT(sum, SIZE * SIZE);
    EXPECT(levels, 12);
}

// More threads than a function with all registers allows on NVIDIA GPUs.
static void worksharing(void) {
    int numbers[SIZE] = {0};
#pragma omp target parallel num_threads(640) map(tofrom : numbers)
    part_of_team(numbers, SIZE);
    for (int i = 0; i < SIZE; i++)
        EXPECT(numbers[i], i);
}

static void mathematics(void) {
    double numbers[SIZE], result = 0;
    for (int i = 0; i < SIZE; i++)
        numbers[i] = 3;
#pragma omp target map(to : numbers) map(from : result)
    result = root_of_sum(numbers, SIZE);
    EXPECT(result, 30);
}

static void through_a_pointer(void) {
    int numbers[SIZE] = {0}, count = 0;
#pragma omp target map(tofrom : numbers) map(from : count)
    {
        chosen(numbers, SIZE);
        count = calls;
    }
    for (int i = 0; i < SIZE; i++)
        EXPECT(numbers[i], i + 1);
    EXPECT(count, 2);
}

int main(void) {
    parallel_regions();
    worksharing();
    mathematics();
    through_a_pointer();
    return done();
}
