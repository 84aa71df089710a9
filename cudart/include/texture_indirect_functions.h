// Fetches from textures and accesses of surfaces, in kernels. clang's header has the instructions.
// Programs ask by this name whether they have the header, so it is NVIDIA's.
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

// clang asks by this macro which CUDA it is.
#include "cuda.h"
#include "texture_types.h"
#include "vector_types.h"

#include <__clang_cuda_texture_intrinsics.h>

// Each function gives the texel, or writes it to a place. `parameters` are with their types, `arguments` without.
#define OMPTARGET_STRIP(...) __VA_ARGS__
#define OMPTARGET_FETCH(name, operation, parameters, arguments)                                                        \
    template <typename T> static __device__ void name(T *texel, cudaTextureObject_t object, OMPTARGET_STRIP parameters) { \
        __nv_tex_surf_handler(operation, texel, object, OMPTARGET_STRIP arguments);                                    \
    }                                                                                                                  \
    template <typename T> static __device__ T name(cudaTextureObject_t object, OMPTARGET_STRIP parameters) {           \
        T texel;                                                                                                       \
        name(&texel, object, OMPTARGET_STRIP arguments);                                                               \
        return texel;                                                                                                  \
    }
OMPTARGET_FETCH(tex1Dfetch, "__itex1Dfetch", (int x), (x))
OMPTARGET_FETCH(tex1D, "__itex1D", (float x), (x))
OMPTARGET_FETCH(tex1DLod, "__itex1DLod", (float x, float level), (x, level))
OMPTARGET_FETCH(tex1DGrad, "__itex1DGrad", (float x, float dx, float dy), (x, dx, dy))
OMPTARGET_FETCH(tex1DLayered, "__itex1DLayered", (float x, int layer), (x, layer))
OMPTARGET_FETCH(tex1DLayeredLod, "__itex1DLayeredLod", (float x, int layer, float level), (x, layer, level))
OMPTARGET_FETCH(tex1DLayeredGrad, "__itex1DLayeredGrad", (float x, int layer, float dx, float dy), (x, layer, dx, dy))
OMPTARGET_FETCH(tex2D, "__itex2D", (float x, float y), (x, y))
OMPTARGET_FETCH(tex2DLod, "__itex2DLod", (float x, float y, float level), (x, y, level))
OMPTARGET_FETCH(tex2DGrad, "__itex2DGrad_v2", (float x, float y, float2 dx, float2 dy), (x, y, &dx, &dy))
OMPTARGET_FETCH(tex2DLayered, "__itex2DLayered", (float x, float y, int layer), (x, y, layer))
OMPTARGET_FETCH(tex2DLayeredLod, "__itex2DLayeredLod", (float x, float y, int layer, float level), (x, y, layer, level))
OMPTARGET_FETCH(tex2DLayeredGrad, "__itex2DLayeredGrad_v2", (float x, float y, int layer, float2 dx, float2 dy),
                (x, y, layer, &dx, &dy))
OMPTARGET_FETCH(tex3D, "__itex3D", (float x, float y, float z), (x, y, z))
OMPTARGET_FETCH(tex3DLod, "__itex3DLod", (float x, float y, float z, float level), (x, y, z, level))
OMPTARGET_FETCH(tex3DGrad, "__itex3DGrad_v2", (float x, float y, float z, float4 dx, float4 dy), (x, y, z, &dx, &dy))
OMPTARGET_FETCH(texCubemap, "__itexCubemap", (float x, float y, float z), (x, y, z))
OMPTARGET_FETCH(texCubemapLod, "__itexCubemapLod", (float x, float y, float z, float level), (x, y, z, level))
OMPTARGET_FETCH(texCubemapGrad, "__itexCubemapGrad_v2", (float x, float y, float z, float4 dx, float4 dy),
                (x, y, z, &dx, &dy))
OMPTARGET_FETCH(texCubemapLayered, "__itexCubemapLayered", (float x, float y, float z, int layer), (x, y, z, layer))
OMPTARGET_FETCH(texCubemapLayeredLod, "__itexCubemapLayeredLod", (float x, float y, float z, int layer, float level),
                (x, y, z, layer, level))
OMPTARGET_FETCH(texCubemapLayeredGrad, "__itexCubemapLayeredGrad_v2",
                (float x, float y, float z, int layer, float4 dx, float4 dy), (x, y, z, layer, &dx, &dy))
#undef OMPTARGET_FETCH

template <typename T>
static __device__ void tex2Dgather(T *texels, cudaTextureObject_t object, float x, float y, int channel = 0) {
    __nv_tex_surf_handler("__itex2Dgather", texels, object, x, y, channel);
}
template <typename T>
static __device__ T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0) {
    T texels;
    tex2Dgather(&texels, object, x, y, channel);
    return texels;
}

#define OMPTARGET_SURFACE(name, parameters, arguments)                                                                 \
    template <typename T>                                                                                              \
    static __device__ void name##read(T *element, cudaSurfaceObject_t object, OMPTARGET_STRIP parameters,              \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                           \
        __nv_tex_surf_handler("__i" #name "read", element, object, OMPTARGET_STRIP arguments, mode);                   \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    static __device__ T name##read(cudaSurfaceObject_t object, OMPTARGET_STRIP parameters,                             \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                              \
        T element;                                                                                                     \
        name##read(&element, object, OMPTARGET_STRIP arguments, mode);                                                 \
        return element;                                                                                                \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    static __device__ void name##write(T element, cudaSurfaceObject_t object, OMPTARGET_STRIP parameters,              \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                          \
        __nv_tex_surf_handler("__i" #name "write_v2", &element, object, OMPTARGET_STRIP arguments, mode);              \
    }
OMPTARGET_SURFACE(surf1D, (int x), (x))
OMPTARGET_SURFACE(surf2D, (int x, int y), (x, y))
OMPTARGET_SURFACE(surf3D, (int x, int y, int z), (x, y, z))
OMPTARGET_SURFACE(surf1DLayered, (int x, int layer), (x, layer))
OMPTARGET_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer))
OMPTARGET_SURFACE(surfCubemap, (int x, int y, int face), (x, y, face))
OMPTARGET_SURFACE(surfCubemapLayered, (int x, int y, int layer_face), (x, y, layer_face))
#undef OMPTARGET_SURFACE
#undef OMPTARGET_STRIP

#endif
