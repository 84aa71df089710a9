// Conflicting accesses that nothing orders.
#include "mistake.h"
#include <omp.h>

// mistake shared_counter: race
static void shared_counter(void) {
  int n = unknown_size, count = 0;
#pragma omp target parallel for map(tofrom : count)
  for (int i = 0; i < n; i++) {
#ifdef RIGHT
#pragma omp atomic
#endif
    count++; // <- race
  }
}

// mistake missing_reduction: race
static void missing_reduction(void) {
  int n = unknown_size, *x = numbers(n), sum = 0;
#ifdef RIGHT
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : sum) reduction(+ : sum)
#else
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : sum)
#endif
  for (int i = 0; i < n; i++)
    sum += x[i]; // <- race
  free(x);
}

// mistake missing_barrier: race
static void missing_barrier(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target teams num_teams(1) thread_limit(64) map(tofrom : x[0 : n])
  {
    int buffer[64];
#pragma omp parallel num_threads(64)
    {
      int t = omp_get_thread_num();
      buffer[t] = x[t]; // <- race
#ifdef RIGHT
#pragma omp barrier
#endif
      x[t] = buffer[63 - t]; // <- race
    }
  }
  free(x);
}

// mistake teams_write_one_place: race
static void teams_write_one_place(void) {
  int last = -1;
#pragma omp target teams num_teams(8) map(tofrom : last)
  {
#ifdef RIGHT
    if (omp_get_team_num() == 7)
#endif
      last = omp_get_team_num(); // <- race
  }
}

// mistake atomic_and_plain: race
static void atomic_and_plain(void) {
  int n = unknown_size, *x = numbers(n), count = 0;
#pragma omp target parallel for map(tofrom : count, x[0 : n])
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    count++; // <- race
    int seen;
#ifdef RIGHT
#pragma omp atomic read
#endif
    seen = count; // <- race
    x[i] = seen;
  }
  free(x);
}

// mistake missing_critical: race
static void missing_critical(void) {
  int n = unknown_size, *x = numbers(n), most = -1, at = -1;
#pragma omp target parallel for map(to : x[0 : n]) map(tofrom : most, at)
  for (int i = 0; i < n; i++) {
#ifdef RIGHT
#pragma omp critical
#endif
    if (x[i] > most) { // <- race
      most = x[i];     // <- race
      at = i;
    }
  }
  free(x);
}

// mistake nowait_between_loops: race
static void nowait_between_loops(void) {
  int n = unknown_size, *x = numbers(n), *y = numbers(n);
#pragma omp target parallel num_threads(64) map(tofrom : x[0 : n], y[0 : n])
  {
#ifdef RIGHT
#pragma omp for
#else
#pragma omp for nowait
#endif
    for (int i = 0; i < n; i++)
      x[i] = 2 * i; // <- race
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = x[n - 1 - i]; // <- race
  }
  free(x), free(y);
}

// mistake loop_carried_dependence: race
static void loop_carried_dependence(void) {
  int n = unknown_size, *x = numbers(n);
#ifdef RIGHT
#pragma omp target map(tofrom : x[0 : n])
#else
#pragma omp target parallel for map(tofrom : x[0 : n])
#endif
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1] + 1; // <- race
  free(x);
}

// mistake stencil_in_place: race
static void stencil_in_place(void) {
  int n = unknown_size, *x = numbers(n), *y = numbers(n);
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n], y[0 : n])
  for (int i = 1; i < n - 1; i++)
    MISTAKE(x, y)[i] = x[i - 1] + x[i + 1]; // <- race
  free(x), free(y);
}

// mistake private_missing: race
static void private_missing(void) {
  int n = unknown_size, *x = numbers(n), scratch = 0;
#ifdef RIGHT
#pragma omp target parallel for private(scratch) map(tofrom : x[0 : n])
#else
#pragma omp target parallel for map(tofrom : scratch, x[0 : n])
#endif
  for (int i = 0; i < n; i++) {
    scratch = 2 * x[i]; // <- race
    x[i] = scratch * scratch;
  }
  free(x);
}

// mistake sums_without_barrier: race, of 4 bytes
static void sums_without_barrier(void) {
  int n = unknown_size, *x = numbers(n), *sums = numbers(n);
#pragma omp target parallel num_threads(64) map(tofrom : x[0 : n], sums[0 : n])
  {
    int t = omp_get_thread_num(), sum = 0;
    x[t] = t; // <- race
#ifdef RIGHT
#pragma omp barrier
#endif
    for (int i = 0; i < n; i++)
      sum += x[i]; // <- race
    sums[t] = sum;
  }
  free(x), free(sums);
}

// mistake histogram_without_atomic: race
static void histogram_without_atomic(void) {
  int n = unknown_size, *x = numbers(n), bins[8] = {0};
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : bins)
  for (int i = 0; i < n; i++) {
#ifdef RIGHT
#pragma omp atomic
#endif
    bins[x[i] % 8]++; // <- race
  }
  free(x);
}

// mistake index_with_duplicates: race
static void index_with_duplicates(void) {
  int n = unknown_size, *x = numbers(n), *at = numbers(n);
  at[5] = MISTAKE(6, 5);
#pragma omp target parallel for map(to : at[0 : n]) map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[at[i]] = i; // <- race
  free(x), free(at);
}

// mistake two_iterations_one_element: race
static void two_iterations_one_element(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[i / MISTAKE(2, 1)] = i; // <- race
  free(x);
}

// mistake single_with_nowait: race
static void single_with_nowait(void) {
  int n = unknown_size, *x = numbers(n), factor = 0;
#pragma omp target parallel num_threads(64) map(tofrom : factor, x[0 : n])
  {
#ifdef RIGHT
#pragma omp single
#else
#pragma omp single nowait
#endif
    factor = x[1] + 2; // <- race
    x[omp_get_thread_num()] += factor; // <- race
  }
  free(x);
}

// mistake regions_without_depend: race
static void regions_without_depend(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target data map(tofrom : x[0 : n])
  {
#pragma omp target parallel for nowait depend(out : x[0])
    for (int i = 0; i < n; i++)
      x[i] += 1; // <- race
#ifdef RIGHT
#pragma omp target parallel for nowait depend(inout : x[0])
#else
#pragma omp target parallel for nowait
#endif
    for (int i = 0; i < n; i++)
      x[i] *= 2; // <- race
#pragma omp taskwait
  }
  free(x);
}

// mistake update_during_region: race
static void update_during_region(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target data map(tofrom : x[0 : n])
  {
#pragma omp target parallel for nowait
    for (int i = 0; i < n; i++)
      x[i] += 1; // <- race
#ifdef RIGHT
#pragma omp taskwait
#endif
#pragma omp target update from(x[0 : n])
#pragma omp taskwait
  }
  free(x);
}

// mistake sections_share_a_sum: race
static void sections_share_a_sum(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
#pragma omp parallel sections num_threads(32)
  {
#pragma omp section
#ifdef RIGHT
#pragma omp atomic
#endif
    sum += 1;
#pragma omp section
#ifdef RIGHT
#pragma omp atomic
#endif
    sum += 2;
  }
  printf("%d\n", sum);
}

int main(int argc, char **argv) {
  RUN(shared_counter)
  RUN(missing_reduction)
  RUN(missing_barrier)
  RUN(teams_write_one_place)
  RUN(atomic_and_plain)
  RUN(missing_critical)
  RUN(nowait_between_loops)
  RUN(loop_carried_dependence)
  RUN(stencil_in_place)
  RUN(private_missing)
  RUN(sums_without_barrier)
  RUN(histogram_without_atomic)
  RUN(index_with_duplicates)
  RUN(two_iterations_one_element)
  RUN(single_with_nowait)
  RUN(regions_without_depend)
  RUN(update_during_region)
  RUN(sections_share_a_sum)
  return 2;
}
