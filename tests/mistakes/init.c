// Reads of memory that was never written.
#include "mistake.h"
#include <omp.h>

// mistake from_is_read: init, map(tofrom: x)
static void from_is_read(void) {
  int n = unknown_size, *x = numbers(n);
#ifdef RIGHT
#pragma omp target parallel for map(tofrom : x[0 : n])
#else
#pragma omp target parallel for map(from : x[0 : n])
#endif
  for (int i = 0; i < n; i++)
    x[i] = 2 * x[i]; // <- init
  free(x);
}

// mistake alloc_is_read: init, map(to: x)
static void alloc_is_read(void) {
  int n = unknown_size, *x = numbers(n), sum = 0;
#ifdef RIGHT
#pragma omp target parallel for map(to : x[0 : n]) reduction(+ : sum)
#else
#pragma omp target parallel for map(alloc : x[0 : n]) reduction(+ : sum)
#endif
  for (int i = 0; i < n; i++)
    sum += x[i]; // <- init
  if (sum == 42)
    puts("42");
  free(x);
}

// mistake allocation_is_read: init
static void allocation_is_read(void) {
  int n = unknown_size, device = omp_get_default_device(), *y = numbers(n);
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
#ifdef RIGHT
  omp_target_memcpy(d, y, n * sizeof(int), 0, 0, device, omp_get_initial_device());
#endif
#pragma omp target parallel for is_device_ptr(d) map(from : y[0 : n])
  for (int i = 0; i < n; i++)
    y[i] = d[i] + 1; // <- init
  omp_target_free(d, device);
  free(y);
}

// mistake half_is_written: init
static void half_is_written(void) {
  int n = unknown_size, *y = numbers(n), *x = numbers(n);
#pragma omp target data map(alloc : x[0 : n]) map(from : y[0 : n])
  {
#pragma omp target parallel for
    for (int i = 0; i < MISTAKE(n / 2, n); i++)
      x[i] = i;
#pragma omp target parallel for
    for (int i = 0; i < n; i++)
      y[i] = x[i] > 3; // <- init
  }
  free(x), free(y);
}

// mistake heap_block_is_read: init
static void heap_block_is_read(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target map(tofrom : x[0 : n])
  {
    int *block = (int *)malloc(n * sizeof(int));
    for (int i = MISTAKE(1, 0); i < n; i++)
      block[i] = x[i];
    for (int i = 0; i < n; i++)
      x[i] = block[n - 1 - i]; // <- init
    free(block);
  }
  free(x);
}

// mistake team_array_is_read: init
static void team_array_is_read(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target teams num_teams(1) thread_limit(64) map(tofrom : x[0 : n])
  {
    int sums[64];
#pragma omp parallel num_threads(64)
    {
      int t = omp_get_thread_num();
#ifdef RIGHT
      sums[t] = 0;
#endif
      sums[t] += x[t]; // <- init
#pragma omp barrier
      x[t] = sums[63 - t];
    }
  }
  free(x);
}

// mistake branch_on_nothing: init
static void branch_on_nothing(void) {
  int n = unknown_size, *x = numbers(n), *is_wanted = numbers(n);
#pragma omp target data map(MISTAKE(alloc, to) : is_wanted[0 : n]) map(tofrom : x[0 : n])
#pragma omp target parallel for
  for (int i = 0; i < n; i++)
    if (is_wanted[i]) // <- init
      x[i] = 0;
  free(x), free(is_wanted);
}

// mistake index_of_nothing: init
static void index_of_nothing(void) {
  int n = unknown_size, *x = numbers(n), *at = numbers(n);
#pragma omp target data map(MISTAKE(alloc, to) : at[0 : n]) map(tofrom : x[0 : n])
#pragma omp target parallel for
  for (int i = 0; i < n; i++)
    x[at[i] & (n - 1)] = i; // <- init
  free(x), free(at);
}

// mistake never_filled: init, none of which was ever written
static void never_filled(void) {
  int n = unknown_size, *x = numbers(n), *y = numbers(n);
#pragma omp target parallel for map(to : x[0 : n]) map(from : y[0 : n]) // <- init
  for (int i = 0; i < n; i++)
    if (x[i] > MISTAKE(1000, 0))
      y[i] = x[i];
  printf("%d\n", y[3] == 3);
  free(x), free(y);
}

int main(int argc, char **argv) {
  RUN(from_is_read)
  RUN(alloc_is_read)
  RUN(allocation_is_read)
  RUN(half_is_written)
  RUN(heap_block_is_read)
  RUN(team_array_is_read)
  RUN(branch_on_nothing)
  RUN(index_of_nothing)
  RUN(never_filled)
  return 2;
}
