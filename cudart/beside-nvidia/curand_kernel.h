// NVIDIA's header of this name includes curand_mtgp32_kernel.h from its own folder, where ours is not found.
#include "curand_mtgp32_kernel.h"
#include_next <curand_kernel.h>
