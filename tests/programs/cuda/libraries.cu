// What CUDA's libraries promise beside their numbers: the order of streams, where scalars lie, codes for mistakes.
#include <cmath>
#include <cstdio>
#include <vector>

#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <curand_kernel.h>
#include <cusparse.h>

static bool passed = true;

#define CHECK(condition)                                             \
    if (!(condition)) {                                              \
        printf("FAIL: line %d: %s\n", __LINE__, #condition);         \
        passed = false;                                              \
    }

__global__ void fill(double *x, int n, double value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = value;
    }
}

__global__ void draw(unsigned *bits) {
    int i = threadIdx.x;
    curandState xorwow;
    curand_init(1234, i, 0, &xorwow);
    bits[i] = curand(&xorwow);
    curandStatePhilox4_32_10_t philox;
    curand_init(1234, i, 0, &philox);
    bits[32 + i] = curand(&philox);
}

// Each operation sees what was enqueued before it, on a stream of the program's.
static void order(double *x, double *y, int n) {
    cudaStream_t stream;
    cublasHandle_t blas;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetStream(blas, stream) == CUBLAS_STATUS_SUCCESS);
    double three = 3.0, dot = 0.0;
    fill<<<(n + 127) / 128, 128, 0, stream>>>(x, n, 2.0);
    fill<<<(n + 127) / 128, 128, 0, stream>>>(y, n, 1.0);
    CHECK(cublasDaxpy(blas, n, &three, x, 1, y, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasDdot(blas, n, x, 1, y, 1, &dot) == CUBLAS_STATUS_SUCCESS);
    CHECK(dot == 14.0 * n);

    // Scalars in device memory: a result is an operand of the next operation, and the host waits for neither.
    double *scalar;
    cudaMalloc(&scalar, sizeof(double));
    CHECK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasDasum(blas, n, x, 1, scalar) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasDscal(blas, n, scalar, y, 1) == CUBLAS_STATUS_SUCCESS);
    double first = 0.0;
    cudaMemcpyAsync(&first, y, sizeof first, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    CHECK(first == 7.0 * 2.0 * n);
    cudaFree(scalar);
    CHECK(cublasDestroy(blas) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasDestroy(blas) == CUBLAS_STATUS_NOT_INITIALIZED);
    cudaStreamDestroy(stream);
}

static void mistakes(double *x, double *y) {
    cublasHandle_t blas;
    cublasCreate(&blas);
    double one = 1.0, host[4] = {};
    CHECK(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, -1, 2, 2, &one, x, 2, x, 2, &one, y, 2) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 1, x, 2, &one, y, 2) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, nullptr, x, 2, x, 2, &one, y, 2) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasDscal(blas, 4, &one, host, 1) == CUBLAS_STATUS_EXECUTION_FAILED);
    CHECK(cublasDscal(blas, 0, &one, nullptr, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasCreate(nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    cublasDestroy(blas);

    cufftHandle plan;
    CHECK(cufftPlan1d(&plan, 0, CUFFT_Z2Z, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, 4, (cufftType)7, 1) == CUFFT_INVALID_TYPE);
    CHECK(cufftPlan1d(&plan, 2, CUFFT_Z2Z, 1) == CUFFT_SUCCESS);
    CHECK(cufftExecC2C(plan, (cufftComplex *)x, (cufftComplex *)x, CUFFT_FORWARD) == CUFFT_INVALID_TYPE);
    CHECK(cufftExecZ2Z(plan, (cufftDoubleComplex *)x, nullptr, CUFFT_FORWARD) == CUFFT_INVALID_VALUE);
    CHECK(cufftDestroy(plan) == CUFFT_SUCCESS);
    CHECK(cufftDestroy(plan) == CUFFT_INVALID_PLAN);

    curandGenerator_t generator;
    CHECK(curandCreateGenerator(&generator, (curandRngType_t)7) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS);
    CHECK(curandGenerateNormalDouble(generator, x, 3, 0.0, 1.0) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK(curandGenerateUniformDouble(generator, host, 4) == CURAND_STATUS_LAUNCH_FAILURE);
    CHECK(curandDestroyGenerator(generator) == CURAND_STATUS_SUCCESS);
    CHECK(curandSetGeneratorOffset(generator, 1) == CURAND_STATUS_NOT_INITIALIZED);

    cusparseDnVecDescr_t vector;
    CHECK(cusparseCreateDnVec(&vector, -1, x, CUDA_R_64F) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(cusparseSetStream(nullptr, nullptr) == CUSPARSE_STATUS_NOT_INITIALIZED);
}

// Numbers in kernels, on the device and on the host are those of one sequence.
static void sequences() {
    unsigned *bits, *numbers, host[4];
    cudaMallocManaged(&bits, 64 * sizeof(unsigned));
    cudaMallocManaged(&numbers, 4100 * sizeof(unsigned));
    draw<<<1, 32>>>(bits);
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW);
    curandSetPseudoRandomGeneratorSeed(generator, 1234);
    CHECK(curandGenerate(generator, numbers, 4100) == CURAND_STATUS_SUCCESS);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 32; i++) {
        CHECK(bits[i] == numbers[i]);
    }
    CHECK(numbers[4096] == 0x6f558604);
    CHECK(bits[32] == 0x2090b348 && bits[33] == 0xd115a128);
    curandDestroyGenerator(generator);
    curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_XORWOW);
    curandSetPseudoRandomGeneratorSeed(generator, 1234);
    CHECK(curandGenerate(generator, host, 4) == CURAND_STATUS_SUCCESS);
    CHECK(host[0] == numbers[0] && host[3] == numbers[3]);
    curandDestroyGenerator(generator);
    cudaFree(bits);
    cudaFree(numbers);
}

// A triangular system of many right sides, and factors of a batch.
static void systems(double *a, double *b) {
    const int n = 3;
    const double matrix[n * n] = {2, 4, -2, 1, 3, 5, 1, 1, 8};
    cublasHandle_t blas;
    cublasCreate(&blas);
    cudaMemcpy(a, matrix, sizeof matrix, cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) {
        b[i] = i + 1.0;
    }
    double **list, **right;
    int *pivots, *info, said = 1;
    cudaMallocManaged(&list, sizeof *list);
    cudaMallocManaged(&right, sizeof *right);
    cudaMallocManaged(&pivots, n * sizeof(int));
    cudaMallocManaged(&info, sizeof(int));
    list[0] = a;
    right[0] = b;
    CHECK(cublasDgetrfBatched(blas, n, list, n, pivots, info, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasDgetrsBatched(blas, CUBLAS_OP_N, n, 1, list, n, pivots, right, n, &said, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(*info == 0 && said == 0);
    for (int row = 0; row < n; row++) {
        double sum = 0;
        for (int column = 0; column < n; column++) {
            sum += matrix[column * n + row] * b[column];
        }
        CHECK(fabs(sum - (row + 1.0)) < 1e-12);
    }
    cublasDestroy(blas);
}

// A triangle is packed and unpacked; a product is computed in float.
static void triangles(double *a, double *packed) {
    const int n = 3;
    cublasHandle_t blas;
    cublasCreate(&blas);
    for (int i = 0; i < n * n; i++) {
        a[i] = i;
    }
    CHECK(cublasDtrttp(blas, CUBLAS_FILL_MODE_LOWER, n, a, n, packed) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasDtpttr(blas, CUBLAS_FILL_MODE_UPPER, n, packed, a, n) == CUBLAS_STATUS_SUCCESS);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    const double lower[] = {0, 1, 2, 4, 5, 8}, both[] = {0, 1, 2, 1, 2, 5, 4, 5, 8};
    for (int i = 0; i < n * n; i++) {
        CHECK((i >= 6 || packed[i] == lower[i]) && a[i] == both[i]);
    }
    float *values, two = 2, none = 0;
    cudaMallocManaged(&values, 3 * sizeof(float));
    values[0] = 3, values[1] = 5;
    CHECK(cublasSgemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &two, values, CUDA_R_32F, 1, values + 1, CUDA_R_32F, 1,
                        &none, values + 2, CUDA_R_32F, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && values[2] == 30);
    CHECK(cublasDtrttp(blas, CUBLAS_FILL_MODE_LOWER, n, a, n - 1, packed) == CUBLAS_STATUS_INVALID_VALUE);
    cublasDestroy(blas);
}

// A generator's numbers are those that the vectors and the constants make.
static void scrambled() {
    curandDirectionVectors32_t *vectors;
    unsigned *constants, host[8];
    CHECK(curandGetDirectionVectors32(&vectors, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) ==
          CURAND_STATUS_SUCCESS);
    CHECK(curandGetScrambleConstants32(&constants) == CURAND_STATUS_SUCCESS);
    curandGenerator_t generator;
    CHECK(curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32) == CURAND_STATUS_SUCCESS);
    CHECK(curandSetQuasiRandomGeneratorDimensions(generator, 2) == CURAND_STATUS_SUCCESS);
    CHECK(curandGenerate(generator, host, 8) == CURAND_STATUS_SUCCESS);
    for (int dimension = 0; dimension < 2; dimension++) {
        const unsigned *v = vectors[dimension];
        const unsigned points[] = {0, v[0], v[0] ^ v[1], v[1]};
        for (int i = 0; i < 4; i++) {
            CHECK(host[dimension * 4 + i] == (points[i] ^ constants[dimension]));
        }
    }
    curandDestroyGenerator(generator);
}

int main() {
    const int n = 1000;
    double *x, *y;
    cudaMallocManaged(&x, n * sizeof(double));
    cudaMallocManaged(&y, n * sizeof(double));
    order(x, y, n);
    mistakes(x, y);
    sequences();
    systems(x, y);
    triangles(x, y);
    scrambled();
    puts(passed ? "PASS" : "FAIL");
    return !passed;
}
