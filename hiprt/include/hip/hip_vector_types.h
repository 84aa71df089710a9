// HIP's vector types and dim3, which are CUDA's.
#ifndef OMPTARGET_HIP_VECTOR_TYPES_H
#define OMPTARGET_HIP_VECTOR_TYPES_H

#include "../host_defines.h"
#include "../vector_functions.h"
#include "../vector_types.h"

#endif
