// Textures and surfaces of arrays and of plain memory.
#include <hip/hip_runtime.h>

#include <math.h>
#include <stdio.h>

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            printf("line %d: %s\n", __LINE__, #condition);                                                            \
            return 1;                                                                                                 \
        }                                                                                                             \
    } while (0)
#define OK(call) CHECK((call) == hipSuccess)

enum { WIDTH = 24, HEIGHT = 10 };

__global__ void sample(hipTextureObject_t plane, hipTextureObject_t fractions, hipTextureObject_t row, float *results) {
    int x = threadIdx.x, y = blockIdx.x, at = y * WIDTH + x;
    results[3 * at] = tex2D<float>(plane, x + 1.0f, y + 0.5f);
    uchar4 texel = tex1Dfetch<uchar4>(row, at);
    results[3 * at + 1] = texel.x + 10 * texel.w;
    results[3 * at + 2] = tex2DLod<float2>(fractions, (x + 0.5f) / WIDTH, (y + 0.5f) / HEIGHT, 0).y;
}

__global__ void mirror(hipSurfaceObject_t plane) {
    int x = threadIdx.x, y = blockIdx.x;
    float here = surf2Dread<float>(plane, x * 4, y), outside = surf2Dread<float>(plane, -4, y);
    float there;
    surf2Dread(&there, plane, (WIDTH - 1 - x) * 4, y);
    __syncthreads();
    surf2Dwrite(there + outside, plane, x * 4, y);
    surf2Dwrite(here, plane, WIDTH * 4, y);
}

static hipResourceDesc of_array(hipArray_t array) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

int main() {
    static float numbers[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
    static ushort2 pairs[HEIGHT][WIDTH];
    static uchar4 bytes[HEIGHT * WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            numbers[y][x] = x * x + 100 * y;
            pairs[y][x] = make_ushort2(0, 655 * x + 13 * y);
            bytes[y * WIDTH + x] = make_uchar4(x, 0, 0, y);
        }
    hipChannelFormatDesc floats = hipCreateChannelDesc<float>();
    CHECK(floats.x == 32 && floats.y == 0 && floats.f == hipChannelFormatKindFloat);
    hipArray_t plane, coloured;
    OK(hipMallocArray(&plane, &floats, WIDTH, HEIGHT, hipArraySurfaceLoadStore));
    hipChannelFormatDesc of_pairs = hipCreateChannelDesc<ushort2>();
    OK(hipMallocArray(&coloured, &of_pairs, WIDTH, HEIGHT));
    OK(hipMemcpy2DToArray(plane, 0, 0, numbers, sizeof numbers[0], sizeof numbers[0], HEIGHT, hipMemcpyHostToDevice));
    OK(hipMemcpy2DToArray(coloured, 0, 0, pairs, sizeof pairs[0], sizeof pairs[0], HEIGHT, hipMemcpyHostToDevice));

    hipTextureDesc settings = {};
    settings.addressMode[0] = settings.addressMode[1] = hipAddressModeClamp;
    settings.filterMode = hipFilterModeLinear;
    hipTextureObject_t linear, fractions, row;
    hipResourceDesc resource = of_array(plane);
    OK(hipCreateTextureObject(&linear, &resource, &settings, nullptr));
    settings.normalizedCoords = 1;
    settings.filterMode = hipFilterModePoint;
    settings.readMode = hipReadModeNormalizedFloat;
    resource = of_array(coloured);
    OK(hipCreateTextureObject(&fractions, &resource, &settings, nullptr));
    uchar4 *memory;
    OK(hipMalloc(&memory, sizeof bytes));
    OK(hipMemcpy(memory, bytes, sizeof bytes, hipMemcpyHostToDevice));
    resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = hipCreateChannelDesc<uchar4>();
    resource.res.linear.sizeInBytes = sizeof bytes;
    settings = {};
    OK(hipCreateTextureObject(&row, &resource, &settings, nullptr));

    float *results;
    OK(hipMallocManaged(&results, 3 * WIDTH * HEIGHT * sizeof(float)));
    sample<<<HEIGHT, WIDTH>>>(linear, fractions, row, results);
    OK(hipDeviceSynchronize());
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const float *got = results + 3 * (y * WIDTH + x);
            float right = numbers[y][x + 1 < WIDTH ? x + 1 : x];
            CHECK(fabsf(got[0] - (numbers[y][x] + right) / 2) < 0.1f);
            CHECK(got[1] == x + 10 * y);
            CHECK(fabsf(got[2] - pairs[y][x].y / 65535.0f) < 1e-6f);
        }

    hipSurfaceObject_t surface;
    resource = of_array(plane);
    OK(hipCreateSurfaceObject(&surface, &resource));
    mirror<<<HEIGHT, WIDTH>>>(surface);
    OK(hipMemcpy2DFromArray(back, sizeof back[0], plane, 0, 0, sizeof back[0], HEIGHT, hipMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            CHECK(back[y][x] == numbers[y][WIDTH - 1 - x]);
    OK(hipDestroySurfaceObject(surface));
    for (hipTextureObject_t object : {linear, fractions, row})
        OK(hipDestroyTextureObject(object));
    CHECK(hipDestroyTextureObject(row) != hipSuccess);
    OK(hipFreeArray(plane));
    OK(hipFreeArray(coloured));
    puts("PASS");
}
