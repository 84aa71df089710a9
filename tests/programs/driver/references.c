// Texture references, texels of halves, launches in CUDA's first form, by CUDA's driver interface.
#include "driver.h"

#define HEAD ".version 7.0\n.target sm_52\n.address_size 64\n"

// Thread x: out[x] = the texel x of the reference plus the number; the surface's element becomes x. Whether handles are
// those of variables.
static const char kernels[] = HEAD
    ".global .texref picture;\n"
    ".global .surfref canvas;\n"
    ".visible .entry read(.param .u64 out, .param .f32 number) {\n"
    " .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %d<4>;\n"
    " ld.param.u64 %d1, [out]; ld.param.f32 %f6, [number]; mov.u32 %r1, %tid.x;\n"
    " tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [picture, {%r1}]; add.f32 %f1, %f1, %f6;\n"
    " mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d1, %d2; st.global.f32 [%d2], %f1;\n"
    " shl.b32 %r2, %r1, 2; sust.b.1d.b32.trap [canvas, {%r2}], %r1; ret; }\n"
    ".visible .entry kinds(.param .u64 out) {\n"
    " .reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %d<4>; ld.param.u64 %d1, [out];\n"
    " mov.u64 %d2, picture; istypep.texref %p1, %d2; istypep.surfref %p2, %d2; istypep.texref %p3, %d1;\n"
    " selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 2, 0, %p2; selp.u32 %r3, 4, 0, %p3;\n"
    " or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3; st.global.u32 [%d1], %r1; ret; }\n"
    ".visible .entry halves(.param .u64 out) {\n"
    " .reg .b16 %h<5>; .reg .b32 %r<4>; .reg .b64 %d<2>; ld.param.u64 %d1, [out]; mov.u32 %r1, 2;\n"
    " tex.1d.v4.f16.s32 {%h1, %h2, %h3, %h4}, [picture, {%r1}]; tex.1d.v2.f16x2.s32 {%r2, %r3}, [picture, {%r1}];\n"
    " st.global.u16 [%d1], %h1; st.global.u32 [%d1+4], %r2; ret; }\n";

// The largest numbers of 64 bits.
static const char wide[] = ".version 8.1\n.target sm_52\n.address_size 64\n"
    ".visible .entry most(.param .u64 surface) {\n"
    " .reg .b32 %r<3>; .reg .b64 %d<3>; ld.param.u64 %d1, [surface]; mov.u32 %r1, %tid.x; cvt.u64.u32 %d2, %r1;\n"
    " mul.lo.u64 %d2, %d2, 0x100000000; shr.u32 %r1, %r1, 3; shl.b32 %r1, %r1, 3;\n"
    " sured.b.max.1d.u64.trap [%d1, {%r1}], %d2; ret; }\n";

enum { COUNT = 8, FLOAT = 0x20, UNSIGNED32 = 3, LOAD_STORE = 2 };

typedef struct {
    size_t width, height, depth;
    unsigned format, channels, flags;
} Volume;

typedef struct {
    int kind;
    union {
        Handle array;
        int reserved[32];
    };
    unsigned flags;
} Resource;

int cuMemcpyHtoA_v2(Handle array, size_t offset, const void *from, size_t bytes);
int cuSurfObjectCreate(unsigned long long *surface, const Resource *resource);
int cuArray3DCreate_v2(Handle *array, const Volume *described);
int cuArrayDestroy(Handle array);
int cuMemcpyAtoH_v2(void *to, Handle array, size_t offset, size_t bytes);
int cuModuleGetTexRef(Handle *reference, Handle module, const char *name);
int cuModuleGetSurfRef(Handle *reference, Handle module, const char *name);
int cuSurfRefSetArray(Handle reference, Handle array, unsigned flags);
int cuSurfRefGetArray(Handle *array, Handle reference);
int cuTexRefSetAddress_v2(size_t *distance, Handle reference, Address address, size_t bytes);
int cuTexRefGetAddress_v2(Address *address, Handle reference);
int cuTexRefSetFormat(Handle reference, int format, int channels);
int cuTexRefGetFormat(int *format, int *channels, Handle reference);
int cuTexRefSetFlags(Handle reference, unsigned flags);
int cuTexRefSetAddressMode(Handle reference, int axis, int mode);
int cuTexRefGetAddressMode(int *mode, Handle reference, int axis);
int cuFuncSetBlockShape(Handle function, int x, int y, int z);
int cuParamSetSize(Handle function, unsigned bytes);
int cuParamSetf(Handle function, int offset, float value);
int cuParamSetv(Handle function, int offset, void *value, unsigned bytes);
int cuParamSetTexRef(Handle function, int unit, Handle reference);
int cuLaunchGrid(Handle function, int width, int height);
int cuLaunch(Handle function);

int main(void) {
    Handle context, module, function, picture, canvas, array, found;
    Address memory, out, address;
    float numbers[COUNT], read[COUNT];
    unsigned drawn[COUNT], word = 0;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, kernels));
    for (int i = 0; i < COUNT; i++)
        numbers[i] = 0.5f * i;
    OK(cuMemAlloc_v2(&memory, sizeof numbers));
    OK(cuMemAlloc_v2(&out, sizeof read));
    OK(cuMemcpyHtoD_v2(memory, numbers, sizeof numbers));

    OK(cuModuleGetTexRef(&picture, module, "picture"));
    CHECK(cuModuleGetTexRef(&found, module, "no_picture") != 0);
    OK(cuModuleGetTexRef(&found, module, "picture"));
    CHECK(found == picture);
    CHECK(cuTexRefGetAddress_v2(&address, picture) != 0);
    OK(cuTexRefSetFormat(picture, FLOAT, 1));
    size_t distance = 1;
    OK(cuTexRefSetAddress_v2(&distance, picture, memory, sizeof numbers));
    OK(cuTexRefGetAddress_v2(&address, picture));
    CHECK(distance == 0 && address == memory);
    int format = 0, channels = 0, mode = 0;
    OK(cuTexRefGetFormat(&format, &channels, picture));
    CHECK(format == FLOAT && channels == 1);
    OK(cuTexRefSetAddressMode(picture, 0, 3));
    OK(cuTexRefGetAddressMode(&mode, picture, 0));
    CHECK(mode == 3 && cuTexRefSetAddressMode(picture, 7, 1) != 0);

    Volume described = {COUNT, 0, 0, UNSIGNED32, 1, LOAD_STORE};
    OK(cuArray3DCreate_v2(&array, &described));
    OK(cuModuleGetSurfRef(&canvas, module, "canvas"));
    OK(cuSurfRefSetArray(canvas, array, 0));
    OK(cuSurfRefGetArray(&found, canvas));
    CHECK(found == array);

    // The launch of CUDA's first versions.
    OK(cuModuleGetFunction(&function, module, "read"));
    OK(cuFuncSetBlockShape(function, COUNT, 1, 1));
    OK(cuParamSetv(function, 0, &out, sizeof out));
    OK(cuParamSetf(function, 8, 10.0f));
    CHECK(cuParamSetf(function, -4, 10.0f) != 0);
    OK(cuParamSetSize(function, 12));
    OK(cuParamSetTexRef(function, -1, picture));
    OK(cuLaunchGrid(function, 1, 1));
    OK(cuMemcpyDtoH_v2(read, out, sizeof read));
    OK(cuMemcpyAtoH_v2(drawn, array, 0, sizeof drawn));
    for (unsigned i = 0; i < COUNT; i++)
        CHECK(read[i] == 0.5f * i + 10.0f && drawn[i] == i);

    OK(cuModuleGetFunction(&function, module, "kinds"));
    OK(cuFuncSetBlockShape(function, 1, 1, 1));
    OK(cuParamSetv(function, 0, &out, sizeof out));
    OK(cuParamSetSize(function, 8));
    OK(cuLaunch(function));
    OK(cuMemcpyDtoH_v2(&word, out, sizeof word));
    CHECK(word == 1);

    // Two channels: 2.0 and 2.5 as halves.
    OK(cuTexRefSetFormat(picture, FLOAT, 2));
    unsigned halves[2];
    void *arguments[] = {&out};
    OK(cuModuleGetFunction(&function, module, "halves"));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH_v2(halves, out, sizeof halves));
    CHECK((halves[0] & 0xffff) == 0x4000 && halves[1] == 0x41004000);
    OK(cuArrayDestroy(array));

    // 16 threads, of which the last of each eight has the largest number.
    Resource resource = {0};
    Handle canvases;
    unsigned long long surface, largest[2], zeros[2] = {0, 0};
    Volume pairs = {2, 0, 0, UNSIGNED32, 2, LOAD_STORE};
    OK(cuArray3DCreate_v2(&canvases, &pairs));
    OK(cuMemcpyHtoA_v2(canvases, 0, zeros, sizeof zeros));
    resource.array = canvases;
    OK(cuSurfObjectCreate(&surface, &resource));
    OK(cuModuleLoadData(&module, wide));
    OK(cuModuleGetFunction(&function, module, "most"));
    void *places[] = {&surface};
    OK(cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, NULL, places, NULL));
    OK(cuMemcpyAtoH_v2(largest, canvases, 0, sizeof largest));
    CHECK(largest[0] == 7ull << 32 && largest[1] == 15ull << 32);
    return verdict();
}
