// The format of texels of a type.
// Programs ask by this name whether they have the header, so it is NVIDIA's.
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#ifdef __cplusplus
template <typename T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define OMPTARGET_CHANNELS(type, kind)                                                                                 \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                           \
        return cudaCreateChannelDesc((int)sizeof(type) * 8, 0, 0, 0, kind);                                            \
    }
#define OMPTARGET_VECTOR_CHANNELS(name, kind)                                                                          \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##1>() {                                        \
        return cudaCreateChannelDesc((int)sizeof(name##1) * 8, 0, 0, 0, kind);                                         \
    }                                                                                                                  \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##2>() {                                        \
        int bits = (int)sizeof(name##1) * 8;                                                                           \
        return cudaCreateChannelDesc(bits, bits, 0, 0, kind);                                                          \
    }                                                                                                                  \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##4>() {                                        \
        int bits = (int)sizeof(name##1) * 8;                                                                           \
        return cudaCreateChannelDesc(bits, bits, bits, bits, kind);                                                    \
    }
OMPTARGET_CHANNELS(char, cudaChannelFormatKindSigned)
OMPTARGET_CHANNELS(signed char, cudaChannelFormatKindSigned)
OMPTARGET_CHANNELS(unsigned char, cudaChannelFormatKindUnsigned)
OMPTARGET_CHANNELS(short, cudaChannelFormatKindSigned)
OMPTARGET_CHANNELS(unsigned short, cudaChannelFormatKindUnsigned)
OMPTARGET_CHANNELS(int, cudaChannelFormatKindSigned)
OMPTARGET_CHANNELS(unsigned int, cudaChannelFormatKindUnsigned)
OMPTARGET_CHANNELS(float, cudaChannelFormatKindFloat)
OMPTARGET_VECTOR_CHANNELS(char, cudaChannelFormatKindSigned)
OMPTARGET_VECTOR_CHANNELS(uchar, cudaChannelFormatKindUnsigned)
OMPTARGET_VECTOR_CHANNELS(short, cudaChannelFormatKindSigned)
OMPTARGET_VECTOR_CHANNELS(ushort, cudaChannelFormatKindUnsigned)
OMPTARGET_VECTOR_CHANNELS(int, cudaChannelFormatKindSigned)
OMPTARGET_VECTOR_CHANNELS(uint, cudaChannelFormatKindUnsigned)
OMPTARGET_VECTOR_CHANNELS(float, cudaChannelFormatKindFloat)
#undef OMPTARGET_CHANNELS
#undef OMPTARGET_VECTOR_CHANNELS

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
#endif

#endif
