// Accesses outside of an object, or to one that is gone.
#include "mistake.h"
#include <omp.h>

// mistake past_end_write: memory, past the end
static void past_end_write(void) {
  int n = unknown_size, *x = numbers(n + 1);
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < MISTAKE(n + 1, n); i++)
    x[i] = 2 * i; // <- memory
  free(x);
}

// mistake past_end_read: memory, past the end
static void past_end_read(void) {
  int n = unknown_size, *x = numbers(n + 1), *y = numbers(n);
#pragma omp target teams distribute parallel for map(to : x[0 : MISTAKE(n, n + 1)]) map(from : y[0 : n])
  for (int i = 0; i < n; i++)
    y[i] = x[i + 1]; // <- memory
  free(x), free(y);
}

// mistake before_begin_read: memory, before
static void before_begin_read(void) {
  int n = unknown_size, *x = numbers(n), *y = numbers(n);
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = MISTAKE(0, 1); i < n; i++)
    y[i] = x[i - 1]; // <- memory
  free(x), free(y);
}

// mistake before_begin_write: memory, before
static void before_begin_write(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[i - MISTAKE(1, 0)] = i; // <- memory
  free(x);
}

// mistake section_too_short: memory, past the end
static void section_too_short(void) {
  int n = unknown_size, *x = numbers(n), sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : x[0 : MISTAKE(n / 2, n)])
  for (int i = 0; i < n; i++)
    sum += x[i]; // <- memory
  free(x);
}

// mistake section_begins_later: memory, before
static void section_begins_later(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel for map(tofrom : x[n / 2 : n / 2])
  for (int i = MISTAKE(n / 2 - 1, n / 2); i < n; i++)
    x[i] = 0; // <- memory
  free(x);
}

// mistake read_after_target_free: memory, freed
static void read_after_target_free(void) {
  int n = unknown_size, device = omp_get_default_device(), sum = 0, *x = numbers(n);
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
  omp_target_memcpy(d, x, n * sizeof(int), 0, 0, device, omp_get_initial_device());
  MISTAKE(omp_target_free(d, device), );
#pragma omp target parallel for is_device_ptr(d) reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += d[i]; // <- memory
  MISTAKE(, omp_target_free(d, device));
  free(x);
}

// mistake write_after_target_free: memory, freed
static void write_after_target_free(void) {
  int n = unknown_size, device = omp_get_default_device();
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
  MISTAKE(omp_target_free(d, device), );
#pragma omp target parallel for is_device_ptr(d)
  for (int i = 0; i < n; i++)
    d[i] = i; // <- memory
  MISTAKE(, omp_target_free(d, device));
}

// mistake read_after_exit_data: memory, freed
static void read_after_exit_data(void) {
  int n = unknown_size, *x = numbers(n), *d = NULL, sum = 0;
#pragma omp target enter data map(to : x[0 : n])
#pragma omp target data use_device_ptr(x)
  d = x;
#ifndef RIGHT
#pragma omp target exit data map(release : x[0 : n])
#endif
#pragma omp target parallel for is_device_ptr(d) reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += d[i]; // <- memory
#ifdef RIGHT
#pragma omp target exit data map(release : x[0 : n])
#endif
  free(x);
}

struct vector {
  int size;
  int *items;
};

// mistake member_never_attached: memory, host
static void member_never_attached(void) {
  int n = unknown_size, sum = 0;
  struct vector v = {n, numbers(n)};
#ifdef RIGHT
#pragma omp target map(to : v, v.items[0 : n]) map(tofrom : sum)
#else
#pragma omp target map(to : v) map(tofrom : sum)
#endif
  for (int i = 0; i < v.size; i++)
    sum += v.items[i]; // <- memory
  free(v.items);
}

// mistake host_pointer_as_device_pointer: memory, host
static void host_pointer_as_device_pointer(void) {
  int n = unknown_size, *x = numbers(n), sum = 0;
#pragma omp target data map(to : x[0 : n])
  {
    int *d = x;
#ifdef RIGHT
#pragma omp target data use_device_ptr(x)
    d = x;
#endif
#pragma omp target is_device_ptr(d) map(tofrom : sum)
    for (int i = 0; i < n; i++)
      sum += d[i]; // <- memory
  }
  free(x);
}

// mistake team_array_overrun: memory, past the end
static void team_array_overrun(void) {
  int n = unknown_size, *x = numbers(2 * n);
#pragma omp target teams num_teams(2) thread_limit(64) map(tofrom : x[0 : 2 * n])
  {
    int buffer[64];
#pragma omp parallel for num_threads(64)
    for (int i = 0; i < n; i++)
      buffer[i + MISTAKE(1, 0)] = i; // <- memory
#pragma omp parallel for num_threads(64)
    for (int i = 1; i < n; i++)
      x[omp_get_team_num() * n + i] = buffer[i];
  }
  free(x);
}

// mistake local_array_overrun: memory, past the end
static void local_array_overrun(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) {
    int digits[8] = {0};
    for (int d = 0; d < 8 + MISTAKE(n / 64, 0); d++)
      digits[d] = x[i] >> d; // <- memory
    x[i] = digits[x[i] & 7];
  }
  free(x);
}

// mistake local_array_negative_index: memory, before
static void local_array_negative_index(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) {
    int window[4] = {i, i + 1, i + 2, i + 3};
    x[i] = window[(x[i] & 3) - MISTAKE(1, 0)]; // <- memory
  }
  free(x);
}

// mistake heap_past_end: memory, past the end
static void heap_past_end(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target map(tofrom : x[0 : n])
  {
    int *block = (int *)malloc(MISTAKE(n, n * sizeof(int)));
    for (int i = 0; i < n; i++)
      block[i] = x[i]; // <- memory
    for (int i = 0; i < n; i++)
      x[i] = block[n - 1 - i];
    free(block);
  }
  free(x);
}

// mistake heap_use_after_free: memory, freed
static void heap_use_after_free(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target map(tofrom : x[0 : n])
  {
    int *block = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
      block[i] = i;
    MISTAKE(free(block), );
    x[0] = block[n / 2]; // <- memory
    MISTAKE(, free(block));
  }
  free(x);
}

// mistake heap_double_free: memory, free
static void heap_double_free(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target map(tofrom : x[0 : n])
  {
    volatile int *block = (volatile int *)malloc(n * sizeof(int));
    block[n / 2] = x[1];
    x[0] = block[n / 2];
    free((void *)block);
    if (x[2] == 2)
      MISTAKE(free((void *)block), (void)0); // <- memory
  }
  free(x);
}

// mistake heap_leak: memory, never freed
static void heap_leak(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target map(tofrom : x[0 : n])
  {
    volatile int *block = (volatile int *)malloc(n * sizeof(int));
    block[n / 2] = x[1];
    x[0] = block[n / 2];
    MISTAKE(, free((void *)block));
  }
  free(x);
}

#pragma omp begin declare target
int table[64];
#pragma omp end declare target

// mistake global_past_end: memory, past the end
static void global_past_end(void) {
  int n = unknown_size, sum = 0;
#pragma omp target parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    table[i + MISTAKE(1, 0)] = i; // <- memory
    sum += i;
  }
}

// mistake memcpy_too_long: memory, past the end
static void memcpy_too_long(void) {
  int n = unknown_size, *x = numbers(n), *y = numbers(2 * n);
#pragma omp target map(to : x[0 : n]) map(from : y[0 : 2 * n])
  memcpy(y, x, MISTAKE(2, 1) * n * sizeof(int)); // <- memory
  free(x), free(y);
}

// mistake swapped_indices: memory, past the end
static void swapped_indices(void) {
  int rows = unknown_size / 4, columns = unknown_size, *x = numbers(rows * columns);
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : x[0 : rows * columns])
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      x[MISTAKE(j, i) * columns + MISTAKE(i, j)] = i; // <- memory
  free(x);
}

// mistake negative_index: memory, before
static void negative_index(void) {
  int n = unknown_size, *x = numbers(n), *at = numbers(n);
  at[5] = MISTAKE(-1, 5);
#pragma omp target parallel for map(to : at[0 : n]) map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[at[i]] = i; // <- memory
  free(x), free(at);
}

// mistake bytes_for_elements: memory, past the end
static void bytes_for_elements(void) {
  int n = unknown_size, device = omp_get_default_device();
  double *d = (double *)omp_target_alloc(n * MISTAKE(1, sizeof(double)), device);
#pragma omp target teams distribute parallel for is_device_ptr(d)
  for (int i = 0; i < n; i++)
    d[i] = i; // <- memory
  omp_target_free(d, device);
}

// mistake atomic_past_end: memory, past the end
static void atomic_past_end(void) {
  int n = unknown_size, bins = 8, *x = numbers(n), *histogram = numbers(bins + 1);
#pragma omp target parallel for map(to : x[0 : n]) map(tofrom : histogram[0 : bins])
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    histogram[x[i] % (bins + MISTAKE(1, 0))]++; // <- memory
  }
  free(x), free(histogram);
}

struct particle {
  double position[3];
  int cell;
};

// mistake neighbour_of_the_last: memory, past the end
static void neighbour_of_the_last(void) {
  int n = unknown_size, *x = numbers(n);
  struct particle *p = (struct particle *)calloc(n + 1, sizeof *p);
#pragma omp target parallel for map(to : p[0 : n]) map(from : x[0 : n])
  for (int i = 0; i < n; i++)
    x[i] = MISTAKE(p[i + 1].cell, p[i].cell); // <- memory
  free(p), free(x);
}

// mistake text_without_end: memory, past the end
static void text_without_end(void) {
  int n = unknown_size, length = 0;
  char *text = (char *)malloc(n + 1);
  memset(text, 'x', n), text[n] = 0;
#pragma omp target map(to : text[0 : n + MISTAKE(0, 1)]) map(from : length)
  {
    int at = 0;
    while (text[at] != 0) // <- memory
      at++;
    length = at;
  }
  free(text);
}

// mistake private_copy_overrun: memory, past the end
static void private_copy_overrun(void) {
  int n = unknown_size, *x = numbers(n), weights[4] = {1, 2, 3, 4};
#pragma omp target parallel for firstprivate(weights) map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[i] = weights[i % (4 + MISTAKE(1, 0))]; // <- memory
  free(x);
}

int main(int argc, char **argv) {
  RUN(past_end_write)
  RUN(past_end_read)
  RUN(before_begin_read)
  RUN(before_begin_write)
  RUN(section_too_short)
  RUN(section_begins_later)
  RUN(read_after_target_free)
  RUN(write_after_target_free)
  RUN(read_after_exit_data)
  RUN(member_never_attached)
  RUN(host_pointer_as_device_pointer)
  RUN(team_array_overrun)
  RUN(local_array_overrun)
  RUN(local_array_negative_index)
  RUN(heap_past_end)
  RUN(heap_use_after_free)
  RUN(heap_double_free)
  RUN(heap_leak)
  RUN(global_past_end)
  RUN(memcpy_too_long)
  RUN(swapped_indices)
  RUN(negative_index)
  RUN(bytes_for_elements)
  RUN(atomic_past_end)
  RUN(neighbour_of_the_last)
  RUN(text_without_end)
  RUN(private_copy_overrun)
  return 2;
}
