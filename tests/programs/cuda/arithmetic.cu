// What GPUs define and C does not: shifts by the width or more, and numbers that an integer's type does not have. The
// operands come from memory, so that no compiler knows them. PTX ISA, "shl", "shr" and "cvt".

#include <climits>
#include <cmath>
#include <cstdio>

constexpr int numbers = 10;

struct Shifted {
  unsigned left, right;
  int sign;
  unsigned long long wide;
};

struct Converted {
  int from_float, from_double;
  unsigned positive;
  long long wide;
};

__global__ void shift(const unsigned *counts, Shifted *results) {
  const unsigned count = counts[threadIdx.x], bits = 0x80000001u;
  results[threadIdx.x] = {bits << count, bits >> count, static_cast<int>(bits) >> count,
                          0x8000000000000001ull << count};
}

__global__ void convert(const double *values, Converted *results) {
  const double value = values[threadIdx.x];
  const float single = static_cast<float>(value);
  results[threadIdx.x] = {static_cast<int>(single), static_cast<int>(value), static_cast<unsigned>(single),
                          static_cast<long long>(value)};
}

static int wrong = 0;

static void check(bool right, const char *what, double operand) {
  if (right || wrong++ > 20) return;
  printf("%s of %g is wrong\n", what, operand);
}

static void check(unsigned count, const Shifted &result) {
  const unsigned bits = 0x80000001u;
  check(result.left == (count < 32 ? bits << count : 0), "left shift", count);
  check(result.right == (count < 32 ? bits >> count : 0), "right shift", count);
  check(result.sign == static_cast<int>(bits) >> (count < 32 ? count : 31), "shift of a sign", count);
  check(result.wide == (count < 64 ? 0x8000000000000001ull << count : 0), "wide shift", count);
}

template <typename Integer> static Integer clamped(double value, Integer least, Integer most, Integer nan) {
  if (std::isnan(value)) return nan;
  if (value >= static_cast<double>(most)) return most;
  return value <= static_cast<double>(least) ? least : static_cast<Integer>(value);
}

static void check(double value, const Converted &result) {
  const float single = static_cast<float>(value);
  check(result.from_float == clamped(single, INT_MIN, INT_MAX, 0), "int", single);
  check(result.from_double == clamped(value, INT_MIN, INT_MAX, INT_MIN), "int of a double", value);
  check(result.positive == clamped(single, 0u, UINT_MAX, 0u), "unsigned int", single);
  check(result.wide == clamped(value, LLONG_MIN, LLONG_MAX, LLONG_MIN), "long long", value);
}

template <typename Operand, typename Result>
static void run(void (*kernel)(const Operand *, Result *), const Operand (&operands)[numbers], int threads) {
  Operand *from;
  Result *results;
  cudaMallocManaged(&from, threads * sizeof(Operand));
  cudaMallocManaged(&results, threads * sizeof(Result));
  for (int at = 0; at < threads; at++) from[at] = operands[at % numbers];
  kernel<<<1, threads>>>(from, results);
  check(cudaDeviceSynchronize() == cudaSuccess, "launch", threads);
  for (int at = 0; at < threads; at++) check(from[at], results[at]);
  cudaFree(from);
  cudaFree(results);
}

int main() {
  const unsigned counts[numbers] = {0, 1, 15, 16, 31, 32, 33, 63, 64, 200};
  const double values[numbers] = {0.75, -1.5, 2147483647.0, 3e9, -3e9, 1e10, -1e20, 1e20, NAN, INFINITY};
  // Part of a warp, and whole warps.
  const int sizes[] = {numbers, 64};
  for (int threads : sizes) {
    run(shift, counts, threads);
    run(convert, values, threads);
  }
  puts(wrong ? "FAIL" : "PASS");
  return wrong != 0;
}
