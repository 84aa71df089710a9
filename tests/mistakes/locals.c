// Mistakes with local variables of device code, and with variables that code names.
#include "mistake.h"
#include <omp.h>

int weights[16];
#pragma omp declare target(weights)

// mistake window_has_a_hole: init, local variable
static void window_has_a_hole(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) {
    int window[8];
    for (int k = 0; k < 8 - MISTAKE(1, 0); k++)
      window[(k + i) % 8] = k;
    x[i] = window[(i + 7 * (x[i] >= 0)) % 8]; // <- init
  }
  free(x);
}

// mistake best_of_nothing: init, local variable
static void best_of_nothing(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) {
    int found[4];
    int count = 0;
    for (int k = 0; k < 4; k++)
      if (x[i] % 4 >= k + MISTAKE(1, 0))
        found[count++] = k;
    x[i] = found[x[i] % 4]; // <- init
  }
  free(x);
}

// mistake weight_past_the_table: memory, 'weights' (64 bytes)
static void weight_past_the_table(void) {
  int n = unknown_size, *x = numbers(n);
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[i] *= weights[x[i] % (16 + MISTAKE(1, 0))]; // <- memory
  free(x);
}

int main(int argc, char **argv) {
  RUN(window_has_a_hole)
  RUN(best_of_nothing)
  RUN(weight_past_the_table)
  return 2;
}
