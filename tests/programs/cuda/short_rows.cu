// Blocks whose rows are shorter than a warp, in kernels with barriers: a matrix product by tiles, reductions of rows, and
// variables that all forms of a kernel must share. A kernel without barriers, too.
#include <cstdio>
#include <cstring>

__device__ int launches;
static __device__ int blocks_of_static;
__constant__ int factor;

// Side is a multiple of Tile.
template <int Tile> __global__ void product(const int *a, const int *b, int *c, int side) {
  __shared__ int left[Tile][Tile], right[Tile][Tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * Tile + y, column = blockIdx.x * Tile + x;
  int sum = 0;
  for (int from = 0; from < side; from += Tile) {
    left[y][x] = a[row * side + from + x];
    right[y][x] = b[(from + y) * side + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  c[row * side + column] = factor * sum;
  if (x == 0 && y == 0) {
    atomicAdd(&blocks_of_static, 1);
    if (blockIdx.x == 0 && blockIdx.y == 0)
      atomicAdd(&launches, 1);
  }
}

// What a thread sees of its block; each row is added up in dynamic shared memory.
__global__ void shape(int *seen, int *sums) {
  extern __shared__ int own[];
  const int number = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int *fields = seen + 7 * number;
  fields[0] = threadIdx.x, fields[1] = threadIdx.y, fields[2] = threadIdx.z;
  fields[3] = blockDim.x, fields[4] = blockDim.y, fields[5] = blockDim.z;
  fields[6] = __shfl_xor_sync(__activemask(), number, 1);
  own[number] = number + 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int x = 0; x < int(blockDim.x); ++x)
      sum += own[number + x];
    sums[threadIdx.z * blockDim.y + threadIdx.y] = sum;
  }
}

// The sum of a point's neighbours in a box of `extent` points along each axis. No thread waits.
__global__ void neighbours(const int *points, int *sums, int extent) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= extent || y >= extent || z >= extent) return;
  const int at = (z * extent + y) * extent + x, end = extent - 1;
  int sum = (x > 0 ? points[at - 1] : 0) + (x < end ? points[at + 1] : 0);
  sum += (y > 0 ? points[at - extent] : 0) + (y < end ? points[at + extent] : 0);
  sum += (z > 0 ? points[at - extent * extent] : 0) + (z < end ? points[at + extent * extent] : 0);
  sums[at] = sum;
}

// The thread in column 3 of row 5 goes too far.
__global__ void beyond(int *place) {
  __shared__ int tile[16][16];
  tile[threadIdx.y][threadIdx.x] = 1;
  __syncthreads();
  const bool far = threadIdx.x == 3 && threadIdx.y == 5;
  place[far ? 1l << 40 : threadIdx.y] = tile[threadIdx.x][threadIdx.y];
}

static bool failed(const char *what) {
  printf("FAIL: %s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
  return true;
}

template <int Tile> static bool multiplies(int times) {
  constexpr int side = 4 * Tile, count = side * side;
  int *a, *b, *c;
  cudaMallocManaged((void **)&a, count * sizeof(int));
  cudaMallocManaged((void **)&b, count * sizeof(int));
  cudaMallocManaged((void **)&c, count * sizeof(int));
  for (int i = 0; i < count; ++i)
    a[i] = i % 7 - 3, b[i] = i % 5 - 2, c[i] = -1;
  cudaMemcpyToSymbol(factor, &times, sizeof times);
  product<Tile><<<dim3(4, 4), dim3(Tile, Tile)>>>(a, b, c, side);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return !failed("product");
  for (int i = 0; i < count; ++i) {
    int sum = 0;
    for (int k = 0; k < side; ++k)
      sum += a[i / side * side + k] * b[k * side + i % side];
    if (c[i] != times * sum) {
      printf("FAIL: tiles of %d: element %d is %d, not %d\n", Tile, i, c[i], times * sum);
      return false;
    }
  }
  cudaFree(a), cudaFree(b), cudaFree(c);
  return true;
}

static bool knows(dim3 block) {
  const int threads = block.x * block.y * block.z;
  int *seen, *sums;
  cudaMallocManaged((void **)&seen, 7 * threads * sizeof(int));
  cudaMallocManaged((void **)&sums, threads * sizeof(int));
  shape<<<1, block, threads * sizeof(int)>>>(seen, sums);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return !failed("shape");
  for (int i = 0; i < threads; ++i) {
    const int x = i % block.x, row = i / block.x;
    const int fields[] = {x, row % (int)block.y, row / (int)block.y, (int)block.x, (int)block.y, (int)block.z, i ^ 1};
    const bool whole = threads % 2 == 0;
    if (memcmp(fields, seen + 7 * i, (whole ? 7 : 6) * sizeof(int)) != 0) {
      printf("FAIL: thread %d of %u x %u x %u\n", i, block.x, block.y, block.z);
      return false;
    }
    const int first = row * block.x + 1, last = first + block.x - 1;
    if (x == 0 && sums[row] != (first + last) * (int)block.x / 2) {
      printf("FAIL: sum of row %d of %u x %u x %u\n", row, block.x, block.y, block.z);
      return false;
    }
  }
  cudaFree(seen), cudaFree(sums);
  return true;
}

static bool adds_neighbours(dim3 block) {
  constexpr int extent = 21, count = extent * extent * extent;
  int *points, *sums;
  cudaMallocManaged((void **)&points, count * sizeof(int));
  cudaMallocManaged((void **)&sums, count * sizeof(int));
  for (int i = 0; i < count; ++i)
    points[i] = i % 11;
  auto blocks = [](unsigned threads) { return (extent + threads - 1) / threads; };
  neighbours<<<dim3(blocks(block.x), blocks(block.y), blocks(block.z)), block>>>(points, sums, extent);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return !failed("neighbours");
  auto point = [&](int x, int y, int z) {
    const bool inside = x >= 0 && y >= 0 && z >= 0 && x < extent && y < extent && z < extent;
    return inside ? points[(z * extent + y) * extent + x] : 0;
  };
  for (int i = 0; i < count; ++i) {
    const int x = i % extent, y = i / extent % extent, z = i / extent / extent;
    const int sum = point(x - 1, y, z) + point(x + 1, y, z) + point(x, y - 1, z) + point(x, y + 1, z) +
                    point(x, y, z - 1) + point(x, y, z + 1);
    if (sums[i] != sum) {
      printf("FAIL: sum of point %d, blocks of %u x %u x %u\n", i, block.x, block.y, block.z);
      return false;
    }
  }
  cudaFree(points), cudaFree(sums);
  return true;
}

int main(int count, char **) {
  if (count > 1) {
    int *place;
    cudaMalloc((void **)&place, 16 * sizeof(int));
    beyond<<<1, dim3(16, 16)>>>(place);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  const bool right = multiplies<8>(1) && multiplies<16>(-2) && multiplies<32>(3) && multiplies<4>(5);
  int number = 0, blocks = 0;
  cudaMemcpyFromSymbol(&number, launches, sizeof number);
  cudaMemcpyFromSymbol(&blocks, blocks_of_static, sizeof blocks);
  if (right && (number != 4 || blocks != 64))
    return printf("FAIL: %d launches, %d blocks counted\n", number, blocks), 1;
  const dim3 shapes[] = {dim3(16, 16),  dim3(8, 8),   dim3(16, 2),  dim3(16, 3),   dim3(8, 4, 2), dim3(8, 8, 8),
                         dim3(16, 4, 5), dim3(8, 6, 2), dim3(16, 1), dim3(5, 3, 2), dim3(64, 2),   dim3(1, 33)};
  for (dim3 block : shapes)
    if (!right || !knows(block) || !adds_neighbours(block))
      return 1;
  puts("PASS");
  return 0;
}
