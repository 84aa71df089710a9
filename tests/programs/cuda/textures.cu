// Arrays, textures and surfaces: what kernels read and write of them, and what functions say.
#include <stdio.h>

#include "../expect.h"

#define CHECK(call) EXPECT(call, cudaSuccess)

static float *numbers;

// Runs a kernel on one thread for each of `count` results.
#define RUN(kernel, count, ...)                                                                                        \
    do {                                                                                                               \
        kernel<<<1, count>>>(numbers, __VA_ARGS__);                                                                    \
        CHECK(cudaDeviceSynchronize());                                                                                   \
    } while (0)

// How many of the results are others.
static int others(const float *expected, int count) {
    int found = 0;
    for (int i = 0; i < count; i++)
        if (numbers[i] != expected[i]) {
            printf("[%d] is %g, not %g\n", i, numbers[i], expected[i]);
            found++;
        }
    return found;
}
#define EXPECT_NUMBERS(...)                                                                                            \
    do {                                                                                                               \
        const float wanted[] = {__VA_ARGS__};                                                                          \
        EXPECT(others(wanted, sizeof wanted / sizeof *wanted), 0);                                                     \
    } while (0)

static cudaTextureDesc settings(cudaTextureAddressMode outside, cudaTextureFilterMode filter, bool normalized) {
    cudaTextureDesc made = {};
    made.addressMode[0] = made.addressMode[1] = made.addressMode[2] = outside;
    made.filterMode = filter;
    made.normalizedCoords = normalized;
    return made;
}

static cudaResourceDesc of(cudaArray_t array) {
    cudaResourceDesc made = {};
    made.resType = cudaResourceTypeArray;
    made.res.array.array = array;
    return made;
}

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureDesc how) {
    cudaResourceDesc what = of(array);
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &what, &how, nullptr));
    return object;
}

// An array of floats that count up.
static cudaArray_t counted(cudaExtent extent, unsigned flags) {
    static float values[1024];
    for (int i = 0; i < 1024; i++)
        values[i] = i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    size_t rows = extent.height ? extent.height : 1;
    copy.srcPtr = make_cudaPitchedPtr(values, extent.width * sizeof(float), extent.width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, rows, extent.depth ? extent.depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

__global__ void along(float *out, cudaTextureObject_t object, float first, float step) {
    out[threadIdx.x] = tex2D<float>(object, first + step * threadIdx.x, 0.5f);
}

// What is read outside, and between texels.
static void modes() {
    cudaArray_t array = counted(make_cudaExtent(4, 1, 0), cudaArrayDefault);
    struct {
        cudaTextureAddressMode mode;
        float expected[6];
    } cases[] = {{cudaAddressModeClamp, {0, 0, 1, 2, 3, 3}}, {cudaAddressModeBorder, {9, 0, 1, 2, 3, 9}},
                 {cudaAddressModeWrap, {3, 0, 1, 2, 3, 0}}, {cudaAddressModeMirror, {0, 0, 1, 2, 3, 3}}};
    for (auto &it : cases) {
        cudaTextureDesc how = settings(it.mode, cudaFilterModePoint, true);
        how.borderColor[0] = 9;
        cudaTextureObject_t object = texture_of(array, how);
        RUN(along, 6, object, -0.125f, 0.25f);
        EXPECT(others(it.expected, 6), 0);
        CHECK(cudaDestroyTextureObject(object));
    }
    cudaTextureObject_t linear = texture_of(array, settings(cudaAddressModeClamp, cudaFilterModeLinear, false));
    RUN(along, 4, linear, 0.25f, 1.f);
    EXPECT_NUMBERS(0, 0.75f, 1.75f, 2.75f);
    CHECK(cudaDestroyTextureObject(linear));
    CHECK(cudaFreeArray(array));
}

__global__ void everywhere(float *out, cudaTextureObject_t volume, cudaTextureObject_t layers,
                           cudaTextureObject_t cube) {
    out[0] = tex3D<float>(volume, 1.5f, 1.5f, 1.5f);
    out[1] = tex2DLayered<float>(layers, 2.5f, 0.5f, 1);
    out[2] = texCubemap<float>(cube, 0, 0, -1);
    float4 four = tex2Dgather<float4>(layers, 1, 1);
    out[3] = four.x;
    out[4] = four.y;
    out[5] = four.z;
    out[6] = four.w;
}

static void shapes() {
    cudaArray_t volume = counted(make_cudaExtent(4, 3, 2), cudaArrayDefault);
    cudaArray_t layers = counted(make_cudaExtent(4, 3, 2), cudaArrayLayered);
    cudaArray_t cube = counted(make_cudaExtent(4, 4, 6), cudaArrayCubemap);
    cudaTextureDesc plain = settings(cudaAddressModeClamp, cudaFilterModePoint, false);
    RUN(everywhere, 1, texture_of(volume, plain), texture_of(layers, plain),
        texture_of(cube, settings(cudaAddressModeClamp, cudaFilterModePoint, true)));
    EXPECT_NUMBERS(17, 14, 90, 4, 5, 1, 0);
    cudaExtent extent;
    unsigned flags;
    CHECK(cudaArrayGetInfo(nullptr, &extent, &flags, cube));
    EXPECT(extent.depth, 6);
    EXPECT(flags, cudaArrayCubemap);
}

__global__ void at_level(float *out, cudaTextureObject_t object) {
    out[threadIdx.x] = tex2DLod<float>(object, 0.5f, 0.5f, threadIdx.x * 0.5f);
}

static void levels() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t array;
    CHECK(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(2, 2, 0), 2));
    const float large[] = {1, 1, 1, 1}, small = 3;
    cudaArray_t level, again;
    CHECK(cudaGetMipmappedArrayLevel(&level, array, 0));
    CHECK(cudaMemcpy2DToArray(level, 0, 0, large, 8, 8, 2, cudaMemcpyHostToDevice));
    CHECK(cudaGetMipmappedArrayLevel(&level, array, 1));
    CHECK(cudaMemcpy2DToArray(level, 0, 0, &small, 4, 4, 1, cudaMemcpyHostToDevice));
    CHECK(cudaGetMipmappedArrayLevel(&again, array, 1));
    EXPECT(level == again, true);
    EXPECT(cudaGetMipmappedArrayLevel(&again, array, 2), cudaErrorInvalidValue);
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeMipmappedArray;
    what.res.mipmap.mipmap = array;
    cudaTextureDesc how = settings(cudaAddressModeClamp, cudaFilterModeLinear, true);
    how.mipmapFilterMode = cudaFilterModeLinear;
    how.maxMipmapLevelClamp = 9;
    cudaTextureObject_t object;
    CHECK(cudaCreateTextureObject(&object, &what, &how, nullptr));
    RUN(at_level, 4, object);
    EXPECT_NUMBERS(1, 2, 3, 3);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeMipmappedArray(array));
}

__global__ void fractions(float *out, cudaTextureObject_t object) {
    float4 colour = tex2D<float4>(object, 0.5f, 0.5f);
    out[0] = colour.x;
    out[1] = colour.y;
    out[2] = colour.w;
}

__global__ void row(float *out, cudaTextureObject_t object) {
    out[threadIdx.x] = tex1Dfetch<short2>(object, (int)threadIdx.x - 1).y;
}

// Formats, and memory as a texture.
static void formats() {
    uchar4 colour = {255, 51, 0, 102};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, 1, 1));
    CHECK(cudaMemcpyToArray(array, 0, 0, &colour, sizeof colour, cudaMemcpyHostToDevice));
    cudaTextureDesc how = settings(cudaAddressModeClamp, cudaFilterModePoint, false);
    how.readMode = cudaReadModeNormalizedFloat;
    RUN(fractions, 1, texture_of(array, how));
    EXPECT_NUMBERS(1, 51 / 255.f, 102 / 255.f);
    short2 *memory;
    CHECK(cudaMallocManaged(&memory, 3 * sizeof *memory));
    for (int i = 0; i < 3; i++)
        memory[i] = short2{0, (short)(-5 - i)};
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = memory;
    what.res.linear.desc = cudaCreateChannelDesc<short2>();
    what.res.linear.sizeInBytes = 3 * sizeof *memory;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t object;
    CHECK(cudaCreateTextureObject(&object, &what, &how, nullptr));
    RUN(row, 5, object);
    EXPECT_NUMBERS(0, -5, -6, -7, 0);
    cudaResourceDesc told;
    CHECK(cudaGetTextureObjectResourceDesc(&told, object));
    EXPECT(told.res.linear.devPtr == memory, true);
}

__global__ void change(float *out, cudaSurfaceObject_t object) {
    int x = threadIdx.x;
    float before = surf2Dread<float>(object, x * 4, 1);
    surf2Dwrite(before * 2, object, x * 4, 1);
    surf2Dwrite(7.f, object, x * 4 + 400, 1, cudaBoundaryModeZero);
    out[x] = surf2Dread<float>(object, x * 4 + 8, 0, x == 3 ? cudaBoundaryModeZero : cudaBoundaryModeClamp);
}

__global__ void outside(float *out, cudaSurfaceObject_t object) { out[0] = surf2Dread<float>(object, 0, 2); }

static void surfaces() {
    cudaArray_t array = counted(make_cudaExtent(4, 2, 0), cudaArraySurfaceLoadStore);
    cudaResourceDesc what = of(array);
    cudaSurfaceObject_t object;
    CHECK(cudaCreateSurfaceObject(&object, &what));
    RUN(change, 4, object);
    EXPECT_NUMBERS(2, 3, 3, 0);
    CHECK(cudaMemcpy2DFromArray(numbers, 16, array, 0, 0, 16, 2, cudaMemcpyDeviceToHost));
    EXPECT_NUMBERS(0, 1, 2, 3, 8, 10, 12, 14);
    outside<<<1, 1>>>(numbers, object);
    EXPECT(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

static void errors() {
    cudaChannelFormatDesc wrong = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t array;
    EXPECT(cudaMallocArray(&array, &wrong, 4), cudaErrorInvalidChannelDescriptor);
    EXPECT(cudaMallocArray(&array, &bytes, 0), cudaErrorInvalidValue);
    CHECK(cudaMallocArray(&array, &bytes, 4, 4));
    char text[32];
    EXPECT(cudaMemcpy2DToArray(array, 1, 0, text, 4, 4, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToArray(array, 0, 0, text, 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cudaTextureDesc how = settings(cudaAddressModeClamp, cudaFilterModeLinear, false);
    cudaResourceDesc what = of(array);
    cudaTextureObject_t object;
    EXPECT(cudaCreateTextureObject(&object, &what, &how, nullptr), cudaErrorInvalidValue);
    EXPECT(cudaDestroyTextureObject(12345), cudaErrorInvalidValue);
    CHECK(cudaFreeArray(array));
    EXPECT(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
    how.filterMode = cudaFilterModePoint;
    EXPECT(cudaCreateTextureObject(&object, &what, &how, nullptr), cudaErrorInvalidResourceHandle);
}

texture<float, 1> line_reference;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> plane_reference;
surface<void, 2> surface_reference;

__global__ void by_reference(float *out, int) {
    int i = threadIdx.x;
    out[i] = tex1Dfetch(line_reference, i) + tex2D(plane_reference, i + 0.5f, 0.5f);
    surf2Dwrite((unsigned char)(i + 1), surface_reference, i, 0);
}

static void references() {
    float *memory;
    CHECK(cudaMallocManaged(&memory, 4 * sizeof(float)));
    for (int i = 0; i < 4; i++)
        memory[i] = i;
    CHECK(cudaBindTexture(nullptr, line_reference, memory, 4 * sizeof(float)));
    unsigned char bytes[4] = {255, 0, 255, 0};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t read, written;
    CHECK(cudaMallocArray(&read, &format, 4, 1));
    CHECK(cudaMallocArray(&written, &format, 4, 1, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpyToArray(read, 0, 0, bytes, 4, cudaMemcpyHostToDevice));
    CHECK(cudaBindTextureToArray(plane_reference, read));
    CHECK(cudaBindSurfaceToArray(surface_reference, written));
    RUN(by_reference, 4, 0);
    EXPECT_NUMBERS(1, 1, 3, 3);
    CHECK(cudaMemcpyFromArray(bytes, written, 0, 0, 4, cudaMemcpyDeviceToHost));
    EXPECT(bytes[0], 1);
    EXPECT(bytes[3], 4);
    CHECK(cudaUnbindTexture(line_reference));
}

int main() {
    CHECK(cudaMallocManaged(&numbers, 64 * sizeof *numbers));
    modes();
    shapes();
    levels();
    formats();
    references();
    errors();
    surfaces();
    puts(failed ? "FAIL" : "PASS");
    return failed != 0;
}
