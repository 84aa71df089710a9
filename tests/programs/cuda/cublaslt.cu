// cuBLASLt: types, transposes, orders, batches, epilogues and their gradients, algorithms, bad descriptors.
#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            printf("line %d: %s\n", __LINE__, #condition);                                                            \
            exit(1);                                                                                                  \
        }                                                                                                             \
    } while (0)
#define OK(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

template <typename T> static T *shared(size_t count) {
    T *memory;
    CHECK(cudaMallocManaged(&memory, count * sizeof(T)) == cudaSuccess);
    for (size_t i = 0; i < count; i++)
        memory[i] = (T)((int)(i * 7 % 11) - 5);
    return memory;
}

// D := epilogue(alpha op(A) op(B) + beta C), each matrix with an order of its own.
struct Product {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, c;
    int m, n, k;

    Product(int m, int n, int k, bool at, bool bt, cudaDataType in, cudaDataType out, cublasComputeType_t compute,
            cudaDataType scale)
        : m(m), n(n), k(k) {
        OK(cublasLtMatmulDescCreate(&desc, compute, scale));
        cublasOperation_t turn = CUBLAS_OP_T;
        if (at)
            set(CUBLASLT_MATMUL_DESC_TRANSA, turn);
        if (bt)
            set(CUBLASLT_MATMUL_DESC_TRANSB, turn);
        OK(cublasLtMatrixLayoutCreate(&a, in, at ? k : m, at ? m : k, at ? k : m));
        OK(cublasLtMatrixLayoutCreate(&b, in, bt ? n : k, bt ? k : n, bt ? n : k));
        OK(cublasLtMatrixLayoutCreate(&c, out, m, n, m));
    }
    ~Product() {
        OK(cublasLtMatmulDescDestroy(desc));
        for (auto layout : {a, b, c})
            OK(cublasLtMatrixLayoutDestroy(layout));
    }
    template <typename T> void set(cublasLtMatmulDescAttributes_t attribute, const T &value) {
        OK(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value));
    }
    template <typename T> void set_all(cublasLtMatrixLayoutAttribute_t attribute, const T &value) {
        for (auto layout : {a, b, c})
            OK(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value));
    }
};

static cublasLtHandle_t handle;

static void gelu_with_bias() {
    const int m = 37, n = 21, k = 50;
    Product product(m, n, k, true, false, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    float *a = shared<float>(m * k), *b = shared<float>(k * n), *d = shared<float>(m * n), *bias = shared<float>(m);
    float *kept = shared<float>(40 * n), *gradient = shared<float>(m);
    product.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
    product.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    product.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, kept);
    product.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)40);

    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count;
    uint64_t bytes = 1 << 20;
    OK(cublasLtMatmulPreferenceCreate(&preference));
    OK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                            sizeof bytes));
    OK(cublasLtMatmulAlgoGetHeuristic(handle, product.desc, product.a, product.b, product.c, product.c, preference, 1,
                                      &found, &count));
    CHECK(count == 1 && found.state == CUBLAS_STATUS_SUCCESS && found.workspaceSize <= bytes);
    OK(cublasLtMatmulPreferenceDestroy(preference));

    const float alpha = 0.125f, beta = 0;
    OK(cublasLtMatmul(handle, product.desc, &alpha, a, product.a, b, product.b, &beta, nullptr, product.c, d, product.c,
                      &found.algo, nullptr, 0, 0));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    auto plain = [&](int row, int column) {
        float sum = 0;
        for (int inner = 0; inner < k; inner++)
            sum += a[row * k + inner] * b[column * k + inner];
        return alpha * sum;
    };
    auto gelu = [](double x) { return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); };
    for (int column = 0; column < n; column++)
        for (int row = 0; row < m; row++) {
            double x = plain(row, column) + bias[row];
            CHECK(fabs(kept[column * 40 + row] - x) < 1e-3);
            CHECK(fabs(d[column * m + row] - gelu(x)) < 1e-3);
        }

    product.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DGELU_BGRAD);
    product.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, gradient);
    OK(cublasLtMatmul(handle, product.desc, &alpha, a, product.a, b, product.b, &beta, d, product.c, d, product.c,
                      nullptr, nullptr, 0, 0));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int row = 0; row < m; row++) {
        double sum = 0;
        for (int column = 0; column < n; column++) {
            double x = kept[column * 40 + row];
            double slope = (gelu(x + 1e-4) - gelu(x - 1e-4)) / 2e-4;
            CHECK(fabs(d[column * m + row] - plain(row, column) * slope) < 2e-3);
            sum += d[column * m + row];
        }
        CHECK(fabs(gradient[row] - sum) < 1e-2);
    }
}

static void relu_in_batches() {
    const int m = 5, n = 4, k = 3, count = 3;
    Product product(m, n, k, false, true, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F);
    double *a = shared<double>(m * k), *b = shared<double>(k * n * count), *c = shared<double>(m * n * count);
    double *d = shared<double>(m * n * count);
    unsigned char *bits = shared<unsigned char>(16 * n * count);
    product.set_all(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count);
    int64_t steps[] = {0, k * n, m * n};
    cublasLtMatrixLayout_t layouts[] = {product.a, product.b, product.c};
    for (int i = 0; i < 3; i++)
        OK(cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &steps[i],
                                            sizeof steps[i]));
    product.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_AUX);
    product.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, bits);
    product.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)128);
    product.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, (int64_t)(128 * n));
    const double alpha = 2, beta = -1;
    OK(cublasLtMatmul(handle, product.desc, &alpha, a, product.a, b, product.b, &beta, c, product.c, d, product.c,
                      nullptr, nullptr, 0, 0));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int one = 0; one < count; one++)
        for (int column = 0; column < n; column++)
            for (int row = 0; row < m; row++) {
                double sum = -c[one * m * n + column * m + row];
                for (int inner = 0; inner < k; inner++)
                    sum += 2 * a[inner * m + row] * b[one * k * n + inner * n + column];
                CHECK(d[one * m * n + column * m + row] == (sum > 0 ? sum : 0));
                size_t bit = (size_t)one * 128 * n + column * 128 + row;
                CHECK((bits[bit / 8] >> bit % 8 & 1) == (sum > 0));
            }
}

// Small integers by way of the orders that tensor cores want.
static void integers_in_orders(cublasLtOrder_t order, int tile) {
    const int m = 40, n = 24, k = 70, groups = (k + 31) / 32;
    signed char *a = shared<signed char>(m * k), *b = shared<signed char>(k * n);
    int lda = 32 * m, ldb = 32 * ((n + tile - 1) / tile * tile);
    signed char *at = shared<signed char>(lda * groups), *bt = shared<signed char>(ldb * groups);
    int *ct = shared<int>(32 * m), *c = shared<int>(m * n);
    Product product(m, n, k, false, true, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I);
    cublasLtMatrixLayout_t plain_a, plain_b, plain_c;
    OK(cublasLtMatrixLayoutCreate(&plain_a, CUDA_R_8I, m, k, m));
    OK(cublasLtMatrixLayoutCreate(&plain_b, CUDA_R_8I, k, n, k));
    OK(cublasLtMatrixLayoutCreate(&plain_c, CUDA_R_32I, m, n, m));
    cublasLtOrder_t groups_of_32 = CUBLASLT_ORDER_COL32;
    product.set_all(CUBLASLT_MATRIX_LAYOUT_ORDER, groups_of_32);
    OK(cublasLtMatrixLayoutSetAttribute(product.b, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    int64_t leading[] = {lda, ldb, 32 * m};
    cublasLtMatrixLayout_t layouts[] = {product.a, product.b, product.c};
    for (int i = 0; i < 3; i++)
        OK(cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_LD, &leading[i], sizeof leading[i]));

    cublasLtMatrixTransformDescOpaque_t to;
    OK(cublasLtMatrixTransformDescInit(&to, CUDA_R_32F));
    const float one = 1, zero = 0;
    OK(cublasLtMatrixTransform(handle, &to, &one, a, plain_a, &zero, nullptr, nullptr, at, product.a, 0));
    cublasOperation_t turn = CUBLAS_OP_T;
    OK(cublasLtMatrixTransformDescSetAttribute(&to, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &turn, sizeof turn));
    OK(cublasLtMatrixTransform(handle, &to, &one, b, plain_b, &zero, nullptr, nullptr, bt, product.b, 0));
    const int alpha = 1, beta = 0;
    OK(cublasLtMatmul(handle, product.desc, &alpha, at, product.a, bt, product.b, &beta, ct, product.c, ct, product.c,
                      nullptr, nullptr, 0, 0));
    turn = CUBLAS_OP_N;
    OK(cublasLtMatrixTransformDescSetAttribute(&to, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &turn, sizeof turn));
    OK(cublasLtMatrixTransform(handle, &to, &one, ct, product.c, &zero, nullptr, nullptr, c, plain_c, 0));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int column = 0; column < n; column++)
        for (int row = 0; row < m; row++) {
            int sum = 0;
            for (int inner = 0; inner < k; inner++)
                sum += a[inner * m + row] * b[column * k + inner];
            CHECK(c[column * m + row] == sum);
        }
    for (auto layout : {plain_a, plain_b, plain_c})
        OK(cublasLtMatrixLayoutDestroy(layout));
}

// Row by row, in bfloat16, with a factor of each row in device memory.
static void rows_of_bfloat16() {
    const int m = 6, n = 5, k = 8;
    Product product(m, n, k, false, false, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    unsigned short *a = shared<unsigned short>(m * k), *b = shared<unsigned short>(k * n);
    for (int i = 0; i < m * k; i++)
        a[i] = 0x3f80; // 1
    for (int i = 0; i < k * n; i++)
        b[i] = i % n == 2 ? 0x4000 : 0xbf80; // 2 and -1
    float *d = shared<float>(m * n), *factors = shared<float>(m);
    cublasLtOrder_t order = CUBLASLT_ORDER_ROW;
    product.set_all(CUBLASLT_MATRIX_LAYOUT_ORDER, order);
    int64_t leading[] = {k, n, n};
    cublasLtMatrixLayout_t layouts[] = {product.a, product.b, product.c};
    for (int i = 0; i < 3; i++)
        OK(cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_LD, &leading[i], sizeof leading[i]));
    product.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO);
    OK(cublasLtMatmul(handle, product.desc, factors, a, product.a, b, product.b, nullptr, nullptr, product.c, d,
                      product.c, nullptr, nullptr, 0, 0));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++)
            CHECK(d[row * n + column] == factors[row] * (column == 2 ? 16 : -8));
}

static void mistakes() {
    Product product(4, 4, 4, false, false, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    float *memory = shared<float>(16);
    const float one = 1;
    auto multiply = [&](cublasLtHandle_t handle, const float *a, cublasLtMatrixLayout_t of_c) {
        return cublasLtMatmul(handle, product.desc, &one, a, product.a, memory, product.b, &one, memory, of_c, memory,
                              of_c, nullptr, nullptr, 0, 0);
    };
    cublasLtMatrixLayout_t other;
    OK(cublasLtMatrixLayoutCreate(&other, CUDA_R_32F, 3, 4, 4));
    CHECK(multiply(handle, memory, other) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(multiply(handle, memory, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(multiply(handle, nullptr, product.c) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(multiply((cublasLtHandle_t)1, memory, product.c) == CUBLAS_STATUS_NOT_INITIALIZED);
    product.set(CUBLASLT_MATMUL_DESC_SCALE_TYPE, CUDA_R_64F);
    CHECK(multiply(handle, memory, product.c) == CUBLAS_STATUS_NOT_SUPPORTED);
    int narrow = 0;
    CHECK(cublasLtMatmulDescSetAttribute(product.desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &narrow, sizeof narrow) ==
          CUBLAS_STATUS_INVALID_VALUE);
    OK(cublasLtMatrixLayoutDestroy(other));
}

static void algorithms() {
    int ids[4], count;
    OK(cublasLtMatmulAlgoGetIds(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                                4, ids, &count));
    CHECK(count == 1);
    cublasLtMatmulAlgo_t algo;
    OK(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                              ids[0], &algo));
    size_t size;
    OK(cublasLtMatmulAlgoCapGetAttribute(&algo, CUBLASLT_ALGO_CAP_TILE_IDS, nullptr, 0, &size));
    std::vector<int> tiles(size / sizeof(int));
    OK(cublasLtMatmulAlgoCapGetAttribute(&algo, CUBLASLT_ALGO_CAP_TILE_IDS, tiles.data(), size, &size));
    OK(cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tiles[0], sizeof(int)));
    Product product(4, 4, 4, false, false, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulHeuristicResult_t result;
    OK(cublasLtMatmulAlgoCheck(handle, product.desc, product.a, product.b, product.c, product.c, &algo, &result));
    CHECK(result.state == CUBLAS_STATUS_SUCCESS);
}

int main() {
    OK(cublasLtCreate(&handle));
    gelu_with_bias();
    relu_in_batches();
    integers_in_orders(CUBLASLT_ORDER_COL4_4R2_8C, 8);
    integers_in_orders(CUBLASLT_ORDER_COL32_2R_4R4, 32);
    rows_of_bfloat16();
    mistakes();
    algorithms();
    OK(cublasLtDestroy(handle));
    CHECK(cublasLtDestroy(handle) == CUBLAS_STATUS_NOT_INITIALIZED);
    puts("PASS");
}
