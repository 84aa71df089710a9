// What programs include for mathematics alone.
#ifndef OMPTARGET_HIP_MATH_FUNCTIONS_H
#define OMPTARGET_HIP_MATH_FUNCTIONS_H

#include "hip_runtime.h"

#endif
