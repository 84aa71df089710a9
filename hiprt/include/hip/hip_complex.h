// Complex numbers as HIP's C interface has them: CUDA's by other names.
#ifndef OMPTARGET_HIP_COMPLEX_H
#define OMPTARGET_HIP_COMPLEX_H

#include <hip/hip_runtime.h>

#include "../cuComplex.h"

typedef cuFloatComplex hipFloatComplex;
typedef cuDoubleComplex hipDoubleComplex;
typedef cuComplex hipComplex;

#define make_hipFloatComplex make_cuFloatComplex
#define make_hipDoubleComplex make_cuDoubleComplex
#define make_hipComplex make_cuComplex
#define hipCrealf cuCrealf
#define hipCimagf cuCimagf
#define hipConjf cuConjf
#define hipCaddf cuCaddf
#define hipCsubf cuCsubf
#define hipCmulf cuCmulf
#define hipCdivf cuCdivf
#define hipCabsf cuCabsf
#define hipCfmaf cuCfmaf
#define hipCreal cuCreal
#define hipCimag cuCimag
#define hipConj cuConj
#define hipCadd cuCadd
#define hipCsub cuCsub
#define hipCmul cuCmul
#define hipCdiv cuCdiv
#define hipCabs cuCabs
#define hipCfma cuCfma
#define hipComplexFloatToDouble cuComplexFloatToDouble
#define hipComplexDoubleToFloat cuComplexDoubleToFloat

// The square of the magnitude.
static inline __host__ __device__ float hipCsqabsf(hipFloatComplex z) { return z.x * z.x + z.y * z.y; }
static inline __host__ __device__ double hipCsqabs(hipDoubleComplex z) { return z.x * z.x + z.y * z.y; }

#endif
