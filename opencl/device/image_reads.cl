// Reads of images (OpenCL C 3.0, 6.15.15.2 and 6.15.15.3; samplers: OpenCL 3.0, 8.2).

#include "images.h"

__attribute__((const)) ulong __omptarget_opencl_sampler(sampler_t sampler);

#define ADDRESSING 0xe
#define PURE __attribute__((overloadable, pure))

#define CHANNELS(TYPE)                                                                                                 \
    {                                                                                                                  \
        global const TYPE *from = (global const TYPE *)texel(image, at);                                               \
        bits.x = from[0];                                                                                              \
        if (image->channels > 1)                                                                                       \
            bits.y = from[1];                                                                                          \
        if (image->channels > 2) {                                                                                     \
            bits.z = from[2];                                                                                          \
            bits.w = from[3];                                                                                          \
        }                                                                                                              \
    }

// The channels' bits, in memory's order.
INLINE uint4 stored(image_pointer image, int4 at) {
    uint4 bits = 0;
    if (image->bytes == 1)
        CHANNELS(uchar)
    else if (image->bytes == 2)
        CHANNELS(ushort)
    else
        CHANNELS(uint)
    return bits;
}

// Colours in their order, with what the texel lacks. `one` is 1.
#define COLOUR(NAME, TYPE)                                                                                             \
    INLINE TYPE NAME(image_pointer image, TYPE stored, TYPE one) {                                                     \
        if (image->channels < 4)                                                                                       \
            stored.w = one.w;                                                                                          \
        return image->order == CLK_BGRA ? stored.zyxw : stored;                                                        \
    }
COLOUR(colour, float4)
COLOUR(colour, int4)
COLOUR(colour, uint4)

INLINE int4 extended(image_pointer image, uint4 bits) {
    int unused_bits = 32 - 8 * image->bytes;
    return as_int4(bits << (uint)unused_bits) >> unused_bits;
}

// The border's colour is black, transparent where texels have alpha.
INLINE float border(image_pointer image) { return image->channels < 4 ? 1.0f : 0.0f; }

float4 __omptarget_opencl_texel_f(image_pointer image, int4 at) {
    if (!is_inside(image, at))
        return (float4)(0, 0, 0, border(image));
    uint4 bits = stored(image, at);
    float4 result;
    switch (image->type) {
    case CLK_UNORM_INT8:
        result = convert_float4(as_int4(bits)) / 255.0f;
        break;
    case CLK_UNORM_INT16:
        result = convert_float4(as_int4(bits)) / 65535.0f;
        break;
    case CLK_SNORM_INT8:
        result = max(convert_float4(extended(image, bits)) / 127.0f, -1.0f);
        break;
    case CLK_SNORM_INT16:
        result = max(convert_float4(extended(image, bits)) / 32767.0f, -1.0f);
        break;
    case CLK_HALF_FLOAT:
        result = __builtin_convertvector(as_half4(convert_ushort4(bits)), float4);
        break;
    default:
        result = as_float4(bits);
    }
    return colour(image, result, (float4)1);
}

int4 __omptarget_opencl_texel_i(image_pointer image, int4 at) {
    if (!is_inside(image, at))
        return (int4)(0, 0, 0, image->channels < 4);
    return colour(image, extended(image, stored(image, at)), (int4)1);
}

uint4 __omptarget_opencl_texel_ui(image_pointer image, int4 at) {
    return as_uint4(is_inside(image, at) ? as_int4(colour(image, stored(image, at), (uint4)1))
                                         : (int4)(0, 0, 0, image->channels < 4));
}

// Where a coordinate falls along a dimension: the nearest texel, or two and how far the point is behind the first.
struct place {
    int first;
    int second;
    float behind;
};

INLINE struct place place(float at, int size, uint sampler) {
    uint addressing = sampler & ADDRESSING;
    bool is_linear = sampler & CLK_FILTER_LINEAR;
    float extent = size;
    if (addressing == CLK_ADDRESS_REPEAT)
        at = (at - floor(at)) * extent;
    else if (addressing == CLK_ADDRESS_MIRRORED_REPEAT)
        at = fabs(at - 2.0f * rint(0.5f * at)) * extent;
    else if (sampler & CLK_NORMALIZED_COORDS_TRUE)
        at *= extent;
    // Beyond the border all is alike. A NaN becomes a number, too.
    at = fmin(fmax(at, -1.0f), extent + 1.0f) - (is_linear ? 0.5f : 0.0f);
    float whole = floor(at);
    struct place result = {(int)whole, (int)whole + 1, at - whole};
    if (addressing == CLK_ADDRESS_REPEAT) {
        if (result.first < 0)
            result.first += size;
        if (result.first >= size)
            result.first -= size;
        if (result.second >= size)
            result.second -= size;
    } else if (addressing == CLK_ADDRESS_MIRRORED_REPEAT || addressing == CLK_ADDRESS_CLAMP_TO_EDGE) {
        result.first = clamp(result.first, 0, size - 1);
        result.second = clamp(result.second, 0, size - 1);
    }
    return result;
}

// The texel of an integer coordinate.
INLINE int place(int at, int size, uint sampler) {
    return (sampler & ADDRESSING) == CLK_ADDRESS_CLAMP_TO_EDGE ? clamp(at, 0, size - 1) : at;
}

INLINE int layer(float at, int count) { return (int)clamp(rint(at), 0.0f, (float)(count - 1)); }
INLINE int layer(int at, int count) { return clamp(at, 0, count - 1); }

// The nearest texel; the first `dimensions` are the image's own, the next is that of the array.
#define NEAREST(COORDINATE, FIRST)                                                                                     \
    INLINE int4 nearest(image_pointer image, uint sampler, COORDINATE at, int dimensions, bool is_array) {             \
        int4 result = 0;                                                                                               \
        result.x = place(at.x, image->width, sampler) FIRST;                                                           \
        if (dimensions > 1)                                                                                            \
            result.y = place(at.y, image->height, sampler) FIRST;                                                      \
        if (dimensions > 2)                                                                                            \
            result.z = place(at.z, image->depth, sampler) FIRST;                                                       \
        if (is_array && dimensions == 1)                                                                               \
            result.y = layer(at.y, image->height);                                                                     \
        if (is_array && dimensions == 2)                                                                               \
            result.z = layer(at.z, image->depth);                                                                      \
        return result;                                                                                                 \
    }
NEAREST(float4, .first)
NEAREST(int4, )

// The mean of the two, four or eight texels around a point.
INLINE float4 linear(image_pointer image, uint sampler, float4 at, int dimensions, bool is_array) {
    struct place x = place(at.x, image->width, sampler), y = {0, 0, 0}, z = {0, 0, 0};
    if (dimensions > 1)
        y = place(at.y, image->height, sampler);
    if (dimensions > 2)
        z = place(at.z, image->depth, sampler);
    if (is_array && dimensions == 1)
        y.first = layer(at.y, image->height);
    if (is_array && dimensions == 2)
        z.first = layer(at.z, image->depth);
    float4 sum = 0;
    __attribute__((opencl_unroll_hint(1))) for (int corner = 0; corner < 1 << dimensions; corner++) {
        bool second_x = corner & 1, second_y = corner & 2, second_z = corner & 4;
        int4 from = (int4)(second_x ? x.second : x.first, second_y ? y.second : y.first, second_z ? z.second : z.first, 0);
        float weight = second_x ? x.behind : 1.0f - x.behind;
        weight *= second_y ? y.behind : 1.0f - y.behind;
        weight *= second_z ? z.behind : 1.0f - z.behind;
        sum += weight * __omptarget_opencl_texel_f(image, from);
    }
    return sum;
}

INLINE float4 filtered(image_pointer image, uint sampler, float4 at, int dimensions, bool is_array) {
    return sampler & CLK_FILTER_LINEAR
               ? linear(image, sampler, at, dimensions, is_array)
               : __omptarget_opencl_texel_f(image, nearest(image, sampler, at, dimensions, is_array));
}

#define HALF(x) __builtin_convertvector(x, half4)

#define PLAIN_READS(ACCESS, TYPE, AT)                                                                                  \
    PURE float4 read_imagef(ACCESS TYPE image, AT at) {                                                                \
        return __omptarget_opencl_texel_f(IMAGE(ACCESS, TYPE), wide(at));                                              \
    }                                                                                                                  \
    PURE int4 read_imagei(ACCESS TYPE image, AT at) {                                                                  \
        return __omptarget_opencl_texel_i(IMAGE(ACCESS, TYPE), wide(at));                                              \
    }                                                                                                                  \
    PURE uint4 read_imageui(ACCESS TYPE image, AT at) {                                                                \
        return __omptarget_opencl_texel_ui(IMAGE(ACCESS, TYPE), wide(at));                                             \
    }                                                                                                                  \
    PURE half4 read_imageh(ACCESS TYPE image, AT at) { return HALF(read_imagef(image, at)); }

#define SAMPLED_INTEGERS(TYPE, AT, SUFFIX, RESULT, ...)                                                                \
    PURE RESULT read_image##SUFFIX(read_only TYPE image, sampler_t sampler, AT at) {                                   \
        image_pointer own = IMAGE(read_only, TYPE);                                                                    \
        uint bits = __omptarget_opencl_sampler(sampler);                                                               \
        return __omptarget_opencl_texel_##SUFFIX(own, nearest(own, bits, wide(at), __VA_ARGS__));                      \
    }
#define SAMPLED_READS(TYPE, INT, FLOAT, ...)                                                                           \
    SAMPLED_INTEGERS(TYPE, INT, i, int4, __VA_ARGS__)                                                                  \
    SAMPLED_INTEGERS(TYPE, INT, ui, uint4, __VA_ARGS__)                                                                \
    SAMPLED_INTEGERS(TYPE, FLOAT, i, int4, __VA_ARGS__)                                                                \
    SAMPLED_INTEGERS(TYPE, FLOAT, ui, uint4, __VA_ARGS__)                                                              \
    SAMPLED_INTEGERS(TYPE, INT, f, float4, __VA_ARGS__)                                                                \
    PURE float4 read_imagef(read_only TYPE image, sampler_t sampler, FLOAT at) {                                       \
        uint bits = __omptarget_opencl_sampler(sampler);                                                               \
        return filtered(IMAGE(read_only, TYPE), bits, wide(at), __VA_ARGS__);                                          \
    }                                                                                                                  \
    PURE half4 read_imageh(read_only TYPE image, sampler_t sampler, INT at) {                                          \
        return HALF(read_imagef(image, sampler, at));                                                                  \
    }                                                                                                                  \
    PURE half4 read_imageh(read_only TYPE image, sampler_t sampler, FLOAT at) {                                        \
        return HALF(read_imagef(image, sampler, at));                                                                  \
    }

#define READS(TYPE, INT, FLOAT, ...)                                                                                   \
    PLAIN_READS(read_only, TYPE, INT) PLAIN_READS(read_write, TYPE, INT) SAMPLED_READS(TYPE, INT, FLOAT, __VA_ARGS__)
READS(image1d_t, int, float, 1, false)
READS(image1d_array_t, int2, float2, 1, true)
READS(image2d_t, int2, float2, 2, false)
READS(image2d_array_t, int4, float4, 2, true)
READS(image3d_t, int4, float4, 3, false)
PLAIN_READS(read_only, image1d_buffer_t, int)
PLAIN_READS(read_write, image1d_buffer_t, int)
