// What programs include for the types alone.
#ifndef OMPTARGET_HIP_COMMON_H
#define OMPTARGET_HIP_COMMON_H

#include "hip_version.h"

#endif
