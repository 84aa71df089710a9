// What orders regions, copies and teams, and what does not.
#include "mistake.h"
#include <omp.h>

#pragma omp declare target
int factor = 2;
int table[64];
int calls;
#pragma omp end declare target

// mistake stale_declare_target: init, host has changed
static void stale_declare_target(void) {
  int n = unknown_size, *x = numbers(n);
  factor = 5;
#ifdef RIGHT
#pragma omp target update to(factor)
#endif
#pragma omp target parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[i] *= factor; // <- init
  free(x);
}

// mistake stale_table: init, 'table'
static void stale_table(void) {
  int n = unknown_size, *x = numbers(n);
  for (int i = 0; i < n; i++)
    table[i] = 3 * i;
#pragma omp target update to(table)
  table[7] = 1;
#ifdef RIGHT
#pragma omp target update to(table)
#endif
#pragma omp target parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[i] += table[i]; // <- init
  free(x);
}

// mistake declare_target_counter: race, 'calls'
static void declare_target_counter(void) {
  int n = unknown_size;
#pragma omp target parallel for
  for (int i = 0; i < n; i++) {
#ifdef RIGHT
#pragma omp atomic
#endif
    calls++; // <- race
  }
}

// mistake critical_of_teams: race, only a critical region
static void critical_of_teams(void) {
  int n = unknown_size, sum = 0;
#ifdef RIGHT
#pragma omp target parallel for map(tofrom : sum)
#else
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(16) map(tofrom : sum)
#endif
  for (int i = 0; i < n; i++)
#pragma omp critical
    sum += i; // <- race
}

// mistake lock_of_teams: race, only a critical region or a lock
static void lock_of_teams(void) {
  int n = unknown_size, sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#ifdef RIGHT
#pragma omp target parallel for map(tofrom : sum, lock)
#else
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(16) map(tofrom : sum, lock)
#endif
  for (int i = 0; i < n; i++) {
    omp_set_lock(&lock);
    sum += i; // <- race
    omp_unset_lock(&lock);
  }
}

// mistake task_without_wait: race
static void task_without_wait(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target enter data map(to : x[0 : n])
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(x)
    {
#pragma omp target parallel for
      for (int i = 0; i < n; i++)
        x[i] += 1; // <- race
    }
#ifdef RIGHT
#pragma omp taskwait
#endif
#pragma omp target parallel for
    for (int i = 0; i < n; i++)
      x[i] *= 2; // <- race
  }
#pragma omp target exit data map(from : x[0 : n])
  free(x);
}

// mistake two_distributes: race
static void two_distributes(void) {
  int n = unknown_size, *x = numbers(n), *y = numbers(n);
#pragma omp target teams map(tofrom : x[0 : n], y[0 : n])
  {
#pragma omp distribute
    for (int i = 0; i < n; i++)
      x[i] = y[i] + 1; // <- race
#pragma omp distribute
    for (int i = 0; i < n; i++)
      y[i] = x[MISTAKE(n - 1 - i, i)]; // <- race
  }
  free(x), free(y);
}

// mistake wrong_depend: race
static void wrong_depend(void) {
  int n = unknown_size, *x = numbers(n), *y = numbers(n);
#pragma omp target data map(tofrom : x[0 : n], y[0 : n])
  {
#pragma omp target parallel for nowait depend(out : x[0])
    for (int i = 0; i < n; i++)
      x[i] += 1; // <- race
#pragma omp target parallel for nowait depend(in : MISTAKE(y[0], x[0])) depend(out : y[0])
    for (int i = 0; i < n; i++)
      y[i] = x[i]; // <- race
#pragma omp taskwait
  }
  free(x), free(y);
}

// mistake memcpy_during_region: race, omp_target_memcpy
static void memcpy_during_region(void) {
  int n = unknown_size, device = omp_get_default_device(), host = omp_get_initial_device(), *x = numbers(n);
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
  omp_target_memcpy(d, x, n * sizeof(int), 0, 0, device, host);
#pragma omp target parallel for is_device_ptr(d) nowait
  for (int i = 0; i < n; i++)
    d[i] *= 2; // <- race
#ifdef RIGHT
#pragma omp taskwait
#endif
  omp_target_memcpy(x, d, n * sizeof(int), 0, 0, host, device); // <- race
#pragma omp taskwait
  omp_target_free(d, device);
  free(x);
}

int main(int argc, char **argv) {
  RUN(stale_declare_target)
  RUN(stale_table)
  RUN(declare_target_counter)
  RUN(critical_of_teams)
  RUN(lock_of_teams)
  RUN(task_without_wait)
  RUN(two_distributes)
  RUN(wrong_depend)
  RUN(memcpy_during_region)
  return 2;
}
