// Fetches from textures and accesses of surfaces, in kernels: calls of the functions that `omptarget-codegen` links on
// the virtual GPU (devicertl/textures).
#ifndef OMPTARGET_HIP_TEXTURE_FUNCTIONS_H
#define OMPTARGET_HIP_TEXTURE_FUNCTIONS_H

#include "texture_types.h"

extern "C" {
__device__ void __omptarget_texture_sample(unsigned *result, hipTextureObject_t object, unsigned shape, unsigned layer,
                                           float x, float y, float z, float level);
__device__ void __omptarget_texture_fetch(unsigned *result, hipTextureObject_t object, unsigned shape, unsigned layer,
                                          int x, int y, int z, unsigned level);
__device__ void __omptarget_texture_gather(unsigned *result, hipTextureObject_t object, unsigned shape, unsigned layer,
                                           float x, float y, unsigned channel);
__device__ float __omptarget_texture_detail(hipTextureObject_t object, unsigned shape, float x_dx, float y_dx,
                                            float z_dx, float x_dy, float y_dy, float z_dy);
__device__ unsigned long __omptarget_surface_element(hipSurfaceObject_t object, unsigned shape, unsigned layer, int x,
                                                     int y, int z, unsigned bytes, unsigned outside);
}

// The numbers of shapes.
enum { omptarget_1d = 1, omptarget_2d = 2, omptarget_3d = 3, omptarget_cube = 4 };

// The functions do not check the address: what is no object is a fault here, with the program's line.
template <typename O> static inline __device__ O omptarget_checked(O object) {
    (void)*(const volatile char *)object;
    return object;
}

// A channel of a type from its bits.
template <typename E> static inline __device__ E omptarget_channel(unsigned bits) { return (E)bits; }
template <> inline __device__ float omptarget_channel<float>(unsigned bits) { return __builtin_bit_cast(float, bits); }

// A texel from the bits of its channels.
template <typename T> __device__ T omptarget_texel(const unsigned *bits);
#define OMPTARGET_TEXEL(type)                                                                                         \
    template <> inline __device__ type omptarget_texel<type>(const unsigned *bits) {                                  \
        return omptarget_channel<type>(bits[0]);                                                                      \
    }
#define OMPTARGET_TEXELS(name, type)                                                                                  \
    template <> inline __device__ name##1 omptarget_texel<name##1>(const unsigned *bits) {                            \
        return {omptarget_channel<type>(bits[0])};                                                                    \
    }                                                                                                                 \
    template <> inline __device__ name##2 omptarget_texel<name##2>(const unsigned *bits) {                            \
        return {omptarget_channel<type>(bits[0]), omptarget_channel<type>(bits[1])};                                  \
    }                                                                                                                 \
    template <> inline __device__ name##4 omptarget_texel<name##4>(const unsigned *bits) {                            \
        return {omptarget_channel<type>(bits[0]), omptarget_channel<type>(bits[1]), omptarget_channel<type>(bits[2]), \
                omptarget_channel<type>(bits[3])};                                                                    \
    }
OMPTARGET_TEXEL(char)
OMPTARGET_TEXEL(signed char)
OMPTARGET_TEXEL(unsigned char)
OMPTARGET_TEXEL(short)
OMPTARGET_TEXEL(unsigned short)
OMPTARGET_TEXEL(int)
OMPTARGET_TEXEL(unsigned int)
OMPTARGET_TEXEL(float)
OMPTARGET_TEXELS(char, signed char)
OMPTARGET_TEXELS(uchar, unsigned char)
OMPTARGET_TEXELS(short, short)
OMPTARGET_TEXELS(ushort, unsigned short)
OMPTARGET_TEXELS(int, int)
OMPTARGET_TEXELS(uint, unsigned int)
OMPTARGET_TEXELS(float, float)
#undef OMPTARGET_TEXEL
#undef OMPTARGET_TEXELS

template <typename T>
static inline __device__ T omptarget_sample(hipTextureObject_t object, unsigned shape, unsigned layer, float x, float y,
                                            float z, float level) {
    unsigned bits[4];
    __omptarget_texture_sample(bits, omptarget_checked(object), shape, layer, x, y, z, level);
    return omptarget_texel<T>(bits);
}

static inline __device__ float omptarget_detail(hipTextureObject_t object, unsigned shape, float4 dx, float4 dy) {
    return __omptarget_texture_detail(omptarget_checked(object), shape, dx.x, dx.y, dx.z, dy.x, dy.y, dy.z);
}

// Each function gives the texel, or writes it to a place. `parameters` are with their types, `arguments` without.
#define OMPTARGET_STRIP(...) __VA_ARGS__
#define OMPTARGET_FETCH(name, parameters, arguments, result)                                                          \
    template <typename T> static inline __device__ T name(hipTextureObject_t object, OMPTARGET_STRIP parameters) {    \
        return result;                                                                                                \
    }                                                                                                                 \
    template <typename T>                                                                                             \
    static inline __device__ void name(T *texel, hipTextureObject_t object, OMPTARGET_STRIP parameters) {             \
        *texel = name<T>(object, OMPTARGET_STRIP arguments);                                                          \
    }
// A shape, with a level, with gradients, and all that with layers.
#define OMPTARGET_FETCHES(name, shape, parameters, arguments, place, gradient, to_gradient)                           \
    OMPTARGET_FETCH(name, parameters, arguments,                                                                      \
                    (omptarget_sample<T>(object, shape, 0, OMPTARGET_STRIP place, 0)))                                \
    OMPTARGET_FETCH(name##Lod, (OMPTARGET_STRIP parameters, float level), (OMPTARGET_STRIP arguments, level),         \
                    (omptarget_sample<T>(object, shape, 0, OMPTARGET_STRIP place, level)))                            \
    OMPTARGET_FETCH(name##Grad, (OMPTARGET_STRIP parameters, gradient dx, gradient dy),                               \
                    (OMPTARGET_STRIP arguments, dx, dy),                                                              \
                    (name##Lod<T>(object, OMPTARGET_STRIP arguments,                                                  \
                                  omptarget_detail(object, shape, to_gradient(dx), to_gradient(dy)))))
#define OMPTARGET_LAYERED(name, shape, parameters, arguments, place, gradient, to_gradient)                           \
    OMPTARGET_FETCH(name##Layered, (OMPTARGET_STRIP parameters, int layer), (OMPTARGET_STRIP arguments, layer),       \
                    (omptarget_sample<T>(object, shape, layer, OMPTARGET_STRIP place, 0)))                            \
    OMPTARGET_FETCH(name##LayeredLod, (OMPTARGET_STRIP parameters, int layer, float level),                           \
                    (OMPTARGET_STRIP arguments, layer, level),                                                        \
                    (omptarget_sample<T>(object, shape, layer, OMPTARGET_STRIP place, level)))                        \
    OMPTARGET_FETCH(name##LayeredGrad, (OMPTARGET_STRIP parameters, int layer, gradient dx, gradient dy),             \
                    (OMPTARGET_STRIP arguments, layer, dx, dy),                                                       \
                    (name##LayeredLod<T>(object, OMPTARGET_STRIP arguments, layer,                                    \
                                         omptarget_detail(object, shape, to_gradient(dx), to_gradient(dy)))))

static inline __device__ float4 omptarget_gradient(float d) { return {d, 0, 0, 0}; }
static inline __device__ float4 omptarget_gradient(float2 d) { return {d.x, d.y, 0, 0}; }
static inline __device__ float4 omptarget_gradient(float4 d) { return d; }

OMPTARGET_FETCHES(tex1D, omptarget_1d, (float x), (x), (x, 0, 0), float, omptarget_gradient)
OMPTARGET_LAYERED(tex1D, omptarget_1d, (float x), (x), (x, 0, 0), float, omptarget_gradient)
OMPTARGET_FETCHES(tex2D, omptarget_2d, (float x, float y), (x, y), (x, y, 0), float2, omptarget_gradient)
OMPTARGET_LAYERED(tex2D, omptarget_2d, (float x, float y), (x, y), (x, y, 0), float2, omptarget_gradient)
OMPTARGET_FETCHES(tex3D, omptarget_3d, (float x, float y, float z), (x, y, z), (x, y, z), float4, omptarget_gradient)
OMPTARGET_FETCHES(texCubemap, omptarget_cube, (float x, float y, float z), (x, y, z), (x, y, z), float4,
                  omptarget_gradient)
OMPTARGET_LAYERED(texCubemap, omptarget_cube, (float x, float y, float z), (x, y, z), (x, y, z), float4,
                  omptarget_gradient)
#undef OMPTARGET_FETCHES
#undef OMPTARGET_LAYERED

template <typename T> static inline __device__ T omptarget_fetch(hipTextureObject_t object, int x) {
    unsigned bits[4];
    __omptarget_texture_fetch(bits, omptarget_checked(object), omptarget_1d, 0, x, 0, 0, 0);
    return omptarget_texel<T>(bits);
}
OMPTARGET_FETCH(tex1Dfetch, (int x), (x), (omptarget_fetch<T>(object, x)))

template <typename T>
static inline __device__ T omptarget_gather(hipTextureObject_t object, float x, float y, int channel) {
    unsigned bits[4];
    __omptarget_texture_gather(bits, omptarget_checked(object), omptarget_2d, 0, x, y, channel);
    return omptarget_texel<T>(bits);
}
template <typename T>
static inline __device__ T tex2Dgather(hipTextureObject_t object, float x, float y, int channel = 0) {
    return omptarget_gather<T>(object, x, y, channel);
}
#undef OMPTARGET_FETCH
#undef OMPTARGET_STRIP

// Elements of surfaces; x counts bytes. Outside, reads give zero and writes do nothing.
template <typename T>
static inline __device__ T *omptarget_element(hipSurfaceObject_t object, unsigned shape, int layer, int x, int y,
                                              int z) {
    return (T *)__omptarget_surface_element(omptarget_checked(object), shape, layer, x, y, z, sizeof(T), 0);
}
template <typename T> static inline __device__ void omptarget_read(T *to, const T *element) {
    *to = element ? *element : T{};
}
template <typename T> static inline __device__ void omptarget_write(T value, T *element) {
    if (element)
        *element = value;
}
#define OMPTARGET_SURFACE(name, parameters, shape, layer, x, y, z)                                                    \
    template <typename T> static inline __device__ void name##read(T *to, hipSurfaceObject_t object, parameters) {    \
        omptarget_read(to, omptarget_element<T>(object, shape, layer, x, y, z));                                      \
    }                                                                                                                 \
    template <typename T> static inline __device__ T name##read(hipSurfaceObject_t object, parameters) {              \
        T element;                                                                                                    \
        omptarget_read(&element, omptarget_element<T>(object, shape, layer, x, y, z));                                \
        return element;                                                                                               \
    }                                                                                                                 \
    template <typename T> static inline __device__ void name##write(T value, hipSurfaceObject_t object, parameters) { \
        omptarget_write(value, omptarget_element<T>(object, shape, layer, x, y, z));                                  \
    }
#define OMPTARGET_COMMA ,
OMPTARGET_SURFACE(surf1D, int x, omptarget_1d, 0, x, 0, 0)
OMPTARGET_SURFACE(surf1DLayered, int x OMPTARGET_COMMA int layer, omptarget_1d, layer, x, 0, 0)
OMPTARGET_SURFACE(surf2D, int x OMPTARGET_COMMA int y, omptarget_2d, 0, x, y, 0)
OMPTARGET_SURFACE(surf2DLayered, int x OMPTARGET_COMMA int y OMPTARGET_COMMA int layer, omptarget_2d, layer, x, y, 0)
OMPTARGET_SURFACE(surf3D, int x OMPTARGET_COMMA int y OMPTARGET_COMMA int z, omptarget_3d, 0, x, y, z)
#undef OMPTARGET_SURFACE
#undef OMPTARGET_COMMA

#endif
