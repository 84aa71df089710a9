// Numbers of 16 bits with the exponent of `float`: conversions, sums, products and atomic additions round to the nearest
// and to the even one of two, subnormal numbers too, on hosts with and without instructions for it.
#include <cstdint>
#include <cstdio>
#include <cstring>

enum { COUNT = 4096 };

struct results {
  uint16_t converted, pair[2], fused, sum;
};

__global__ void compute(const float *a, const float *b, results *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint16_t x, y;
  uint32_t pair;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(x) : "f"(a[i]));
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(b[i]));
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(a[i]), "f"(b[i]));
  to[i].converted = x;
  to[i].pair[0] = (uint16_t)pair;
  to[i].pair[1] = (uint16_t)(pair >> 16);
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(to[i].fused) : "h"(x), "h"(y), "h"(x));
  // One as a factor makes a sum of it.
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(to[i].sum) : "h"(x), "h"((uint16_t)0x3f80), "h"(y));
}

static float of(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float number;
  memcpy(&number, &wide, sizeof number);
  return number;
}

// Rounds by looking for the nearest. `rest` is what a sum lacks because its digits are too few.
static uint16_t rounded(long double number, long double rest = 0) {
  if (number != number)
    return 0x7fff;
  uint16_t sign = __builtin_signbit(number) ? 0x8000 : 0;
  long double size = number < 0 ? -number : number;
  unsigned low = 0, high = 0x7f80;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    long double place = middle == 0x7f80 ? 0x1p128L : of((uint16_t)middle);
    if (place >= size)
      high = middle;
    else
      low = middle + 1;
  }
  if (low == 0 || size >= 0x1p128L)
    return (uint16_t)(sign | low);
  long double above = (low == 0x7f80 ? 0x1p128L : of((uint16_t)low)) - size, below = size - of((uint16_t)(low - 1));
  if (number < 0)
    rest = -rest;
  bool up = above < below || (above == below && (rest > 0 || (rest == 0 && low % 2 == 0)));
  unsigned nearest = up ? low : low - 1;
  return (uint16_t)(sign | nearest);
}

static uint16_t sum(long double a, long double b) {
  // What is lost (Knuth, "The Art of Computer Programming", 4.2.2).
  volatile long double both = a + b, of_b = both - a;
  volatile long double of_a = both - of_b;
  return rounded(both, (a - of_a) + (b - of_b));
}

static int differs(const char *what, int i, uint16_t is, uint16_t expected) {
  bool nan = (is & 0x7fff) > 0x7f80 && (expected & 0x7fff) > 0x7f80;
  if (is == expected || nan)
    return 0;
  printf("%s %d: %04x, not %04x\n", what, i, is, expected);
  return 1;
}

int main() {
  float *a, *b;
  results *found;
  cudaMallocManaged(&a, COUNT * sizeof *a);
  cudaMallocManaged(&b, COUNT * sizeof *b);
  cudaMallocManaged(&found, COUNT * sizeof *found);
  const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x7f7fffff,
                              0x7f7f8000, 0x7f7f7fff, 0x3f808000, 0x3f818000, 0x3f808001, 0x00008000, 0x00008001,
                              0x00018000, 0x007fffff, 0x00800000, 0x80007fff, 0x3f800000, 0xbf800000, 0x33800000};
  const int specials = sizeof special / sizeof *special;
  uint32_t state = 1;
  for (int i = 0; i < COUNT; i++) {
    uint32_t words[2];
    for (uint32_t &word : words) {
      state = state * 1664525 + 1013904223;
      word = state;
    }
    // Half of them near each other in size, so that sums are no copies.
    if (i % 2)
      words[1] = (words[1] & 0x8fffffff) | (words[0] & 0x70000000);
    if (i < specials * specials) {
      words[0] = special[i / specials];
      words[1] = special[i % specials];
    }
    memcpy(&a[i], &words[0], sizeof *a);
    memcpy(&b[i], &words[1], sizeof *b);
  }
  compute<<<COUNT / 128, 128>>>(a, b, found, COUNT);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  int wrong = 0;
  for (int i = 0; i < COUNT; i++) {
    uint16_t x = rounded(a[i]), y = rounded(b[i]);
    long double p = of(x), q = of(y);
    wrong += differs("converted", i, found[i].converted, x);
    wrong += differs("upper of a pair", i, found[i].pair[1], x);
    wrong += differs("lower of a pair", i, found[i].pair[0], y);
    wrong += differs("fused", i, found[i].fused, sum(p * q, p));
    wrong += differs("sum", i, found[i].sum, sum(p, q));
  }
  puts(wrong ? "FAIL" : "PASS");
  return wrong != 0;
}
