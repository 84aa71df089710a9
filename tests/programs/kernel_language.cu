// A CUDA program without CUDA: clang's -foffload-via-llvm launches kernels through libomptarget. The same source is a HIP
// program (kernel_language.hip).

#include <stdio.h>
#include <string.h>

#if defined(__NVPTX__) || defined(__AMDGPU__)
#include <gpuintrin.h>
#define ON_DEVICE 1
#else
// Kernels are parsed for the host, too, but never run there.
#define ON_DEVICE 0
#define __gpu_thread_id(dimension) (0u + (dimension))
#define __gpu_num_threads(dimension) (1u + (dimension))
#define __gpu_block_id(dimension) (0u + (dimension))
#define __gpu_num_blocks(dimension) (1u + (dimension))
#define __gpu_sync_threads()
#endif

extern "C" {
void *omp_target_alloc(size_t, int);
void omp_target_free(void *, int);
int omp_target_memcpy(void *, const void *, size_t, size_t, size_t, int, int);
int omp_get_initial_device(void);
int omp_get_default_device(void);
}

static int failed = 0;
#define EXPECT(is, expected)                                                                                 \
    do {                                                                                                     \
        double is_ = (is), expected_ = (expected);                                                           \
        if (is_ != expected_ && ++failed < 10)                                                               \
            printf("line %d: %s is %g, expected %g\n", __LINE__, #is, is_, expected_);                       \
    } while (0)

template <typename T> T *on_device(const T *host, int count) {
    T *copy = (T *)omp_target_alloc(count * sizeof(T), omp_get_default_device());
    omp_target_memcpy(copy, host, count * sizeof(T), 0, 0, omp_get_default_device(), omp_get_initial_device());
    return copy;
}

template <typename T> void to_host(T *host, T *device, int count) {
    omp_target_memcpy(host, device, count * sizeof(T), 0, 0, omp_get_initial_device(), omp_get_default_device());
    omp_target_free(device, omp_get_default_device());
}

typedef float float4_t __attribute__((vector_size(16)));
struct Large {
    double values[5];
    char tag;
};
struct Small {
    char first;
    float second;
};

// Every kind of parameter, at offsets that need padding.
__global__ void parameters(double *out, char a, double b, short c, Large large, Small small, bool flag, float4_t vector,
                           __int128 wide, float last) {
    // A structure is the thread's own.
    large.values[1] += __gpu_thread_id(0);
    out[__gpu_thread_id(0)] = a + 10 * b + 100 * c + large.values[1] + large.values[4] + large.tag + small.first +
                              small.second + flag + vector[3] + (double)(long)(wide >> 64) + last;
}

static void test_parameters() {
    double out[64] = {0}, *device = on_device(out, 64);
    Large large = {{1, 2, 3, 4, 5}, 6};
    Small small = {7, 8.5f};
    parameters<<<1, 64>>>(device, -1, 2.5, -3, large, small, true, float4_t{1, 2, 3, 4}, (__int128)9 << 64, 0.25f);
    to_host(out, device, 64);
    for (int i = 0; i < 64; i++)
        EXPECT(out[i], -1 + 25 - 300 + (2 + i) + 5 + 6 + 7 + 8.5 + 1 + 4 + 9 + 0.25);
}

// Three dimensions; dim3 of clang's header leaves those that are not set 0, which stands for 1.
__global__ void dimensions(int *counts) {
    unsigned block = 0, thread = 0;
    for (int d = 2; d >= 0; d--) {
        block = block * __gpu_num_blocks(d) + __gpu_block_id(d);
        thread = thread * __gpu_num_threads(d) + __gpu_thread_id(d);
    }
    counts[block * 24 + thread] += 1;
}

static void test_dimensions() {
    int counts[6 * 24] = {0}, *device = on_device(counts, 6 * 24);
    dim3 grid(3), block(4);
    grid.y = 2;
    block.y = 3;
    block.z = 2;
    dimensions<<<grid, block>>>(device);
    to_host(counts, device, 6 * 24);
    for (int i = 0; i < 6 * 24; i++)
        EXPECT(counts[i], 1);
}

// Static and dynamic shared memory, a barrier, a device variable.
__device__ int offset = 1000;
extern __shared__ int dynamic[];
__global__ void reverse(int *data) {
    __shared__ int fixed[128];
    unsigned i = __gpu_thread_id(0), n = __gpu_num_threads(0), at = __gpu_block_id(0) * n + i;
    dynamic[i] = data[at];
    fixed[n - 1 - i] = (int)i;
    __gpu_sync_threads();
    data[at] = dynamic[fixed[i]] + offset;
}

static void test_shared_memory() {
    int data[512], *device;
    for (int i = 0; i < 512; i++)
        data[i] = i;
    device = on_device(data, 512);
    reverse<<<4, 128, 128 * sizeof(int)>>>(device);
    to_host(data, device, 512);
    for (int i = 0; i < 512; i++)
        EXPECT(data[i], 1000 + i / 128 * 128 + 127 - i % 128);
}

__global__ void add(int *value, int amount) { *value += amount; }

__global__ void twice_modulo(int *value) { *value = *value * 2 % 10007; }

// An argument whose evaluation launches a kernel itself.
static int add_and_read(int *value, int amount) {
    add<<<1, 1>>>(value, amount);
    int now;
    omp_target_memcpy(&now, value, sizeof now, 0, 0, omp_get_initial_device(), omp_get_default_device());
    return now;
}

static void test_nested_launch() {
    int value = 5, *device = on_device(&value, 1);
    add<<<1, 1>>>(device, add_and_read(device, 2));
    to_host(&value, device, 1);
    EXPECT(value, 14);
}

// With a parameter: clang 22 crashes on kernels without.
__global__ void nothing(int) {}

extern "C" {
void __tgt_interop_init(void *, int, void **, int, int, int, void *, int);
void __tgt_interop_use(void *, int, void **, int, int, void *, int);
void __tgt_interop_destroy(void *, int, void **, int, int, void *, int);
void *omp_get_interop_ptr(void *, int, int *);
}

// The stream of an interop object (what clang makes of `interop init(targetsync: …)`, in a language without pragmas): kernels
// keep their order, and `use` waits for them.
static void test_stream() {
    int value = 1, *device = on_device(&value, 1);
    void *object = nullptr;
    __tgt_interop_init(nullptr, 0, &object, 2, omp_get_default_device(), 0, nullptr, 0);
    void *stream = omp_get_interop_ptr(object, -9, nullptr);
    EXPECT(stream != nullptr, 1);
    for (int i = 0; i < 100; i++) {
        add<<<1, 1, 0, stream>>>(device, 1);
        twice_modulo<<<1, 1, 0, stream>>>(device);
    }
    __tgt_interop_use(nullptr, 0, &object, -1, 0, nullptr, 0);
    to_host(&value, device, 1);
    int expected = 1;
    for (int i = 0; i < 100; i++)
        expected = (expected + 1) * 2 % 10007;
    EXPECT(value, expected);
    __tgt_interop_destroy(nullptr, 0, &object, -1, 0, nullptr, 0);
    EXPECT(object == nullptr, 1);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "too-many-threads"))
        nothing<<<1, 5000>>>(0);
    else if (argc > 1 && !strcmp(argv[1], "no-threads"))
        nothing<<<1, 0>>>(0);
    else if (argc > 1)
        nothing<<<1, 1>>>(0);
    else {
        test_parameters();
        test_dimensions();
        test_shared_memory();
        test_nested_launch();
        test_stream();
        puts(failed ? "FAIL" : "PASS");
        return failed != 0;
    }
    puts("survived");
    return 0;
}
