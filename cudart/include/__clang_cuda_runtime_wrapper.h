// clang includes this file before every CUDA source. Its own, of this name, wants NVIDIA's headers.
#include "cuda_runtime.h"
