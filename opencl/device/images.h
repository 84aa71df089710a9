// An image as kernels see it, and how they get at it. What the host writes: opencl/src/image/description.rs.

#pragma once

#include <opencl-c.h>

// The header ends with all extensions off.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

// Layers of an array are its last dimension.
struct image {
    global uchar *texels;
    // Bytes from row to row, and from plane to plane.
    ulong row;
    ulong plane;
    // Texels along each dimension; 1 along those that the image does not have.
    int width;
    int height;
    int depth;
    // CLK_R and the like, CLK_UNORM_INT8 and the like.
    int order;
    int type;
    // How many channels a texel has, and the bytes of one.
    int channels;
    int bytes;
};

typedef global const struct image *image_pointer;

#define ALL_IMAGES(MACRO, ACCESS)                                                                                      \
    MACRO(ACCESS, image1d_t)                                                                                           \
    MACRO(ACCESS, image1d_buffer_t)                                                                                    \
    MACRO(ACCESS, image1d_array_t)                                                                                     \
    MACRO(ACCESS, image2d_t)                                                                                           \
    MACRO(ACCESS, image2d_array_t)                                                                                     \
    MACRO(ACCESS, image3d_t)
#define ALL_ACCESSES(MACRO) ALL_IMAGES(MACRO, read_only) ALL_IMAGES(MACRO, write_only) ALL_IMAGES(MACRO, read_write)

// No cast makes an address of an image: all of these are one function (images.ll).
#define DESCRIBED(ACCESS, TYPE)                                                                                        \
    __attribute__((const)) image_pointer described_##ACCESS##_##TYPE(ACCESS TYPE image) __asm__(                       \
        "__omptarget_opencl_image");
ALL_ACCESSES(DESCRIBED)
#undef DESCRIBED
#define IMAGE(ACCESS, TYPE) described_##ACCESS##_##TYPE(image)

#define INLINE static __attribute__((overloadable, always_inline, unused))

// Coordinates in three dimensions.
INLINE int4 wide(int at) { return (int4)(at, 0, 0, 0); }
INLINE int4 wide(int2 at) { return (int4)(at, 0, 0); }
INLINE int4 wide(int4 at) { return at; }
INLINE float4 wide(float at) { return (float4)(at, 0, 0, 0); }
INLINE float4 wide(float2 at) { return (float4)(at, 0, 0); }
INLINE float4 wide(float4 at) { return at; }

INLINE bool is_inside(image_pointer image, int4 at) {
    // A negative number is a large one without its sign.
    return (uint)at.x < (uint)image->width & (uint)at.y < (uint)image->height & (uint)at.z < (uint)image->depth;
}

INLINE global uchar *texel(image_pointer image, int4 at) {
    ulong column = (ulong)at.x * (image->channels * image->bytes);
    return image->texels + at.z * image->plane + at.y * image->row + column;
}
