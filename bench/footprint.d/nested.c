// A region inside a region, and the queries that tell them apart.
#include <omp.h>
void kernel(int n, int *a) {
#pragma omp target map(tofrom : a[:4 * n])
#pragma omp parallel num_threads(n)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(4)
        a[4 * outer + omp_get_thread_num()] = omp_get_level() * 100 + omp_get_num_threads();
    }
}
