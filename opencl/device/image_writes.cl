// Writes of images (OpenCL C 3.0, 6.15.15.5), and questions about them (6.15.15.6).

#include "images.h"

#define PLAIN __attribute__((overloadable))
#define CONST __attribute__((overloadable, const))

#define CHANNELS(TYPE, value)                                                                                          \
    {                                                                                                                  \
        global TYPE *to = (global TYPE *)texel(image, at);                                                             \
        TYPE##4 channels = value;                                                                                      \
        to[0] = channels.x;                                                                                            \
        if (image->channels > 1)                                                                                       \
            to[1] = channels.y;                                                                                        \
        if (image->channels > 2) {                                                                                     \
            to[2] = channels.z;                                                                                        \
            to[3] = channels.w;                                                                                        \
        }                                                                                                              \
    }

INLINE float4 scaled(float4 colour, float least, float greatest) {
    return rint(fmin(fmax(colour * greatest, least), greatest));
}

// What is outside of the image is not written.
void __omptarget_opencl_write_f(image_pointer image, int4 at, float4 colour) {
    if (!is_inside(image, at))
        return;
    if (image->order == CLK_BGRA)
        colour = colour.zyxw;
    switch (image->type) {
    case CLK_UNORM_INT8:
        CHANNELS(uchar, convert_uchar4(scaled(colour, 0.0f, 255.0f)))
        break;
    case CLK_UNORM_INT16:
        CHANNELS(ushort, convert_ushort4(scaled(colour, 0.0f, 65535.0f)))
        break;
    case CLK_SNORM_INT8:
        CHANNELS(char, convert_char4(scaled(colour, -128.0f, 127.0f)))
        break;
    case CLK_SNORM_INT16:
        CHANNELS(short, convert_short4(scaled(colour, -32768.0f, 32767.0f)))
        break;
    case CLK_HALF_FLOAT:
        CHANNELS(ushort, as_ushort4(__builtin_convertvector(colour, half4)))
        break;
    default:
        CHANNELS(float, colour)
    }
}

void __omptarget_opencl_write_i(image_pointer image, int4 at, int4 colour) {
    if (!is_inside(image, at))
        return;
    if (image->bytes == 1)
        CHANNELS(char, convert_char4_sat(colour))
    else if (image->bytes == 2)
        CHANNELS(short, convert_short4_sat(colour))
    else
        CHANNELS(int, colour)
}

void __omptarget_opencl_write_ui(image_pointer image, int4 at, uint4 colour) {
    if (!is_inside(image, at))
        return;
    if (image->bytes == 1)
        CHANNELS(uchar, convert_uchar4_sat(colour))
    else if (image->bytes == 2)
        CHANNELS(ushort, convert_ushort4_sat(colour))
    else
        CHANNELS(uint, colour)
}

#define WRITES(ACCESS, TYPE, AT)                                                                                       \
    PLAIN void write_imagef(ACCESS TYPE image, AT at, float4 colour) {                                                 \
        __omptarget_opencl_write_f(IMAGE(ACCESS, TYPE), wide(at), colour);                                             \
    }                                                                                                                  \
    PLAIN void write_imagei(ACCESS TYPE image, AT at, int4 colour) {                                                   \
        __omptarget_opencl_write_i(IMAGE(ACCESS, TYPE), wide(at), colour);                                             \
    }                                                                                                                  \
    PLAIN void write_imageui(ACCESS TYPE image, AT at, uint4 colour) {                                                 \
        __omptarget_opencl_write_ui(IMAGE(ACCESS, TYPE), wide(at), colour);                                            \
    }                                                                                                                  \
    PLAIN void write_imageh(ACCESS TYPE image, AT at, half4 colour) {                                                  \
        write_imagef(image, at, __builtin_convertvector(colour, float4));                                              \
    }
#define BOTH_WRITES(TYPE, AT) WRITES(write_only, TYPE, AT) WRITES(read_write, TYPE, AT)
BOTH_WRITES(image1d_t, int)
BOTH_WRITES(image1d_buffer_t, int)
BOTH_WRITES(image1d_array_t, int2)
BOTH_WRITES(image2d_t, int2)
BOTH_WRITES(image2d_array_t, int4)
BOTH_WRITES(image3d_t, int4)

#define OF_ALL(ACCESS, TYPE)                                                                                           \
    CONST int get_image_width(ACCESS TYPE image) { return IMAGE(ACCESS, TYPE)->width; }                                \
    CONST int get_image_channel_data_type(ACCESS TYPE image) { return IMAGE(ACCESS, TYPE)->type; }                     \
    CONST int get_image_channel_order(ACCESS TYPE image) { return IMAGE(ACCESS, TYPE)->order; }
ALL_ACCESSES(OF_ALL)

#define OF_PLANES(ACCESS, TYPE)                                                                                        \
    CONST int get_image_height(ACCESS TYPE image) { return IMAGE(ACCESS, TYPE)->height; }                              \
    CONST int2 get_image_dim(ACCESS TYPE image) {                                                                      \
        return (int2)(IMAGE(ACCESS, TYPE)->width, IMAGE(ACCESS, TYPE)->height);                                        \
    }
#define OF_ACCESS(ACCESS)                                                                                              \
    OF_PLANES(ACCESS, image2d_t)                                                                                       \
    OF_PLANES(ACCESS, image2d_array_t)                                                                                 \
    CONST int get_image_height(ACCESS image3d_t image) { return IMAGE(ACCESS, image3d_t)->height; }                    \
    CONST int get_image_depth(ACCESS image3d_t image) { return IMAGE(ACCESS, image3d_t)->depth; }                      \
    CONST int4 get_image_dim(ACCESS image3d_t image) {                                                                 \
        image_pointer own = IMAGE(ACCESS, image3d_t);                                                                  \
        return (int4)(own->width, own->height, own->depth, 0);                                                         \
    }                                                                                                                  \
    CONST size_t get_image_array_size(ACCESS image1d_array_t image) { return IMAGE(ACCESS, image1d_array_t)->height; } \
    CONST size_t get_image_array_size(ACCESS image2d_array_t image) { return IMAGE(ACCESS, image2d_array_t)->depth; }
OF_ACCESS(read_only)
OF_ACCESS(write_only)
OF_ACCESS(read_write)
