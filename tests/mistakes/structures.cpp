// Mistakes with structures, mappers, tasks and reductions.
#include "mistake.h"
#include <omp.h>

struct Matrix {
  int rows, columns;
  int *cells;
};

struct Problem {
  Matrix left;
  int *result;
};

// mistake nested_pointer_is_not_attached: memory, address of the host
static void nested_pointer_is_not_attached() {
  int n = unknown_size;
  Problem problem = {{1, n, numbers(n)}, numbers(n)};
#ifdef RIGHT
#pragma omp target map(to : problem.left.columns, problem.left.cells, problem.left.cells[0 : n])                       \
    map(tofrom : problem.result, problem.result[0 : n])
#else
#pragma omp target map(to : problem) map(tofrom : problem.result[0 : n])
#endif
  for (int i = 0; i < problem.left.columns; i++)
    problem.result[i] = problem.left.cells[i] + 1; // <- memory
  free(problem.left.cells), free(problem.result);
}

struct Series {
  int count;
  int *values;
};
#pragma omp declare mapper(whole : Series s) map(s.count, s.values) map(s.values[0 : MISTAKE(s.count - 1, s.count)])

// mistake mapper_of_too_little: memory, past the end
static void mapper_of_too_little() {
  Series series = {unknown_size, numbers(unknown_size)};
#pragma omp target map(mapper(whole), tofrom : series)
  for (int i = 0; i < series.count; i++)
    series.values[i] *= 2; // <- memory
  free(series.values);
}

class Counter {
public:
  explicit Counter(int size) : size(size), counts(new int[size]) {
    for (int i = 0; i < size; i++)
      counts[i] = 0;
#pragma omp target enter data map(to : this[0 : 1], counts[0 : size])
  }
  ~Counter() {
#pragma omp target exit data map(MISTAKE(release, from) : counts[0 : size]) map(release : this[0 : 1])
    delete[] counts;
  }
  void count(const int *x, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n])
    for (int i = 0; i < n; i++) {
#pragma omp atomic
      counts[x[i] % size]++;
    }
  }

private:
  int size;
  int *counts;
};

// mistake class_loses_its_results: host, never copied back
static void class_loses_its_results() {
  int n = unknown_size, *x = numbers(n);
  {
    Counter counter(8);
    counter.count(x, n);
  }
  free(x);
}

// mistake lambda_reads_past_its_array: memory, past the end
static void lambda_reads_past_its_array() {
  int n = unknown_size, *x = numbers(n), *y = numbers(n);
  auto neighbour = [=](int i) { return x[i + 1]; }; // <- memory
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n - MISTAKE(0, 1); i++)
    y[i] = neighbour(i);
  free(x), free(y);
}

// mistake reduction_is_forgotten: race
static void reduction_is_forgotten() {
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

// mistake task_reads_what_is_unmapped: memory
static void task_reads_what_is_unmapped() {
  int n = unknown_size, *x = numbers(n), sum = 0;
#pragma omp target enter data map(to : x[0 : n])
  int *device = (int *)omp_get_mapped_ptr(x, 0);
#ifndef RIGHT
#pragma omp target exit data map(delete : x[0 : n])
#endif
#pragma omp target is_device_ptr(device) map(tofrom : sum) depend(out : sum) nowait
  for (int i = 0; i < n; i++)
    sum += device[i]; // <- memory
#pragma omp taskwait
#ifdef RIGHT
#pragma omp target exit data map(delete : x[0 : n])
#endif
  free(x);
}

struct Pair {
  int first, second;
};

// mistake member_is_never_set: init
static void member_is_never_set() {
  int n = unknown_size, *x = numbers(n);
  Pair *pairs = (Pair *)malloc(n * sizeof(Pair));
#pragma omp target data map(alloc : pairs[0 : n]) map(tofrom : x[0 : n])
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) {
      pairs[i].first = x[i];
#ifdef RIGHT
      pairs[i].second = 0;
#endif
    }
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
      x[i] = pairs[i].first + pairs[i].second; // <- init
  }
  free(x), free(pairs);
}

// mistake column_of_a_matrix: memory, past the end
static void column_of_a_matrix() {
  int rows = 8, columns = unknown_size / 8, *cells = numbers(rows * columns), *sums = numbers(columns);
#pragma omp target teams distribute parallel for map(to : cells[0 : rows * columns]) map(from : sums[0 : columns])
  for (int column = 0; column < columns; column++) {
    int sum = 0;
    for (int row = 0; row < rows; row++)
      sum += cells[(row + MISTAKE(1, 0)) * columns + column]; // <- memory
    sums[column] = sum;
  }
  free(cells), free(sums);
}

int main(int argc, char **argv) {
  RUN(nested_pointer_is_not_attached)
  RUN(mapper_of_too_little)
  RUN(class_loses_its_results)
  RUN(lambda_reads_past_its_array)
  RUN(reduction_is_forgotten)
  RUN(task_reads_what_is_unmapped)
  RUN(member_is_never_set)
  RUN(column_of_a_matrix)
  return 2;
}
