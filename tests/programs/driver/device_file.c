// Loads the file with device code that the argument names, and runs its kernel.
#include "driver.h"

int cuModuleLoad(Handle *module, const char *file);

int main(int argc, char **argv) {
    Handle context, module, kernel;
    Address words;
    int device, values[32];
    void *arguments[] = {&words};
    CHECK(argc == 2);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate_v2(&context, 0, device));
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&kernel, module, "add_one"));
    OK(cuMemAlloc_v2(&words, sizeof values));
    for (int i = 0; i < 32; ++i)
        values[i] = 10 * i;
    OK(cuMemcpyHtoD_v2(words, values, sizeof values));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0));
    OK(cuMemcpyDtoH_v2(values, words, sizeof values));
    for (int i = 0; i < 32; ++i)
        CHECK(values[i] == 10 * (31 - i) + 1);
    return verdict();
}
