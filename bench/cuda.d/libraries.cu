// Our cuBLAS and cuFFT on the virtual GPU next to OpenBLAS and FFTW on the same data: the best of many runs, in ms.
// Needs libopenblas-dev and libfftw3-dev:
//   dist/bin/omptarget cuda -O2 bench/cuda.d/libraries.cu -o libraries -lcublas -lcufft -lopenblas -lfftw3f && ./libraries
#include <algorithm>
#include <chrono>
#include <cstdio>

#include <cublas_v2.h>
#include <cufft.h>
#include <fftw3.h>

// As in cblas.h, whose place differs from system to system: order and transpositions are numbers.
extern "C" void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float,
                            float *, int);
extern "C" void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double,
                            double *, int);
enum { COLUMN_MAJOR = 102, NO_TRANSPOSE = 111 };

template <class F>
static double best(int runs, F work) {
    using clock = std::chrono::steady_clock;
    double least = 1e9;
    for (int i = 0; i < runs; i++) {
        auto begin = clock::now();
        work();
        cudaDeviceSynchronize();
        least = std::min(least, std::chrono::duration<double, std::milli>(clock::now() - begin).count());
    }
    return least;
}

static void line(const char *what, int size, double ours, const char *other, double theirs) {
    printf("%-28s %5d: %8.3f, %s %8.3f, ratio %.2f\n", what, size, ours, other, theirs, ours / theirs);
}

template <class T, class Ours, class Theirs>
static void product(const char *name, int n, Ours ours, Theirs theirs) {
    T *a, *b, *c, one = 1, zero = 0;
    for (T **matrix : {&a, &b, &c}) {
        cudaMallocManaged(matrix, sizeof(T) * n * n);
        for (int i = 0; i < n * n; i++) {
            (*matrix)[i] = (i % 7) * T(0.1);
        }
    }
    cublasHandle_t blas;
    cublasCreate(&blas);
    int runs = n > 1024 ? 6 : 30;
    double left =
        best(runs, [&] { ours(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n); });
    double right = best(
        runs, [&] { theirs(COLUMN_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, one, a, n, b, n, zero, c, n); });
    line(name, n, left, "OpenBLAS", right);
    cublasDestroy(blas);
    for (T *matrix : {a, b, c}) {
        cudaFree(matrix);
    }
}

static void transforms(int n) {
    cufftComplex *a, *b;
    cudaMallocManaged(&a, sizeof *a * n * n);
    cudaMallocManaged(&b, sizeof *b * n * n);
    auto *in = (fftwf_complex *)a, *out = (fftwf_complex *)b;
    fftwf_plan plane = fftwf_plan_dft_2d(n, n, in, out, FFTW_FORWARD, FFTW_MEASURE);
    fftwf_plan rows = fftwf_plan_many_dft(1, &n, n, in, 0, 1, n, out, 0, 1, n, FFTW_FORWARD, FFTW_MEASURE);
    fftwf_plan all = fftwf_plan_dft_1d(n * n, in, out, FFTW_FORWARD, FFTW_MEASURE);
    for (int i = 0; i < n * n; i++) {
        a[i] = {(float)(i % 7), (float)(i % 5)};
    }
    cufftHandle plan;
    auto compare = [&](const char *what, fftwf_plan theirs) {
        double left = best(30, [&] { cufftExecC2C(plan, a, b, CUFFT_FORWARD); });
        line(what, n, left, "FFTW, one thread", best(30, [&] { fftwf_execute(theirs); }));
        cufftDestroy(plan);
    };
    cufftPlan2d(&plan, n, n, CUFFT_C2C);
    compare("C2C, n x n", plane);
    cufftPlan1d(&plan, n, CUFFT_C2C, n);
    compare("C2C, n of n", rows);
    cufftPlan1d(&plan, n * n, CUFFT_C2C, 1);
    compare("C2C, one of n * n", all);
    cudaFree(a);
    cudaFree(b);
}

int main() {
    for (int n : {128, 512, 1024, 2048}) {
        product<float>("sgemm", n, cublasSgemm_v2, cblas_sgemm);
    }
    product<double>("dgemm", 1024, cublasDgemm_v2, cblas_dgemm);
    transforms(1024);
}
