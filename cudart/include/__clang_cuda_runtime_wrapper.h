// clang includes this file before every CUDA source. Its own, of this name, wants NVIDIA's headers.
#ifdef __CUDA__
// By this a source, and CMake, knows that it is compiled as CUDA.
#define __CUDACC__ 1
#endif
#include "cuda_runtime.h"
