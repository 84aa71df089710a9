// A small OpenCL program: it adds two vectors on the first device that there is.
//
//   cc examples/opencl/vector_add.c -o vector_add -lOpenCL && OCL_ICD_VENDORS=$PWD/dist/etc/OpenCL/vendors ./vector_add

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *source =
    "kernel void add(global const float *a, global const float *b, global float *sum) {\n"
    "    size_t i = get_global_id(0);\n"
    "    sum[i] = a[i] + b[i];\n"
    "}\n";

static void check(cl_int code, const char *what) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, code);
        exit(1);
    }
}

int main(void) {
    enum { N = 1000000 };
    static float a[N], b[N], sum[N];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }

    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");

    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel add = clCreateKernel(program, "add", &code);
    check(code, "clCreateKernel");

    cl_mem buffers[3];
    void *contents[] = {a, b, NULL};
    for (int i = 0; i < 3; i++) {
        cl_mem_flags flags = contents[i] ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR : CL_MEM_WRITE_ONLY;
        buffers[i] = clCreateBuffer(context, flags, sizeof a, contents[i], &code);
        check(code, "clCreateBuffer");
        check(clSetKernelArg(add, i, sizeof buffers[i], &buffers[i]), "clSetKernelArg");
    }
    size_t items = N;
    check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof sum, sum, 0, NULL, NULL), "clEnqueueReadBuffer");

    for (int i = 0; i < N; i++)
        if (sum[i] != a[i] + b[i]) {
            printf("FAIL: sum[%d] is %g\n", i, sum[i]);
            return 1;
        }
    printf("PASS\n");
    return 0;
}
