// CUDA's libraries in one program: random numbers, a matrix product, a transform and a sparse product, on one stream.
#include <cmath>
#include <cstdio>
#include <vector>

#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusparse.h>

static bool passed = true;

static void check(bool right, const char *what) {
    if (!right) {
        printf("FAIL: %s\n", what);
        passed = false;
    }
}

static const int n = 64;

// Normal numbers have their mean and deviation.
static void random_numbers(float *numbers, int count, cudaStream_t stream) {
    curandGenerator_t generator;
    check(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10) == CURAND_STATUS_SUCCESS, "curand");
    curandSetStream(generator, stream);
    curandSetPseudoRandomGeneratorSeed(generator, 42);
    check(curandGenerateNormal(generator, numbers, count, 1.0f, 2.0f) == CURAND_STATUS_SUCCESS, "normal numbers");
    curandDestroyGenerator(generator);
    cudaStreamSynchronize(stream);
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        sum += numbers[i];
        squares += (numbers[i] - 1.0) * (numbers[i] - 1.0);
    }
    check(fabs(sum / count - 1.0) < 0.1 && fabs(sqrt(squares / count) - 2.0) < 0.1, "mean and deviation");
}

// c = a * transpose(a) is symmetric, and its trace is the sum of a's squares.
static void product(cublasHandle_t blas, const float *a, float *c) {
    float one = 1.0f, zero = 0.0f, norm;
    check(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, a, n, &zero, c, n) == CUBLAS_STATUS_SUCCESS,
          "product");
    check(cublasSnrm2(blas, n * n, a, 1, &norm) == CUBLAS_STATUS_SUCCESS, "norm");
    double trace = 0, difference = 0;
    for (int i = 0; i < n; i++) {
        trace += c[i * n + i];
        for (int j = 0; j < n; j++) {
            difference += fabs(c[i * n + j] - c[j * n + i]);
        }
    }
    check(fabs(trace / (norm * norm) - 1.0) < 1e-4 && difference < 1e-2, "trace");
}

// There and back is n times the numbers.
static void transform(float *numbers, cufftComplex *spectrum, cudaStream_t stream) {
    std::vector<float> before(numbers, numbers + n * n);
    cufftHandle there, back;
    check(cufftPlan2d(&there, n, n, CUFFT_R2C) == CUFFT_SUCCESS, "plan");
    check(cufftPlan2d(&back, n, n, CUFFT_C2R) == CUFFT_SUCCESS, "plan");
    cufftSetStream(there, stream);
    cufftSetStream(back, stream);
    check(cufftExecR2C(there, numbers, spectrum) == CUFFT_SUCCESS, "transform");
    check(cufftExecC2R(back, spectrum, numbers) == CUFFT_SUCCESS, "inverse transform");
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n * n; i++) {
        check(fabsf(numbers[i] / (n * n) - before[i]) < 1e-3f, "there and back");
    }
    cufftDestroy(there);
    cufftDestroy(back);
}

// y = A x for the second differences of x.
static void sparse(int *offsets, int *columns, float *values, float *x, float *y, cudaStream_t stream) {
    int count = 0;
    for (int row = 0; row < n; row++) {
        offsets[row] = count;
        x[row] = (float)(row * row);
        for (int column = row - 1; column <= row + 1; column++) {
            if (column >= 0 && column < n) {
                columns[count] = column;
                values[count++] = column == row ? -2.0f : 1.0f;
            }
        }
    }
    offsets[n] = count;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t in, out;
    check(cusparseCreate(&handle) == CUSPARSE_STATUS_SUCCESS, "cusparse");
    cusparseSetStream(handle, stream);
    cusparseCreateCsr(&a, n, n, count, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&in, n, x, CUDA_R_32F);
    cusparseCreateDnVec(&out, n, y, CUDA_R_32F);
    float one = 1.0f, zero = 0.0f;
    check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, in, &zero, out, CUDA_R_32F,
                       CUSPARSE_SPMV_ALG_DEFAULT, nullptr) == CUSPARSE_STATUS_SUCCESS,
          "sparse product");
    cudaStreamSynchronize(stream);
    for (int row = 1; row < n - 1; row++) {
        check(y[row] == 2.0f, "second differences");
    }
    cusparseDestroySpMat(a);
    cusparseDestroyDnVec(in);
    cusparseDestroyDnVec(out);
    cusparseDestroy(handle);
}

int main() {
    float *a, *c, *values;
    cufftComplex *spectrum;
    int *offsets, *columns;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    cudaMallocManaged(&values, 3 * n * sizeof(float));
    cudaMallocManaged(&spectrum, n * (n / 2 + 1) * sizeof(cufftComplex));
    cudaMallocManaged(&offsets, (n + 1) * sizeof(int));
    cudaMallocManaged(&columns, 3 * n * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cublasHandle_t blas;
    check(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cublas");
    cublasSetStream(blas, stream);
    random_numbers(a, n * n, stream);
    product(blas, a, c);
    transform(a, spectrum, stream);
    sparse(offsets, columns, values, a, c, stream);
    cublasDestroy(blas);
    cudaStreamDestroy(stream);
    puts(passed ? "PASS" : "FAIL");
    return !passed;
}
