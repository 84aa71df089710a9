// Programs: logs, options, compiling and linking apart, headers, binaries, what kernels say of themselves, printf.

#include "setup.h"

static const char *part = "#include \"tools/twice.h\"\n"
                          "int shared(int x) { return TWICE(x) + BIAS; }\n";
static const char *whole = "int shared(int x);\n"
                           "kernel void linked(global int *out) { out[get_global_id(0)] = shared(20); }\n";
static const char *header = "#define TWICE(x) (2 * (x))\n";

static cl_program source(const char *text) { return clCreateProgramWithSource(context, 1, &text, NULL, NULL); }

static void expect_log(cl_program program, const char *words) {
    char log[4096] = "";
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (!strstr(log, words)) {
        printf("the log lacks %s: %s\n", words, log);
        failures++;
    }
}

static int result_of(cl_program program, const char *name) {
    int out = 0;
    cl_mem buffer = buffer_of(&out, sizeof out);
    cl_kernel kernel = kernel_of(program, name);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    run(kernel, 1, 1);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(buffer));
    return out;
}

static void errors(void) {
    cl_program wrong = source("kernel void k(global int *p) {\n    *p = nonsense;\n}\n");
    SAME(clBuildProgram(wrong, 1, &device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    expect_log(wrong, "program.cl:2:10: error");
    cl_build_status status;
    OK(clGetProgramBuildInfo(wrong, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    SAME(status, CL_BUILD_ERROR);
    SAME(clBuildProgram(wrong, 1, &device, "-fplugin=/tmp/x.so", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    cl_program undefined = source("void missing(void);\nkernel void k(void) { missing(); }\n");
    SAME(clBuildProgram(undefined, 1, &device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    expect_log(undefined, "missing");
    cl_int code;
    clCreateKernel(undefined, "k", &code);
    SAME(code, CL_INVALID_PROGRAM_EXECUTABLE);
}

static cl_program linked(void) {
    cl_program parts[] = {source(part), source(whole)}, headers[] = {source(header)};
    const char *names[] = {"tools/twice.h"};
    OK(clCompileProgram(parts[0], 1, &device, "-D BIAS=2", 1, headers, names, NULL, NULL));
    OK(clCompileProgram(parts[1], 1, &device, "", 0, NULL, NULL, NULL, NULL));
    cl_int code;
    cl_program library = clLinkProgram(context, 1, &device, "-create-library", 1, parts, NULL, NULL, &code);
    OK(code);
    cl_program inputs[] = {library, parts[1]};
    cl_program program = clLinkProgram(context, 1, &device, "", 2, inputs, NULL, NULL, &code);
    OK(code);
    SAME(result_of(program, "linked"), 42);
    cl_program broken = clLinkProgram(context, 1, &device, "", 1, &parts[1], NULL, NULL, &code);
    SAME(code, CL_LINK_PROGRAM_FAILURE);
    expect_log(broken, "shared");
    names[0] = "../twice.h";
    SAME(clCompileProgram(parts[0], 1, &device, "-D BIAS=2", 1, headers, names, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    return program;
}

static void binaries(cl_program program) {
    size_t size;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    cl_int state, code;
    cl_program again =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, &state, &code);
    OK(code);
    OK(state);
    OK(clBuildProgram(again, 1, &device, NULL, NULL, NULL));
    SAME(result_of(again, "linked"), 42);
    for (size_t at = 0; at < size; at += 1 + size / 97) {
        bytes[at] ^= 0x20;
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, &state, &code);
        SAME(code, CL_INVALID_BINARY);
        SAME(state, CL_INVALID_BINARY);
        bytes[at] ^= 0x20;
    }
    free(bytes);
}

static void reflection(void) {
    cl_program program = build(
        "kernel __attribute__((work_group_size_hint(4, 1, 1))) void k(constant float *restrict table,\n"
        "    local int *tile, const global volatile uint4 *data, short n) {}\n"
        "kernel void other(void) { printf(\"%s %d %v2hlf\\n\", \"printf:\", 5, (float2)(1, 2)); }\n", "-cl-std=CL1.2");
    cl_kernel kernel = kernel_of(program, "k");
    char text[64];
    const char *names[] = {"table", "tile", "data", "n"}, *types[] = {"float*", "int*", "uint4*", "short"};
    cl_uint spaces[] = {CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_GLOBAL,
        CL_KERNEL_ARG_ADDRESS_PRIVATE}, space, count;
    OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    SAME(count, 4);
    for (cl_uint i = 0; i < 4; i++) {
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        EXPECT(strcmp(text, names[i]) == 0);
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        EXPECT(strcmp(text, types[i]) == 0);
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
        SAME(space, spaces[i]);
    }
    cl_kernel_arg_type_qualifier qualifier;
    OK(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
    SAME(qualifier, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_VOLATILE);
    OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    EXPECT(strcmp(text, "work_group_size_hint(4,1,1)") == 0);
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    EXPECT(strcmp(text, "k;other") == 0);
    cl_kernel all[2];
    OK(clCreateKernelsInProgram(program, 2, all, &count));
    SAME(count, 2);
    SAME(clBuildProgram(program, 1, &device, "", NULL, NULL), CL_INVALID_OPERATION);
    run(all[1], 1, 1);
    OK(clFinish(queue));
}

int main(void) {
    set_up(0);
    errors();
    cl_program program = linked();
    binaries(program);
    reflection();
    return finish();
}
