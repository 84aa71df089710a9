// threadIdx, blockIdx, blockDim, gridDim and warpSize are declared before every CUDA source.
#ifndef OMPTARGET_DEVICE_LAUNCH_PARAMETERS_H
#define OMPTARGET_DEVICE_LAUNCH_PARAMETERS_H
#include "vector_types.h"
#endif
