// The unit of clang 22's that program.c calls: a parallel region with a reduction, in the newest form.
#pragma omp declare target
long other_unit(const int *values, int count) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}
#pragma omp end declare target
