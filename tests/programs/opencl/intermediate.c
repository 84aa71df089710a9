// Programs in SPIR-V: `intermediate FILE`, of a kernel `scale(global float *, float)`. Other bytes are refused.

#include "setup.h"

static void refuses(const void *bytes, size_t size) {
    cl_int code = CL_SUCCESS;
    SAME((size_t)clCreateProgramWithIL(context, bytes, size, &code), 0);
    SAME(code, CL_INVALID_VALUE);
}

int main(int count, char **arguments) {
    set_up(0);
    char version[256] = "";
    OK(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof version, version, NULL));
    static char bytes[1 << 16];
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : NULL;
    EXPECT(file != NULL);
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    cl_int code;
    cl_program program = clCreateProgramWithIL(context, bytes, size, &code);
    if (!*version) {
        // No reader is installed.
        SAME(code, CL_INVALID_OPERATION);
        return finish();
    }
    OK(code);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    float data[64];
    for (int index = 0; index < 64; index++)
        data[index] = index;
    cl_mem buffer = buffer_of(data, sizeof data);
    cl_kernel kernel = kernel_of(program, "scale");
    float factor = 2.5f;
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, sizeof factor, &factor));
    run(kernel, 64, 16);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int index = 0; index < 64; index++)
        EXPECT(data[index] == index * 2.5f);
    SAME(clSetProgramSpecializationConstant(program, 7, sizeof factor, &factor), CL_INVALID_SPEC_ID);
    refuses(NULL, 4);
    refuses("text", 4);
    refuses(bytes, 19);
    refuses(bytes, 24);
    return finish();
}
