// Kernels that take structures by value: of odd sizes, aligned, read by index, changed by each thread, and too large
// for words. Blocks of 16 by 16 wait at barriers in between.

#include <cstdio>

struct Odd {
  char letters[3];
};

struct alignas(32) Weights {
  float of[7];
  short counts[3];
};

struct Matrix {
  float *elements;
  int rows, columns;
};

struct Table {
  int numbers[300];
};

constexpr int size = 64;

__global__ void transpose(Matrix matrix, Odd odd, Matrix result) {
  __shared__ float tile[16][17];
  const int row = 16 * blockIdx.y + threadIdx.y, column = 16 * blockIdx.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = matrix.elements[row * matrix.columns + column] + odd.letters[column % 3];
  __syncthreads();
  const int to_row = 16 * blockIdx.x + threadIdx.y, to_column = 16 * blockIdx.y + threadIdx.x;
  result.elements[to_row * result.columns + to_column] = tile[threadIdx.x][threadIdx.y];
}

// Each thread changes its own copy, at an index of its own.
__global__ void change(Weights weights, Matrix result, int step) {
  const int thread = 256 * blockIdx.x + 16 * threadIdx.y + threadIdx.x;
  weights.of[thread % 7] += thread;
  weights.counts[thread % 3] = thread % 5;
  float sum = 0;
  for (int at = thread % step; at < 7; at += step) sum += weights.of[at] * weights.counts[at % 3];
  result.elements[thread] = sum;
}

__global__ void look_up(Table table, Matrix result) {
  const int thread = 256 * blockIdx.x + 16 * threadIdx.y + threadIdx.x;
  result.elements[thread] = table.numbers[7 * thread % 300];
}

static int wrong = 0;

static void expect(const char *what, int at, float found, float expected) {
  if (found != expected && wrong++ < 5) std::printf("%s[%d] is %g, not %g\n", what, at, found, expected);
}

int main() {
  const dim3 blocks(size / 16, size / 16), threads(16, 16);
  constexpr int all = size * size;
  Matrix matrix{nullptr, size, size}, result{nullptr, size, size};
  cudaMallocManaged(&matrix.elements, sizeof(float) * all);
  cudaMallocManaged(&result.elements, sizeof(float) * all);
  for (int at = 0; at < all; ++at) matrix.elements[at] = at;

  const Odd odd{{1, 2, 3}};
  transpose<<<blocks, threads>>>(matrix, odd, result);
  cudaDeviceSynchronize();
  for (int at = 0; at < all; ++at) {
    const int row = at % size, column = at / size;
    expect("transposed", at, result.elements[at], row * size + column + odd.letters[column % 3]);
  }

  Weights weights{{1, 2, 3, 4, 5, 6, 7}, {2, 3, 4}};
  change<<<all / 256, threads>>>(weights, result, 2);
  cudaDeviceSynchronize();
  for (int at = 0; at < all; ++at) {
    Weights own = weights;
    own.of[at % 7] += at;
    own.counts[at % 3] = at % 5;
    float sum = 0;
    for (int place = at % 2; place < 7; place += 2) sum += own.of[place] * own.counts[place % 3];
    expect("changed", at, result.elements[at], sum);
  }

  Table table;
  for (int at = 0; at < 300; ++at) table.numbers[at] = at * at;
  look_up<<<all / 256, threads>>>(table, result);
  cudaDeviceSynchronize();
  for (int at = 0; at < all; ++at) expect("found", at, result.elements[at], table.numbers[7 * at % 300]);

  std::puts(wrong == 0 && cudaGetLastError() == cudaSuccess ? "PASS" : "FAIL");
  return wrong != 0;
}
