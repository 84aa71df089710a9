// What the OpenCL programs share: a device, a queue, a build, and checks that say where they fail.

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                     \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

#define SAME(got, wanted)                                                                                              \
    do {                                                                                                               \
        long long got_ = (long long)(got), wanted_ = (long long)(wanted);                                              \
        if (got_ != wanted_) {                                                                                         \
            printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, got_, wanted_);                          \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

#define OK(call) SAME(call, CL_SUCCESS)

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void set_up(cl_command_queue_properties properties) {
    cl_platform_id platform;
    cl_int code;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    OK(code);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    queue = clCreateCommandQueueWithProperties(context, device, list, &code);
    OK(code);
}

__attribute__((unused)) static cl_program build(const char *source, const char *options) {
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        char log[8192];
        OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        printf("the program does not build:\n%s\n", log);
        exit(1);
    }
    return program;
}

__attribute__((unused)) static cl_kernel kernel_of(cl_program program, const char *name) {
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    OK(code);
    return kernel;
}

__attribute__((unused)) static cl_mem buffer_of(void *data, size_t size) {
    cl_int code;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, data, &code);
    OK(code);
    return buffer;
}

__attribute__((unused)) static void run(cl_kernel kernel, size_t global, size_t local) {
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
}

static int finish(void) {
    if (failures == 0)
        printf("PASS\n");
    return failures != 0;
}
