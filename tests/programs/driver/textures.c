// Arrays, textures and surfaces by CUDA's driver interface, with kernels in PTX.
#include "driver.h"

#define HEAD ".version 7.0\n.target sm_52\n.address_size 64\n"

// Thread x, y of 8 by 4: out[y * 8 + x] = the texel of the texture there plus the neighbour that a gather finds; the
// surface's element becomes twice the texel.
static const char kernels[] = HEAD
    ".visible .entry both(.param .u64 texture, .param .u64 surface, .param .u64 out) {\n"
    " .reg .b32 %r<9>; .reg .f32 %f<12>; .reg .b64 %d<6>;\n"
    " ld.param.u64 %d1, [texture]; ld.param.u64 %d2, [surface]; ld.param.u64 %d3, [out];\n"
    " mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;\n"
    " cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2; add.f32 %f1, %f1, 0f3F000000; add.f32 %f2, %f2, 0f3F000000;\n"
    " tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];\n"
    " add.f32 %f1, %f1, 0f3F000000; add.f32 %f2, %f2, 0f3F000000;\n"
    " tld4.r.2d.v4.f32.f32 {%f7, %f8, %f9, %f10}, [%d1, {%f1, %f2}];\n"
    " add.f32 %f8, %f8, %f3; txq.width.b32 %r3, [%d1];\n"
    " mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %d4, %r4, 4; add.u64 %d4, %d3, %d4; st.global.f32 [%d4], %f8;\n"
    " add.f32 %f3, %f3, %f3; mov.b32 %r5, %f3; shl.b32 %r1, %r1, 2;\n"
    " sust.b.2d.b32.trap [%d2, {%r1, %r2}], %r5;\n"
    " ret; }\n"
    ".visible .entry add(.param .u64 surface, .param .u64 out) {\n"
    " .reg .b32 %r<9>; .reg .b64 %d<4>; ld.param.u64 %d1, [surface]; ld.param.u64 %d2, [out];\n"
    " mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2;\n"
    " sured.b.add.1d.u32.zero [%d1, {%r1}], 7;\n"
    " suld.b.1d.b32.zero %r2, [%d1, {%r1}]; suq.width.b32 %r3, [%d1]; add.u32 %r2, %r2, %r3;\n"
    " mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d2, %d3; st.global.u32 [%d3], %r2; ret; }\n"
    ".visible .entry fraction(.param .u64 texture, .param .u64 out) {\n"
    " .reg .f32 %f<5>; .reg .b32 %r; .reg .b64 %d<3>; ld.param.u64 %d1, [texture]; ld.param.u64 %d2, [out];\n"
    " mov.u32 %r, 2; tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r}]; st.global.f32 [%d2], %f1; ret; }\n";

enum { X = 8, Y = 4, FLOAT = 0x20, UNSIGNED8 = 0x01, UNSIGNED32 = 0x03, LOAD_STORE = 2, GATHER = 8 };

typedef struct {
    size_t width, height;
    unsigned format, channels;
} Plane;
typedef struct {
    size_t width, height, depth;
    unsigned format, channels, flags;
} Volume;
typedef struct {
    int kind;
    union {
        Handle array;
        struct {
            Address address;
            unsigned format, channels;
            size_t width, height, pitch;
        } memory;
        int reserved[32];
    } of;
    unsigned flags;
} Resource;
typedef struct {
    int modes[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float bias, least, greatest, border[4];
    int reserved[12];
} Settings;
// Sides and size of CUDA_MEMCPY2D.
typedef struct {
    size_t x, y;
    int kind;
    void *host;
    Address device;
    Handle array;
    size_t pitch;
} Side;
typedef struct {
    Side from, to;
    size_t width, height;
} Copy;

int cuArrayCreate_v2(Handle *array, const Plane *described);
int cuArray3DCreate_v2(Handle *array, const Volume *described);
int cuArrayGetDescriptor_v2(Plane *described, Handle array);
int cuArray3DGetDescriptor_v2(Volume *described, Handle array);
int cuArrayDestroy(Handle array);
int cuMipmappedArrayCreate(Handle *array, const Volume *described, unsigned levels);
int cuMipmappedArrayGetLevel(Handle *level, Handle array, unsigned number);
int cuMipmappedArrayDestroy(Handle array);
int cuMemcpy2D_v2(const Copy *copy);
int cuMemcpyHtoA_v2(Handle to, size_t offset, const void *from, size_t bytes);
int cuMemcpyAtoH_v2(void *to, Handle from, size_t offset, size_t bytes);
int cuMemcpyAtoA_v2(Handle to, size_t to_offset, Handle from, size_t from_offset, size_t bytes);
int cuTexObjectCreate(Address *texture, const Resource *resource, const Settings *settings, const void *view);
int cuTexObjectGetResourceDesc(Resource *resource, Address texture);
int cuTexObjectGetTextureDesc(Settings *settings, Address texture);
int cuTexObjectDestroy(Address texture);
int cuSurfObjectCreate(Address *surface, const Resource *resource);
int cuSurfObjectGetResourceDesc(Resource *resource, Address surface);
int cuSurfObjectDestroy(Address surface);

static Handle module;

static void run(const char *name, unsigned x, unsigned y, void **arguments) {
    Handle kernel;
    OK(cuModuleGetFunction(&kernel, module, name));
    OK(cuLaunchKernel(kernel, 1, 1, 1, x, y, 1, 0, NULL, arguments, NULL));
    OK(cuCtxSynchronize());
}

static void planes(Address out) {
    Handle texels, elements;
    Address texture, surface;
    Volume described = {X, Y, 0, FLOAT, 1, GATHER}, told3;
    Plane told;
    float values[Y][X], got[Y][X];
    OK(cuArray3DCreate_v2(&texels, &described));
    OK(cuArray3DGetDescriptor_v2(&told3, texels));
    CHECK(told3.width == X && told3.height == Y && told3.depth == 0 && told3.flags == GATHER);
    described.flags = LOAD_STORE;
    OK(cuArray3DCreate_v2(&elements, &described));
    OK(cuArrayGetDescriptor_v2(&told, elements));
    CHECK(told.width == X && told.height == Y && told.format == FLOAT && told.channels == 1);
    for (int y = 0; y < Y; y++)
        for (int x = 0; x < X; x++)
            values[y][x] = (float)(10 * y + x);
    Copy copy = {.from = {.kind = 1, .host = values, .pitch = sizeof *values}, .to = {.kind = 3, .array = texels}};
    copy.width = sizeof *values;
    copy.height = Y;
    OK(cuMemcpy2D_v2(&copy));
    Resource resource = {.of.array = texels}, resource_told;
    Settings settings = {.modes = {1, 1, 1}}, settings_told;
    OK(cuTexObjectCreate(&texture, &resource, &settings, NULL));
    OK(cuTexObjectGetResourceDesc(&resource_told, texture));
    CHECK(resource_told.kind == 0 && resource_told.of.array == texels);
    OK(cuTexObjectGetTextureDesc(&settings_told, texture));
    CHECK(!memcmp(&settings_told, &settings, sizeof settings));
    resource.of.array = elements;
    OK(cuSurfObjectCreate(&surface, &resource));
    OK(cuSurfObjectGetResourceDesc(&resource_told, surface));
    CHECK(resource_told.of.array == elements);
    run("both", X, Y, (void *[]){&texture, &surface, &out});
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (int y = 0; y < Y; y++)
        for (int x = 0; x < X; x++) {
            int right = x + 1 < X ? x + 1 : x, below = y + 1 < Y ? y + 1 : y;
            CHECK(got[y][x] == values[y][x] + values[below][right]);
        }
    Copy back = {.from = {.kind = 3, .array = elements}, .to = {.kind = 1, .host = got, .pitch = sizeof *got}};
    back.width = sizeof *got;
    back.height = Y;
    OK(cuMemcpy2D_v2(&back));
    for (int y = 0; y < Y; y++)
        for (int x = 0; x < X; x++)
            CHECK(got[y][x] == 2 * values[y][x]);
    back.from.x = 4;
    EXPECT(1, cuMemcpy2D_v2(&back));
    // Rows may begin behind the pitch, but not be longer.
    float spaced[2 * Y * X] = {0};
    back.from.x = 0;
    back.to.host = spaced;
    back.to.x = sizeof *got * Y;
    OK(cuMemcpy2D_v2(&back));
    for (int at = 0; at < Y * X; at++)
        CHECK(spaced[Y * X + at] == got[at / X][at % X] && spaced[at] == 0);
    back.to.pitch = sizeof *got - 1;
    EXPECT(1, cuMemcpy2D_v2(&back));
    OK(cuSurfObjectDestroy(surface));
    OK(cuTexObjectDestroy(texture));
    EXPECT(1, cuTexObjectDestroy(texture));
    EXPECT(1, cuSurfObjectGetResourceDesc(&resource_told, surface));
    OK(cuArrayDestroy(texels));
    OK(cuArrayDestroy(elements));
    EXPECT(400, cuArrayDestroy(elements));
}

static void rows(Address out) {
    Handle one, other;
    Address surface;
    Plane described = {X, 0, UNSIGNED32, 1};
    unsigned values[X], got[X];
    for (unsigned x = 0; x < X; x++)
        values[x] = 100 * x;
    OK(cuArrayCreate_v2(&one, &described));
    OK(cuArrayCreate_v2(&other, &described));
    OK(cuMemcpyHtoA_v2(one, 0, values, sizeof values));
    OK(cuMemcpyAtoA_v2(other, 4, one, 0, sizeof values - 4));
    OK(cuMemcpyHtoA_v2(other, 0, values + 7, 4));
    OK(cuMemcpyAtoH_v2(got, other, 0, sizeof got));
    for (unsigned x = 0; x < X; x++)
        CHECK(got[x] == values[(x + 7) % X]);
    EXPECT(1, cuMemcpyAtoH_v2(got, other, 4, sizeof got));
    Resource resource = {.of.array = one};
    OK(cuSurfObjectCreate(&surface, &resource));
    run("add", X, 1, (void *[]){&surface, &out});
    OK(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (unsigned x = 0; x < X; x++)
        CHECK(got[x] == values[x] + 7 + X);
    OK(cuSurfObjectDestroy(surface));
    OK(cuArrayDestroy(one));
    OK(cuArrayDestroy(other));
}

static void memory(Address out) {
    Address bytes, texture;
    unsigned char values[] = {0, 50, 255, 1};
    float got;
    OK(cuMemAlloc_v2(&bytes, sizeof values));
    OK(cuMemcpyHtoD_v2(bytes, values, sizeof values));
    Resource resource = {.kind = 2, .of.memory = {bytes, UNSIGNED8, 1, sizeof values, 0, 0}}, told;
    // Without CU_TRSF_READ_AS_INTEGER bytes are fractions.
    Settings settings = {.modes = {1, 1, 1}};
    OK(cuTexObjectCreate(&texture, &resource, &settings, NULL));
    run("fraction", 1, 1, (void *[]){&texture, &out});
    OK(cuMemcpyDtoH_v2(&got, out, sizeof got));
    CHECK(got == 1.0f);
    OK(cuTexObjectGetResourceDesc(&told, texture));
    CHECK(told.kind == 2 && told.of.memory.address == bytes && told.of.memory.format == UNSIGNED8);
    OK(cuTexObjectDestroy(texture));
    resource.kind = 7;
    EXPECT(1, cuTexObjectCreate(&texture, &resource, &settings, NULL));
    EXPECT(1, cuSurfObjectCreate(NULL, &resource));
    resource.kind = 2;
    resource.of.memory.format = 0xb0;
    EXPECT(1, cuTexObjectCreate(&texture, &resource, &settings, NULL));
    OK(cuMemFree_v2(bytes));
}

static void levels(void) {
    Handle mipmapped, level;
    Volume described = {16, 16, 0, UNSIGNED8, 4, 0}, told;
    OK(cuMipmappedArrayCreate(&mipmapped, &described, 3));
    OK(cuMipmappedArrayGetLevel(&level, mipmapped, 2));
    OK(cuArray3DGetDescriptor_v2(&told, level));
    CHECK(told.width == 4 && told.height == 4 && told.format == UNSIGNED8 && told.channels == 4);
    EXPECT(1, cuMipmappedArrayGetLevel(&level, mipmapped, 3));
    EXPECT(400, cuArrayDestroy(mipmapped));
    OK(cuMipmappedArrayDestroy(mipmapped));
    described.channels = 3;
    EXPECT(1, cuMipmappedArrayCreate(&mipmapped, &described, 3));
}

int main(void) {
    Handle context;
    Address out;
    int device;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    EXPECT(201, cuArrayDestroy(NULL));
    OK(cuCtxCreate_v2(&context, 0, device));
    OK(cuModuleLoadData(&module, kernels));
    OK(cuMemAlloc_v2(&out, X * Y * 4));
    planes(out);
    rows(out);
    memory(out);
    levels();
    OK(cuCtxDestroy_v2(context));
    return verdict();
}
