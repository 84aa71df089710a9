// Runs a kernel of program.cl by its name.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include "mistake.h"

#define ITEMS 128
#define GROUP 64

static char *source(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL)
    exit(3);
  char *text = (char *)calloc(1, 1 << 16);
  if (fread(text, 1, (1 << 16) - 1, file) == 0)
    exit(3);
  fclose(file);
  return text;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != 0 || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != 0)
    return 3;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  char *text = source(MISTAKES);
  cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, NULL);
  if (clBuildProgram(program, 1, &device, MISTAKE("", "-DRIGHT"), NULL, NULL) != 0)
    return 3;
  cl_int code;
  cl_kernel kernel = clCreateKernel(program, argv[1], &code);
  if (code != 0)
    return 2;
  int n = unknown_size, *x = numbers(n);
  size_t bytes = n * sizeof(int), items = ITEMS, group = GROUP;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
  clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, x, 0, NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
  clSetKernelArg(kernel, 1, sizeof(n), &n);
  cl_event done;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &done);
  // Only `read_without_event` wants it at once.
  int waits = MISTAKE(strcmp(argv[1], "read_without_event") != 0, 1);
  clEnqueueReadBuffer(other, buffer, CL_TRUE, 0, bytes, x, waits, waits ? &done : NULL, NULL);
  clFinish(queue);
  clReleaseEvent(done);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseCommandQueue(other);
  clReleaseContext(context);
  free(text), free(x);
  return 0;
}
