// cuFFT's interface that names types of elements: cudalibs/cufft implements it.
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include <cufft.h>

#ifdef __cplusplus
extern "C" {
#endif

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                long long int istride, long long int idist, cudaDataType inputtype,
                                long long int *onembed, long long int ostride, long long int odist,
                                cudaDataType outputtype, long long int batch, size_t *workSize,
                                cudaDataType executiontype);
cufftResult cufftXtSetWorkArea(cufftHandle plan, void **workArea);
// Of several GPUs there are no plans: these refuse.
typedef struct cudaLibXtDesc_t cudaLibXtDesc;
typedef enum cufftXtCopyType_t {
    CUFFT_COPY_HOST_TO_DEVICE = 0,
    CUFFT_COPY_DEVICE_TO_HOST = 1,
    CUFFT_COPY_DEVICE_TO_DEVICE = 2
} cufftXtCopyType;
cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int *devices);
cufftResult cufftXtMemcpy(cufftHandle plan, void *to, void *from, cufftXtCopyType kind);
cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
                                     int direction);
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
                                     int direction);
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction);

#ifdef __cplusplus
}
#endif

#endif
