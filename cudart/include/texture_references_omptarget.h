// Texture and surface references, which CUDA had up to version 11, on top of texture and surface objects. Programs get
// them with -DOMPTARGET_TEXTURE_REFERENCES; without it, `texture` and `surface` are names like others.
//
// clang gives a reference a variable of 64 bits on the device. Binding writes the object's number there.
#ifndef OMPTARGET_TEXTURE_REFERENCES_H
#define OMPTARGET_TEXTURE_REFERENCES_H

#include "channel_descriptor.h"

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC

// clang's entry for a kernel or variable of the host's. LLVM 22's code for registration passes over references, so that
// each of them looks for its own entry.
struct omptarget_entry {
    unsigned long long reserved;
    unsigned short version, language;
    unsigned int flags;
    void *address;
    const char *name;
    unsigned long long size, data;
    void *auxiliary;
};
extern "C" {
extern const omptarget_entry __start_llvm_offload_entries[] __attribute__((weak, visibility("hidden")));
extern const omptarget_entry __stop_llvm_offload_entries[] __attribute__((weak, visibility("hidden")));
void __cudaRegisterTexture(void **binary, const void *reference, const void **address, const char *name, int dimensions,
                           int normalized, int is_external);
}

// Registers a reference with the fat binary that was registered last, which is that of the same file.
static inline __host__ void omptarget_register(const void *reference) {
    for (const omptarget_entry *entry = __start_llvm_offload_entries; entry != __stop_llvm_offload_entries; entry++)
        if (entry->address == reference)
            __cudaRegisterTexture(0, reference, 0, entry->name, 0, 0, 0);
}

// The host's side of the variable of a name.
static inline __host__ const void *omptarget_variable(const char *name) {
    for (const omptarget_entry *entry = __start_llvm_offload_entries; entry != __stop_llvm_offload_entries; entry++)
        if (__builtin_strcmp(entry->name, name) == 0)
            return entry->address;
    return 0;
}

// Copies to and from variables by their names, which CUDA had up to version 4.
template <size_t length>
static inline cudaError_t cudaMemcpyToSymbol(const char (&name)[length], const void *from, size_t bytes,
                                             size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol(omptarget_variable(name), from, bytes, offset, kind);
}
template <size_t length>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const char (&name)[length], size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, omptarget_variable(name), bytes, offset, kind);
}

// How a reference reads. `object` is what is bound.
struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    mutable cudaTextureObject_t object;
};

template <typename T, int dimensions = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    __host__ texture(int normalized_coordinates = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                     cudaTextureAddressMode outside = cudaAddressModeClamp,
                     cudaChannelFormatDesc description = cudaCreateChannelDesc<T>()) {
        normalized = normalized_coordinates;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = outside;
        channelDesc = description;
        sRGB = 0;
        maxAnisotropy = 0;
        mipmapFilterMode = cudaFilterModePoint;
        mipmapLevelBias = minMipmapLevelClamp = maxMipmapLevelClamp = 0;
        object = 0;
        omptarget_register(this);
    }
};

struct surfaceReference {
    cudaChannelFormatDesc channelDesc;
    mutable cudaSurfaceObject_t object;
};

template <typename T, int dimensions = 1>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
    __host__ surface() {
        object = 0;
        omptarget_register(this);
    }
};

// Has a reference read what a resource describes.
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t omptarget_bind(const texture<T, dimensions, mode> &reference,
                                         const cudaResourceDesc &resource) {
    cudaTextureDesc settings = {};
    for (int axis = 0; axis < 3; axis++)
        settings.addressMode[axis] = reference.addressMode[axis];
    settings.filterMode = reference.filterMode;
    settings.readMode = mode;
    settings.sRGB = reference.sRGB;
    settings.normalizedCoords = reference.normalized;
    settings.maxAnisotropy = reference.maxAnisotropy;
    settings.mipmapFilterMode = reference.mipmapFilterMode;
    settings.mipmapLevelBias = reference.mipmapLevelBias;
    settings.minMipmapLevelClamp = reference.minMipmapLevelClamp;
    settings.maxMipmapLevelClamp = reference.maxMipmapLevelClamp;
    cudaTextureObject_t object;
    cudaError_t error = cudaCreateTextureObject(&object, &resource, &settings, 0);
    if (error == cudaSuccess)
        error = cudaMemcpyToSymbol((const void *)&reference, &object, sizeof object, 0, cudaMemcpyHostToDevice);
    if (error == cudaSuccess && reference.object)
        error = cudaDestroyTextureObject(reference.object);
    if (error == cudaSuccess)
        reference.object = object;
    return error;
}

// Memory in one row.
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dimensions, mode> &reference,
                                          const void *memory, const cudaChannelFormatDesc &description,
                                          size_t bytes = 0xffffffffu) {
    // A texture has so many texels at most.
    const size_t most = ((size_t)1 << 28) * sizeof(T);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)memory;
    resource.res.linear.desc = description;
    resource.res.linear.sizeInBytes = bytes < most ? bytes : most;
    if (offset)
        *offset = 0;
    return omptarget_bind(reference, resource);
}
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dimensions, mode> &reference,
                                          const void *memory, size_t bytes = 0xffffffffu) {
    return cudaBindTexture(offset, reference, memory, reference.channelDesc, bytes);
}

// The same by the addresses of the reference and of the format, as in C.
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dimensions, mode> *reference,
                                          const void *memory, const cudaChannelFormatDesc *description,
                                          size_t bytes = 0xffffffffu) {
    return cudaBindTexture(offset, *reference, memory, *description, bytes);
}

// Memory in rows.
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dimensions, mode> &reference,
                                            const void *memory, const cudaChannelFormatDesc &description, size_t width,
                                            size_t height, size_t pitch) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void *)memory;
    resource.res.pitch2D.desc = description;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    if (offset)
        *offset = 0;
    return omptarget_bind(reference, resource);
}
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dimensions, mode> &reference,
                                            const void *memory, size_t width, size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, reference, memory, reference.channelDesc, width, height, pitch);
}

// Arrays, which know the format of their texels.
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &reference, cudaArray_const_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = (cudaArray_t)array;
    return omptarget_bind(reference, resource);
}
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &reference, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &) {
    return cudaBindTextureToArray(reference, array);
}
template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToMipmappedArray(const texture<T, dimensions, mode> &reference,
                                                          cudaMipmappedArray_const_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = (cudaMipmappedArray_t)array;
    return omptarget_bind(reference, resource);
}

template <typename T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(const texture<T, dimensions, mode> &reference) {
    cudaTextureObject_t object = reference.object;
    reference.object = 0;
    return cudaDestroyTextureObject(object);
}

template <typename T, int dimensions>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &reference, cudaArray_const_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = (cudaArray_t)array;
    cudaSurfaceObject_t object;
    cudaError_t error = cudaCreateSurfaceObject(&object, &resource);
    if (error == cudaSuccess)
        error = cudaMemcpyToSymbol((const void *)&reference, &object, sizeof object, 0, cudaMemcpyHostToDevice);
    if (error == cudaSuccess && reference.object)
        error = cudaDestroySurfaceObject(reference.object);
    if (error == cudaSuccess)
        reference.object = object;
    return error;
}
template <typename T, int dimensions>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &reference, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &) {
    return cudaBindSurfaceToArray(reference, array);
}

// What a fetch gives: the texel, or with fractions as many floats.
template <typename T, cudaTextureReadMode mode> struct omptarget_texel {
    typedef T type;
};
template <int channels> struct omptarget_floats {
    typedef float4 type;
};
template <> struct omptarget_floats<1> {
    typedef float type;
};
template <> struct omptarget_floats<2> {
    typedef float2 type;
};
template <typename T> struct omptarget_channels {
    static const int count = sizeof(T) / sizeof(T::x);
};
#define OMPTARGET_SCALAR(T)                                                                                            \
    template <> struct omptarget_channels<T> {                                                                         \
        static const int count = 1;                                                                                    \
    };
OMPTARGET_SCALAR(char)
OMPTARGET_SCALAR(signed char)
OMPTARGET_SCALAR(unsigned char)
OMPTARGET_SCALAR(short)
OMPTARGET_SCALAR(unsigned short)
OMPTARGET_SCALAR(int)
OMPTARGET_SCALAR(unsigned int)
OMPTARGET_SCALAR(float)
#undef OMPTARGET_SCALAR
template <typename T> struct omptarget_texel<T, cudaReadModeNormalizedFloat> {
    typedef typename omptarget_floats<omptarget_channels<T>::count>::type type;
};

// The object that is bound.
template <typename R> static __device__ unsigned long long omptarget_object(R reference) {
    unsigned long long object;
    asm("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
    return object;
}

#define OMPTARGET_STRIP(...) __VA_ARGS__
#define OMPTARGET_FETCH(name, dimensions, parameters, arguments)                                                       \
    template <typename T, cudaTextureReadMode mode>                                                                    \
    static __device__ typename omptarget_texel<T, mode>::type name(texture<T, dimensions, mode> reference,             \
                                                                   OMPTARGET_STRIP parameters) {                       \
        typedef typename omptarget_texel<T, mode>::type Texel;                                                         \
        return name<Texel>((cudaTextureObject_t)omptarget_object(reference), OMPTARGET_STRIP arguments);               \
    }
OMPTARGET_FETCH(tex1Dfetch, cudaTextureType1D, (int x), (x))
OMPTARGET_FETCH(tex1D, cudaTextureType1D, (float x), (x))
OMPTARGET_FETCH(tex2D, cudaTextureType2D, (float x, float y), (x, y))
OMPTARGET_FETCH(tex2DLod, cudaTextureType2D, (float x, float y, float level), (x, y, level))
OMPTARGET_FETCH(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
OMPTARGET_FETCH(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z))
OMPTARGET_FETCH(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
OMPTARGET_FETCH(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
OMPTARGET_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer),
                (x, y, z, layer))
#undef OMPTARGET_FETCH

#define OMPTARGET_SURFACE(name, dimensions, parameters, arguments)                                                     \
    template <typename T>                                                                                              \
    static __device__ void name##read(T *element, surface<void, dimensions> reference, OMPTARGET_STRIP parameters,     \
                                      cudaSurfaceBoundaryMode outside = cudaBoundaryModeTrap) {                        \
        name##read(element, (cudaSurfaceObject_t)omptarget_object(reference), OMPTARGET_STRIP arguments, outside);     \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    static __device__ T name##read(surface<void, dimensions> reference, OMPTARGET_STRIP parameters,                    \
                                   cudaSurfaceBoundaryMode outside = cudaBoundaryModeTrap) {                           \
        T element;                                                                                                     \
        name##read(&element, reference, OMPTARGET_STRIP arguments, outside);                                           \
        return element;                                                                                                \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    static __device__ void name##write(T element, surface<void, dimensions> reference, OMPTARGET_STRIP parameters,     \
                                       cudaSurfaceBoundaryMode outside = cudaBoundaryModeTrap) {                       \
        name##write(element, (cudaSurfaceObject_t)omptarget_object(reference), OMPTARGET_STRIP arguments, outside);    \
    }
OMPTARGET_SURFACE(surf1D, 1, (int x), (x))
OMPTARGET_SURFACE(surf2D, 2, (int x, int y), (x, y))
OMPTARGET_SURFACE(surf3D, 3, (int x, int y, int z), (x, y, z))
#undef OMPTARGET_SURFACE
#undef OMPTARGET_STRIP

#endif
