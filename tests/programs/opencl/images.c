// Images and samplers: what kernels read and write, what the host moves, and wrong calls.

#include "setup.h"
#include <math.h>

enum { WIDTH = 5, HEIGHT = 3 };

static const char *source =
    "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "kernel void invert(read_only image2d_t from, write_only image2d_t to) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagef(to, at, 1.0f - read_imagef(from, nearest, at));\n"
    "}\n"
    "kernel void sample(read_only image2d_t from, sampler_t sampler, global const float2 *at, global float4 *to) {\n"
    "    int i = get_global_id(0);\n"
    "    to[i] = read_imagef(from, sampler, at[i]);\n"
    "}\n"
    "kernel void shift(read_write image1d_t line) {\n"
    "    int i = get_global_id(0);\n"
    "    int4 value = read_imagei(line, i);\n"
    "    write_imagei(line, i, value + 100);\n"
    "}\n"
    "kernel void layers(write_only image3d_t volume, read_only image2d_array_t planes, read_only image1d_array_t lines,\n"
    "                   read_only image1d_buffer_t items, global int *to) {\n"
    "    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "    write_imageui(volume, at, read_imageui(planes, at) + read_imageui(lines, at.yz).x + read_imageui(items, at.x).x);\n"
    "    to[0] = get_image_width(volume) + 10 * get_image_height(volume) + 100 * get_image_depth(volume);\n"
    "    to[1] = get_image_array_size(planes) + 10 * get_image_array_size(lines) + 100 * get_image_width(items);\n"
    "    to[2] = get_image_channel_order(volume);\n"
    "    to[3] = get_image_channel_data_type(volume);\n"
    "}\n";

static cl_mem image_of(cl_mem_flags flags, cl_channel_order order, cl_channel_type type, cl_image_desc description,
                       void *data) {
    cl_image_format format = {order, type};
    cl_int code;
    cl_mem image = clCreateImage(context, flags, &format, &description, data, &code);
    OK(code);
    return image;
}

static cl_image_desc plane(size_t width, size_t height) {
    return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
}

static void set(cl_kernel kernel, cl_uint index, cl_mem memory) {
    OK(clSetKernelArg(kernel, index, sizeof memory, &memory));
}

static const size_t origin[3], whole[3] = {WIDTH, HEIGHT, 1};

static void bytes(cl_program program) {
    unsigned char texels[HEIGHT][WIDTH][4], result[HEIGHT][WIDTH][4];
    for (int i = 0; i < HEIGHT * WIDTH * 4; i++)
        (&texels[0][0][0])[i] = i * 3;
    cl_mem from = image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_RGBA, CL_UNORM_INT8, plane(WIDTH, HEIGHT), texels);
    cl_mem to = image_of(CL_MEM_WRITE_ONLY, CL_BGRA, CL_UNORM_INT8, plane(WIDTH, HEIGHT), NULL);
    cl_kernel kernel = kernel_of(program, "invert");
    set(kernel, 0, from);
    set(kernel, 1, to);
    SAME(clSetKernelArg(kernel, 0, sizeof to, &to), CL_INVALID_ARG_VALUE);
    SAME(clSetKernelArg(kernel, 1, sizeof queue, &queue), CL_INVALID_MEM_OBJECT);
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, whole, NULL, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, to, CL_TRUE, origin, whole, 0, 0, result, 0, NULL, NULL));
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        for (int channel = 0; channel < 4; channel++) {
            int source_channel = channel == 3 ? 3 : 2 - channel;
            SAME((&result[0][0])[i][channel], 255 - (&texels[0][0])[i][source_channel]);
        }
    SAME(clEnqueueReadImage(queue, to, CL_TRUE, whole, whole, 0, 0, result, 0, NULL, NULL), CL_INVALID_VALUE);
    SAME(clEnqueueCopyImage(queue, from, to, origin, origin, whole, 0, NULL, NULL), CL_IMAGE_FORMAT_MISMATCH);
    SAME(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, 4, result, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    OK(clReleaseKernel(kernel));
}

static void samplers(cl_program program) {
    float texels[2][2] = {{0, 1}, {2, 3}};
    cl_mem image = image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_R, CL_FLOAT, plane(2, 2), texels);
    cl_float2 at[4] = {{{0.5f, 0.5f}}, {{0.25f, 0.25f}}, {{-1, 0.25f}}, {{1.5f, 0.75f}}};
    static const struct {
        cl_addressing_mode addressing;
        cl_filter_mode filter;
        float wanted[4];
    } cases[] = {
        {CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, {1.5f, 0, 0, 0}},
        {CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, {1.5f, 0, 0, 3}},
        {CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, {3, 0, 0, 0}},
        {CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, {3, 0, 0, 3}},
        {CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, {3, 0, 1, 3}},
    };
    cl_kernel kernel = kernel_of(program, "sample");
    cl_mem places = buffer_of(at, sizeof at);
    cl_float4 result[4];
    cl_mem results = buffer_of(result, sizeof result);
    set(kernel, 0, image);
    set(kernel, 2, places);
    set(kernel, 3, results);
    cl_int code;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_sampler sampler = clCreateSampler(context, CL_TRUE, cases[i].addressing, cases[i].filter, &code);
        OK(code);
        OK(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
        run(kernel, 4, 0);
        OK(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
        for (int j = 0; j < 4; j++) {
            EXPECT(result[j].s[0] == cases[i].wanted[j]);
            EXPECT(result[j].s[3] == 1.0f);
        }
        OK(clReleaseSampler(sampler));
        SAME(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
    }
    EXPECT(clCreateSampler(context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &code) == NULL);
    SAME(code, CL_INVALID_VALUE);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(places));
    OK(clReleaseMemObject(results));
    OK(clReleaseKernel(kernel));
}

// A fill, a kernel, a mapping of the program's own memory with a pitch.
static void mapped(cl_program program) {
    short texels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 8};
    cl_mem image = image_of(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, CL_R, CL_SIGNED_INT16, line, texels);
    cl_kernel kernel = kernel_of(program, "shift");
    set(kernel, 0, image);
    run(kernel, 8, 0);
    size_t second[3] = {2, 0, 0}, three[3] = {3, 1, 1}, row = 0;
    int colour[4] = {100000, 0, 0, 0};
    OK(clEnqueueFillImage(queue, image, colour, second, three, 0, NULL, NULL));
    cl_int code;
    size_t eight[3] = {8, 1, 1};
    short *seen = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, eight, &row, NULL, 0, NULL, NULL, &code);
    OK(code);
    EXPECT(seen == texels);
    SAME(row, 16);
    const short wanted[8] = {101, 102, 32767, 32767, 32767, 106, 107, 108};
    EXPECT(memcmp(seen, wanted, sizeof wanted) == 0);
    OK(clEnqueueUnmapMemObject(queue, image, seen, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(image));
    OK(clReleaseKernel(kernel));
}

// Every other kind of image: 4 × 2 × 3 numbers.
static void layers(cl_program program) {
    enum { X = 4, Y = 2, Z = 3 };
    cl_uint planes[Z][Y][X][4], result[Z][Y][X][4], items[X];
    unsigned char lines[Z][Y];
    for (int i = 0; i < Z * Y * X * 4; i++)
        (&planes[0][0][0][0])[i] = i;
    for (int i = 0; i < Z * Y; i++)
        (&lines[0][0])[i] = i * 7;
    for (int i = 0; i < X; i++)
        items[i] = 1000 * i;
    cl_image_desc shape = {.image_width = X, .image_height = Y, .image_depth = Z, .image_array_size = Z};
    shape.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
    cl_mem plane_image = image_of(CL_MEM_COPY_HOST_PTR, CL_RGBA, CL_UNSIGNED_INT32, shape, planes);
    shape.image_type = CL_MEM_OBJECT_IMAGE3D;
    cl_mem volume = image_of(0, CL_RGBA, CL_UNSIGNED_INT32, shape, NULL);
    shape.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY;
    shape.image_width = Y;
    cl_mem line_image = image_of(CL_MEM_COPY_HOST_PTR, CL_R, CL_UNSIGNED_INT8, shape, lines);
    cl_mem buffer = buffer_of(items, sizeof items);
    cl_image_desc of_buffer = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = X, .mem_object = buffer};
    cl_mem item_image = image_of(0, CL_R, CL_UNSIGNED_INT32, of_buffer, NULL);
    int answers[4];
    cl_mem answer = buffer_of(answers, sizeof answers);
    cl_kernel kernel = kernel_of(program, "layers");
    cl_mem arguments[] = {volume, plane_image, line_image, item_image, answer};
    for (cl_uint i = 0; i < 5; i++)
        set(kernel, i, arguments[i]);
    size_t size[3] = {X, Y, Z};
    OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, size, NULL, 0, NULL, NULL));
    cl_mem copy = buffer_of(result, sizeof result);
    OK(clEnqueueCopyImageToBuffer(queue, volume, copy, origin, size, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, copy, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    for (int i = 0; i < Z * Y * X; i++) {
        int x = i % X, y = i / X % Y, z = i / X / Y;
        SAME(result[z][y][x][2], planes[z][y][x][2] + lines[z][y] + items[x]);
    }
    OK(clEnqueueReadBuffer(queue, answer, CL_TRUE, 0, sizeof answers, answers, 0, NULL, NULL));
    SAME(answers[0], X + 10 * Y + 100 * Z);
    SAME(answers[1], Z + 10 * Z + 100 * X);
    SAME(answers[2], CL_RGBA);
    SAME(answers[3], CL_UNSIGNED_INT32);
    for (int i = 0; i < 5; i++)
        OK(clReleaseMemObject(arguments[i]));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(copy));
    OK(clReleaseKernel(kernel));
}

static void refused(cl_channel_order order, cl_channel_type type, cl_image_desc description, cl_int wanted) {
    cl_image_format format = {order, type};
    cl_int code;
    EXPECT(clCreateImage(context, 0, &format, &description, NULL, &code) == NULL);
    SAME(code, wanted);
}

static void wrong_calls(void) {
    refused(CL_RGBA, 0, plane(4, 4), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    refused(CL_RGB, CL_UNORM_SHORT_565, plane(4, 4), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    refused(CL_RGBA, CL_FLOAT, plane(0, 4), CL_INVALID_IMAGE_SIZE);
    refused(CL_RGBA, CL_FLOAT, plane(4, (size_t)-1), CL_INVALID_IMAGE_SIZE);
    refused(CL_RGBA, CL_FLOAT, (cl_image_desc){.image_type = CL_MEM_OBJECT_BUFFER, .image_width = 4},
            CL_INVALID_IMAGE_DESCRIPTOR);
    cl_image_desc pitched = plane(4, 4);
    pitched.image_row_pitch = 64;
    refused(CL_RGBA, CL_FLOAT, pitched, CL_INVALID_IMAGE_DESCRIPTOR);
    pitched.mem_object = buffer_of(&(char[128]){0}, 128);
    refused(CL_RGBA, CL_FLOAT, pitched, CL_INVALID_IMAGE_SIZE);
    OK(clReleaseMemObject(pitched.mem_object));
    cl_uint count;
    OK(clGetSupportedImageFormats(context, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE3D, 0, NULL, &count));
    SAME(count, 37);
    SAME(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_PIPE, 0, NULL, &count), CL_INVALID_VALUE);
}

int main(void) {
    set_up(0);
    cl_program program = build(source, "-cl-std=CL3.0");
    bytes(program);
    samplers(program);
    mapped(program);
    layers(program);
    wrong_calls();
    return finish();
}
