// clang includes this file before every CUDA source. Its own, of this name, makes NVIDIA's headers fit for clang. Host
// sources on the same command line get it, too.
#include_next <__clang_cuda_runtime_wrapper.h>

#if defined(__CUDA__)
// clang's has no value, which `#if __CUDACC__` needs.
#undef __CUDACC__
#define __CUDACC__ 1
// What NVIDIA's compiler includes before every source, and old programs use unasked.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cached_access_omptarget.h"
#include "host_min_max_omptarget.h"
#include "managed_variables_omptarget.h"
#include "not_a_number_omptarget.h"
#include "nvcc_omptarget.h"
#include "scoped_atomics_omptarget.h"
#ifdef OMPTARGET_TEXTURE_REFERENCES
#include "texture_references_omptarget.h"
#endif
#endif
