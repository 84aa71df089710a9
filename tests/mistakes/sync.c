// Barriers, worksharing regions and locks that not all threads meet, or meet twice.
#include "mistake.h"
#include <omp.h>

// mistake barrier_in_a_branch: sync, barrier
static void barrier_in_a_branch(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel num_threads(64) map(tofrom : x[0 : n])
  {
    int t = omp_get_thread_num();
    x[t] = t;
    if (t < MISTAKE(32, 64)) {
#pragma omp barrier // <- sync
    }
  }
  free(x);
}

// mistake loop_met_by_some: sync
static void loop_met_by_some(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel num_threads(64) map(tofrom : x[0 : n])
  {
    if (omp_get_thread_num() != MISTAKE(0, -1)) {
#pragma omp for // <- sync
      for (int i = 0; i < n; i++)
        x[i] = i;
    }
  }
  free(x);
}

// mistake lock_taken_twice: sync
static void lock_taken_twice(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target map(tofrom : x[0 : n])
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    MISTAKE(, omp_unset_lock(&lock));
    omp_set_lock(&lock); // <- sync
    x[0] = 1;
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
  }
  free(x);
}

// mistake lock_unset_unheld: sync, nobody holds
static void lock_unset_unheld(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target map(tofrom : x[0 : n])
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
    MISTAKE(, omp_set_lock(&lock));
    x[0] = 1;
    omp_unset_lock(&lock); // <- sync
    omp_destroy_lock(&lock);
  }
  free(x);
}

// mistake critical_in_itself: sync
#pragma omp begin declare target
static void count_inside(int *x) {
#ifdef RIGHT
#pragma omp critical(inner)
#else
#pragma omp critical(outer) // <- sync
#endif
  x[0]++;
}
#pragma omp end declare target

static void critical_in_itself(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel num_threads(32) map(tofrom : x[0 : n])
  {
#pragma omp critical(outer)
    count_inside(x);
  }
  free(x);
}

// mistake flag_never_set: sync
static void flag_never_set(void) {
  int flag = 0, sum = 0;
#pragma omp target map(tofrom : flag, sum)
  {
    MISTAKE(, flag = 1);
    int seen = 0;
    while (seen == 0) {
#pragma omp atomic read
      seen = flag; // <- sync
    }
    sum = seen;
  }
}

// mistake single_met_by_some: sync
static void single_met_by_some(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel num_threads(64) map(tofrom : x[0 : n])
  {
    if (omp_get_thread_num() >= MISTAKE(32, 0)) {
#pragma omp single // <- sync
      x[0] = 1;
    }
  }
  free(x);
}

int main(int argc, char **argv) {
  RUN(barrier_in_a_branch)
  RUN(loop_met_by_some)
  RUN(lock_taken_twice)
  RUN(lock_unset_unheld)
  RUN(critical_in_itself)
  RUN(flag_never_set)
  RUN(single_met_by_some)
  return 2;
}
