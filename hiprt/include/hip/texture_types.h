// Arrays, textures and surfaces of HIP: layouts and values are those of ROCm 6.
#ifndef OMPTARGET_HIP_TEXTURE_TYPES_H
#define OMPTARGET_HIP_TEXTURE_TYPES_H

#include "driver_types.h"

typedef enum hipChannelFormatKind {
    hipChannelFormatKindSigned = 0,
    hipChannelFormatKindUnsigned = 1,
    hipChannelFormatKindFloat = 2,
    hipChannelFormatKindNone = 3
} hipChannelFormatKind;

typedef struct hipChannelFormatDesc {
    int x, y, z, w;
    enum hipChannelFormatKind f;
} hipChannelFormatDesc;

#define hipArrayDefault 0x00
#define hipArrayLayered 0x01
#define hipArraySurfaceLoadStore 0x02
#define hipArrayCubemap 0x04
#define hipArrayTextureGather 0x08

typedef struct hipMipmappedArray *hipMipmappedArray_t;
typedef const struct hipMipmappedArray *hipMipmappedArray_const_t;
typedef const struct hipArray *hipArray_const_t;
typedef struct __hip_texture *hipTextureObject_t;
typedef struct __hip_surface *hipSurfaceObject_t;

typedef enum hipResourceType {
    hipResourceTypeArray = 0,
    hipResourceTypeMipmappedArray = 1,
    hipResourceTypeLinear = 2,
    hipResourceTypePitch2D = 3
} hipResourceType;

typedef struct hipResourceDesc {
    enum hipResourceType resType;
    union {
        struct {
            hipArray_t array;
        } array;
        struct {
            hipMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            hipChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            hipChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
} hipResourceDesc;

typedef enum hipTextureAddressMode {
    hipAddressModeWrap = 0,
    hipAddressModeClamp = 1,
    hipAddressModeMirror = 2,
    hipAddressModeBorder = 3
} hipTextureAddressMode;

typedef enum hipTextureFilterMode { hipFilterModePoint = 0, hipFilterModeLinear = 1 } hipTextureFilterMode;
typedef enum hipTextureReadMode {
    hipReadModeElementType = 0,
    hipReadModeNormalizedFloat = 1
} hipTextureReadMode;

typedef struct hipTextureDesc {
    enum hipTextureAddressMode addressMode[3];
    enum hipTextureFilterMode filterMode;
    enum hipTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum hipTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
} hipTextureDesc;

// Views are not supported: programs pass none.
struct hipResourceViewDesc;

#ifdef __cplusplus
template <typename T> struct omptarget_channels;
// Scalars, and vectors of one, two and four: bits of the channels, and their kind.
#define OMPTARGET_CHANNELS(type, bits, kind)                                                                           \
    template <> struct omptarget_channels<type> {                                                                      \
        static __host__ __device__ hipChannelFormatDesc desc() { return {bits, 0, 0, 0, hipChannelFormatKind##kind}; } \
    };
#define OMPTARGET_VECTOR_CHANNELS(name, bits, kind)                                                                    \
    template <> struct omptarget_channels<name##1> {                                                                   \
        static __host__ __device__ hipChannelFormatDesc desc() { return {bits, 0, 0, 0, hipChannelFormatKind##kind}; } \
    };                                                                                                                 \
    template <> struct omptarget_channels<name##2> {                                                                   \
        static __host__ __device__ hipChannelFormatDesc desc() { return {bits, bits, 0, 0, hipChannelFormatKind##kind}; } \
    };                                                                                                                 \
    template <> struct omptarget_channels<name##4> {                                                                   \
        static __host__ __device__ hipChannelFormatDesc desc() { return {bits, bits, bits, bits, hipChannelFormatKind##kind}; } \
    };
OMPTARGET_CHANNELS(char, 8, Signed)
OMPTARGET_CHANNELS(signed char, 8, Signed)
OMPTARGET_CHANNELS(unsigned char, 8, Unsigned)
OMPTARGET_CHANNELS(short, 16, Signed)
OMPTARGET_CHANNELS(unsigned short, 16, Unsigned)
OMPTARGET_CHANNELS(int, 32, Signed)
OMPTARGET_CHANNELS(unsigned int, 32, Unsigned)
OMPTARGET_CHANNELS(float, 32, Float)
OMPTARGET_VECTOR_CHANNELS(char, 8, Signed)
OMPTARGET_VECTOR_CHANNELS(uchar, 8, Unsigned)
OMPTARGET_VECTOR_CHANNELS(short, 16, Signed)
OMPTARGET_VECTOR_CHANNELS(ushort, 16, Unsigned)
OMPTARGET_VECTOR_CHANNELS(int, 32, Signed)
OMPTARGET_VECTOR_CHANNELS(uint, 32, Unsigned)
OMPTARGET_VECTOR_CHANNELS(float, 32, Float)
#undef OMPTARGET_CHANNELS
#undef OMPTARGET_VECTOR_CHANNELS

template <typename T> static inline hipChannelFormatDesc hipCreateChannelDesc() { return omptarget_channels<T>::desc(); }
#endif
static inline hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
    hipChannelFormatDesc desc = {x, y, z, w, kind};
    return desc;
}

#endif
