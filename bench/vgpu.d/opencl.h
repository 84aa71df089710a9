// The host side of OpenCL, as little of it as the benchmarks need. Errors end the program.

#ifndef BENCH_OPENCL_H
#define BENCH_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static struct {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
} cl;

// Device buffers by the host array they belong to.
static struct {
    const void *host;
    cl_mem device;
} cl_buffers[16];

static void cl_check(cl_int status, const char *what) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "OpenCL: %s failed with error %d\n", what, status);
        exit(1);
    }
}

// Finds the device and compiles BENCH_KERNELS, the file of kernels.
static void cl_open(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    if (cl.context)
        return;
    cl_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    cl_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "clGetDeviceIDs");
    cl.context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_check(status, "clCreateContext");
    cl.queue = clCreateCommandQueue(cl.context, device, 0, &status);
    cl_check(status, "clCreateCommandQueue");
    FILE *file = fopen(BENCH_KERNELS, "r");
    static char text[16 << 10];
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    const char *source = text;
    if (!length || length == sizeof text) {
        fprintf(stderr, "%s: cannot be read\n", BENCH_KERNELS);
        exit(1);
    }
    fclose(file);
    cl.program = clCreateProgramWithSource(cl.context, 1, &source, &length, &status);
    cl_check(status, "clCreateProgramWithSource");
    if (clBuildProgram(cl.program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        clGetProgramBuildInfo(cl.program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
        fprintf(stderr, "%s: %s\n", BENCH_KERNELS, text);
        exit(1);
    }
}

// The buffer of a host array; `bytes` makes one.
static cl_mem cl_buffer(const void *host, size_t bytes) {
    int at = 0;
    cl_int status;
    for (; cl_buffers[at].host; at++)
        if (cl_buffers[at].host == host)
            return cl_buffers[at].device;
    cl_buffers[at].host = host;
    cl_buffers[at].device = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    cl_check(status, "clCreateBuffer");
    return cl_buffers[at].device;
}

static void cl_send(const void *host, size_t bytes) {
    cl_open();
    cl_mem device = cl_buffer(host, bytes);
    cl_check(clEnqueueWriteBuffer(cl.queue, device, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "clEnqueueWriteBuffer");
}

static void cl_fetch(void *host, size_t bytes) {
    cl_mem device = cl_buffer(host, bytes);
    cl_check(clEnqueueReadBuffer(cl.queue, device, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static cl_kernel cl_find(const char *name) {
    cl_int status;
    cl_kernel kernel = clCreateKernel(cl.program, name, &status);
    cl_check(status, name);
    return kernel;
}

static void cl_pass(cl_kernel kernel, int index, size_t bytes, const void *value) {
    cl_check(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

#define ARRAY(kernel, index, array)                                                                                    \
    do {                                                                                                               \
        cl_mem passed = cl_buffer(array, 0);                                                                           \
        cl_pass(kernel, index, sizeof passed, &passed);                                                                \
    } while (0)
#define VALUE(kernel, index, value) cl_pass(kernel, index, sizeof(value), &(value))

// Runs `x * y` work items in groups of `group_x * group_y`, of the implementation's choice if that is 0, and waits.
static void cl_launch(cl_kernel kernel, size_t x, size_t y, size_t group_x, size_t group_y) {
    size_t global[2] = {x, y}, local[2] = {group_x, group_y};
    cl_uint dimensions = y > 1 || group_y > 1 ? 2 : 1;
    const size_t *group = group_x ? local : NULL;
    cl_check(clEnqueueNDRangeKernel(cl.queue, kernel, dimensions, NULL, global, group, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
    cl_check(clFinish(cl.queue), "clFinish");
}

#endif
