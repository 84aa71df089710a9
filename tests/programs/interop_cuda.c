// What an interop object is to the CUDA driver's own interface: device, context and stream, which the driver itself accepts.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

typedef int context_query(void **);
typedef int stream_query(void *);

int main(void) {
    enum { cuda_driver = 2 };
    omp_interop_t object = omp_interop_none;
#pragma omp interop init(targetsync : object)
    if (omp_get_interop_int(object, omp_ipr_fr_id, NULL) != cuda_driver)
        return 2;
    if (strcmp(omp_get_interop_str(object, omp_ipr_fr_name, NULL), "cuda_driver"))
        return 3;
    int code;
    if (omp_get_interop_int(object, omp_ipr_device, &code) != 0 || code)
        return 4;
    omp_get_interop_ptr(object, omp_ipr_device, &code);
    if (code != omp_irc_type_int || strcmp(omp_get_interop_type_desc(object, omp_ipr_device), "omp_intptr_t"))
        return 5;
    void *context = omp_get_interop_ptr(object, omp_ipr_device_context, NULL);
    void *stream = omp_get_interop_ptr(object, omp_ipr_targetsync, NULL);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver || !context || !stream)
        return 6;
    context_query *current = (context_query *)dlsym(driver, "cuCtxGetCurrent");
    stream_query *query = (stream_query *)dlsym(driver, "cuStreamQuery");
    void *own = NULL;
    if (current(&own) || own != context || query(stream))
        return 7;
#pragma omp interop destroy(object)
    puts("PASS");
    return 0;
}
