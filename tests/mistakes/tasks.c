// Explicit tasks in kernels that nothing orders. The device runtime executes a task where it is made.
#include "mistake.h"
#include <omp.h>

// mistake sibling_tasks: race, explicit task
static void sibling_tasks(void) {
  int x = 0;
#pragma omp target parallel num_threads(4) map(tofrom : x)
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1; // <- race
#pragma omp task MISTAKE(, depend(inout : x))
    x += 2; // <- race
  }
}

// mistake missing_taskwait: race, taskwait
static void missing_taskwait(void) {
  int x = 0, y = 0;
#pragma omp target map(tofrom : x, y)
  {
#pragma omp task shared(x)
    x = 1 + omp_get_num_teams(); // <- race
#ifdef RIGHT
#pragma omp taskwait
#endif
    y = x; // <- race
  }
}

// mistake taskwait_for_grandchild: race
static void taskwait_for_grandchild(void) {
  int x = 0, y = 0;
#pragma omp target parallel num_threads(4) map(tofrom : x, y)
#pragma omp single
  {
#ifdef RIGHT
#pragma omp taskgroup
#endif
    {
#pragma omp task shared(x)
      {
#pragma omp task shared(x)
        x = omp_get_num_threads(); // <- race
      }
    }
#pragma omp taskwait
    y = x; // <- race
  }
}

// mistake taskloop_without_reduction: race
static void taskloop_without_reduction(void) {
  unsigned n = unknown_size;
  int *x = numbers(n), sum = 0;
#pragma omp target parallel num_threads(4) map(tofrom : x[0 : n], sum)
#pragma omp single
#ifdef RIGHT
#pragma omp taskloop grainsize(4) reduction(+ : sum)
#else
#pragma omp taskloop grainsize(4) shared(sum)
#endif
  for (unsigned i = 0; i < n; i++) {
    x[i] *= 2;
    sum += x[i]; // <- race
  }
  free(x);
}

// mistake single_nowait: race
static void single_nowait(void) {
  int x = 0, seen = 0;
#pragma omp target parallel num_threads(4) map(tofrom : x, seen)
  {
#ifdef RIGHT
#pragma omp single
#else
#pragma omp single nowait
#endif
    {
#pragma omp task shared(x)
      x = 7; // <- race
    }
    if (omp_get_thread_num() == 3)
      seen = x; // <- race
  }
}

int main(int argc, char **argv) {
  RUN(sibling_tasks)
  RUN(missing_taskwait)
  RUN(taskwait_for_grandchild)
  RUN(taskloop_without_reduction)
  RUN(single_nowait)
  return 1;
}
