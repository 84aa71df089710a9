// Mistakes that C++ makes easy.
#include "mistake.h"
#include <omp.h>
#include <vector>

// mistake vector_is_mapped_as_it_is: memory, host
static void vector_is_mapped_as_it_is() {
  int n = unknown_size;
  std::vector<int> x(n, 1);
  int *data = x.data(), sum = 0;
#pragma omp target map(to : x, data[0 : n]) map(tofrom : sum)
  for (int i = 0; i < n; i++)
    sum += MISTAKE(x[i], data[i]); // <- memory
}

struct Ring {
  int next = 0;
  int slots[16];
};

// mistake ring_of_one_too_many: memory, past the end
static void ring_of_one_too_many() {
  int n = unknown_size, *x = numbers(n);
#pragma omp target map(tofrom : x[0 : n])
  {
    Ring *ring = new Ring;
    for (int i = 0; i < n; i++) {
      ring->slots[ring->next] = x[i]; // <- memory
      ring->next = ring->next < 15 + MISTAKE(1, 0) ? ring->next + 1 : 0;
    }
    x[0] = ring->slots[0];
    delete ring;
  }
  free(x);
}

// mistake captured_by_reference: race
static void captured_by_reference() {
  int n = unknown_size, *x = numbers(n), count = 0;
#pragma omp target data map(tofrom : count, x[0 : n])
#pragma omp target teams distribute parallel for map(tofrom : count)
  for (int i = 0; i < n; i++) {
    auto add = [&](int value) {
#ifdef RIGHT
#pragma omp atomic
#endif
      count += value; // <- race
    };
    add(x[i]);
  }
  free(x);
}

int main(int argc, char **argv) {
  RUN(vector_is_mapped_as_it_is)
  RUN(ring_of_one_too_many)
  RUN(captured_by_reference)
  return 2;
}
