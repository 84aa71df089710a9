// Functions that make structures of CUDA's runtime interface.
// Programs ask by this name whether they have the header, so it is NVIDIA's.
#ifndef __DRIVER_FUNCTIONS_H__
#define __DRIVER_FUNCTIONS_H__

#include "driver_types.h"

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *memory, size_t pitch, size_t width, size_t height) {
    struct cudaPitchedPtr made;
    made.ptr = memory;
    made.pitch = pitch;
    made.xsize = width;
    made.ysize = height;
    return made;
}

static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos made;
    made.x = x;
    made.y = y;
    made.z = z;
    return made;
}

static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    struct cudaExtent made;
    made.width = width;
    made.height = height;
    made.depth = depth;
    return made;
}

#endif
