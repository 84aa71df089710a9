// clang includes this file before every CUDA source. Its own, of this name, makes NVIDIA's headers fit for clang.
#include_next <__clang_cuda_runtime_wrapper.h>

#include "host_min_max_omptarget.h"
#include "cached_access_omptarget.h"
