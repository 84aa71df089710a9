// Second translation unit of units.c: regions, but no kernel.

#include <math.h>
#include <omp.h>

#pragma omp begin declare target
int calls = 0;

void orphan(int *numbers, int size) {
    calls++;
#pragma omp parallel for
    for (int i = 0; i < size; i++)
        numbers[i] += i + 1;
}

void (*chosen)(int *, int) = orphan;

int team_sum(const int *numbers, int size) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
    for (int i = 0; i < size; i++)
        sum += numbers[i];
    return sum;
}

void part_of_team(int *numbers, int size) {
#pragma omp for
    for (int i = 0; i < size; i++)
        numbers[i] = i;
}

double root_of_sum(const double *numbers, int size) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < size; i++)
        sum += numbers[i];
    return sqrt(sum) * pow(1, sum);
}

int nested_levels(void) {
    int levels = 0;
#pragma omp parallel num_threads(4) reduction(+ : levels)
    {
#pragma omp parallel reduction(+ : levels)
        levels += omp_get_level() + (omp_get_num_threads() == 1);
    }
    return levels;
}
#pragma omp end declare target
