// What the host does with mappings and device pointers.
#include "mistake.h"
#include <omp.h>

// mistake mapping_leak: host, still mapped
static void mapping_leak(void) {
  int n = unknown_size;
  static int x[64];
#pragma omp target enter data map(to : x[0 : n]) // <- host
#pragma omp target parallel for
  for (int i = 0; i < n; i++)
    x[i] = i;
#ifdef RIGHT
#pragma omp target exit data map(from : x[0 : n])
#endif
}

// mistake memory_leak: host, never freed
static void memory_leak(void) {
  int n = unknown_size, device = omp_get_default_device();
  int *d = (int *)omp_target_alloc(n * sizeof(int), device); // <- host
#pragma omp target parallel for is_device_ptr(d)
  for (int i = 0; i < n; i++)
    d[i] = i;
  MISTAKE(, omp_target_free(d, device));
}

// mistake exit_data_twice: host, not mapped
static void exit_data_twice(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target enter data map(to : x[0 : n])
#pragma omp target exit data map(from : x[0 : n])
#ifndef RIGHT
#pragma omp target exit data map(from : x[0 : n]) // <- host
#endif
  free(x);
}

// mistake release_after_delete: host, not mapped
static void release_after_delete(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target enter data map(to : x[0 : n])
#pragma omp target enter data map(to : x[0 : n])
#ifdef RIGHT
#pragma omp target exit data map(release : x[0 : n])
#else
#pragma omp target exit data map(delete : x[0 : n])
#endif
#pragma omp target exit data map(release : x[0 : n]) // <- host
  free(x);
}

// mistake update_before_mapping: host, not mapped
static void update_before_mapping(void) {
  int n = unknown_size, *x = numbers(n);
#ifndef RIGHT
#pragma omp target update to(x[0 : n]) // <- host
#endif
#pragma omp target enter data map(alloc : x[0 : n])
#ifdef RIGHT
#pragma omp target update to(x[0 : n])
#endif
#pragma omp target exit data map(release : x[0 : n])
  free(x);
}

// mistake update_after_region: host, not mapped
static void update_after_region(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[i] = i;
#ifndef RIGHT
#pragma omp target update from(x[0 : n]) // <- host
#endif
  free(x);
}

// mistake device_numbers_swapped: host, device memory
static void device_numbers_swapped(void) {
  int n = unknown_size, device = omp_get_default_device(), host = omp_get_initial_device(), *x = numbers(n);
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
  omp_target_memcpy(d, x, n * sizeof(int), 0, 0, MISTAKE(host, device), host); // <- host
  omp_target_free(d, device);
  free(x);
}

// mistake host_writes_device_memory: host, own code writes device memory
static void host_writes_device_memory(void) {
  int n = unknown_size, device = omp_get_default_device();
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
#ifdef RIGHT
  int first = 1;
  omp_target_memcpy(d, &first, sizeof first, 0, 0, device, omp_get_initial_device());
#else
  d[0] = 1; // <- host
#endif
#pragma omp target is_device_ptr(d)
  d[1] = d[0];
  omp_target_free(d, device);
}

// mistake host_follows_device_pointer: host, own code reads device memory
static void host_follows_device_pointer(void) {
  int n = unknown_size, *x = numbers(n), sum = 0;
#pragma omp target data map(tofrom : x[0 : n])
  {
    int *p = x;
#ifndef RIGHT
#pragma omp target data use_device_ptr(x)
    p = x;
#endif
#pragma omp target parallel for
    for (int i = 0; i < n; i++)
      x[i] += 1;
    for (int i = 0; i < n; i++)
      sum += p[i]; // <- host
  }
  printf("%d\n", sum);
  free(x);
}

// mistake plain_copy_from_device: host, own code reads device memory
static void plain_copy_from_device(void) {
  int n = unknown_size, device = omp_get_default_device(), *x = numbers(n);
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
#pragma omp target parallel for is_device_ptr(d)
  for (int i = 0; i < n; i++)
    d[i] = i;
#ifdef RIGHT
  omp_target_memcpy(x, d, n * sizeof(int), 0, 0, omp_get_initial_device(), device);
#else
  memcpy(x, d, n * sizeof(int)); // <- host
#endif
  printf("%d\n", x[n / 2]);
  omp_target_free(d, device);
  free(x);
}

// mistake region_on_the_host: host, own code writes device memory
static void region_on_the_host(void) {
  int n = unknown_size, device = omp_get_default_device();
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
#pragma omp target parallel for is_device_ptr(d) if (target : MISTAKE(n > 1000, n > 0))
  for (int i = 0; i < n; i++)
    d[i] = i; // <- host
  omp_target_free(d, device);
}

// mistake overlapping_copy: host, overlap
static void overlapping_copy(void) {
  int n = unknown_size, device = omp_get_default_device(), host = omp_get_initial_device(), *x = numbers(n);
  int *d = (int *)omp_target_alloc(2 * n * sizeof(int), device);
  size_t bytes = n * sizeof(int);
  omp_target_memcpy(d, x, bytes, 0, 0, device, host);
  omp_target_memcpy(d, d, bytes, MISTAKE(4, bytes), 0, device, device); // <- host
  omp_target_free(d, device);
  free(x);
}

// mistake copy_past_allocation: host, allocation
static void copy_past_allocation(void) {
  int n = unknown_size, device = omp_get_default_device(), host = omp_get_initial_device(), *x = numbers(2 * n);
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
  omp_target_memcpy(d, x, MISTAKE(64, 1) * n * sizeof(int), 0, 0, device, host); // <- host
  omp_target_free(d, device);
  free(x);
}

// mistake stale_device_copy: host, has changed on the host
static void stale_device_copy(void) {
  int n = unknown_size, *x = numbers(n), sum = 0;
#pragma omp target data map(to : x[0 : n])
  {
    x[3] = 7;
#ifdef RIGHT
#pragma omp target update to(x[0 : n])
#endif
#pragma omp target parallel for map(to : x[0 : n]) reduction(+ : sum) // <- host
    for (int i = 0; i < n; i++)
      sum += x[i];
  }
  free(x);
}

// mistake stale_scalar: host, has changed on the host
static void stale_scalar(void) {
  int n = unknown_size, sum = 1;
#pragma omp target data map(tofrom : sum)
  {
    sum = 0;
#ifdef RIGHT
#pragma omp target update to(sum)
#endif
#pragma omp target parallel for reduction(+ : sum) map(tofrom : sum) // <- host
    for (int i = 0; i < n; i++)
      sum += i;
  }
}

// mistake results_lost: host, is lost
static void results_lost(void) {
  int n = unknown_size, *x = numbers(n);
#ifdef RIGHT
#pragma omp target parallel for map(tofrom : x[0 : n])
#else
#pragma omp target parallel for map(to : x[0 : n]) // <- host
#endif
  for (int i = 0; i < n; i++)
    x[i] = x[i] * x[i] + 1;
  free(x);
}

// mistake device_pointer_mapped: host, which is device memory
static void device_pointer_mapped(void) {
  int n = unknown_size, device = omp_get_default_device();
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
#ifdef RIGHT
#pragma omp target parallel for is_device_ptr(d)
#else
#pragma omp target parallel for map(alloc : d[0 : n]) // <- host
#endif
  for (int i = 0; i < n; i++)
    d[i] = i;
  omp_target_free(d, device);
}

// mistake use_device_ptr_unmapped: host, not mapped
static void use_device_ptr_unmapped(void) {
  int n = unknown_size, *x = numbers(n), *d = NULL;
#ifdef RIGHT
#pragma omp target enter data map(alloc : x[0 : n])
#endif
#pragma omp target data use_device_ptr(x) // <- host
  d = x;
#ifdef RIGHT
#pragma omp target exit data map(release : x[0 : n])
#endif
  if (d == NULL)
    puts("no pointer");
  free(x);
}

// mistake mapped_section_extended: host, overlaps
static void mapped_section_extended(void) {
  int n = unknown_size, *x = numbers(2 * n);
#pragma omp target data map(to : x[0 : n])
  {
#pragma omp target parallel for map(to : x[0 : MISTAKE(2 * n, n)]) // <- host
    for (int i = 0; i < n; i++)
      if (x[i] < 0)
        __builtin_trap();
  }
  free(x);
}

// mistake target_free_twice: host, freeing
static void target_free_twice(void) {
  int n = unknown_size, device = omp_get_default_device();
  int *d = (int *)omp_target_alloc(n * sizeof(int), device);
  omp_target_free(d, device);
  MISTAKE(omp_target_free(d, device), (void)0); // <- host
  unknown_size = n; // The call is none in place of the return.
}

int main(int argc, char **argv) {
  RUN(mapping_leak)
  RUN(memory_leak)
  RUN(exit_data_twice)
  RUN(release_after_delete)
  RUN(update_before_mapping)
  RUN(update_after_region)
  RUN(device_numbers_swapped)
  RUN(host_writes_device_memory)
  RUN(host_follows_device_pointer)
  RUN(plain_copy_from_device)
  RUN(region_on_the_host)
  RUN(overlapping_copy)
  RUN(copy_past_allocation)
  RUN(stale_device_copy)
  RUN(stale_scalar)
  RUN(results_lost)
  RUN(device_pointer_mapped)
  RUN(use_device_ptr_unmapped)
  RUN(mapped_section_extended)
  RUN(target_free_twice)
  return 2;
}
