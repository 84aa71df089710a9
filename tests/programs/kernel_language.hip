// As HIP, for AMD GPUs.
#include "kernel_language.cu"
