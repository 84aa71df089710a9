// cuFFT's interface for several GPUs. None of its functions is here; programs also include it for cufft.h.
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include <cufft.h>

#endif
