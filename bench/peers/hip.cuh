// CUDA's names for HIP, which has the same functions under names of its own. So one source serves both compilers.
#ifndef HIP_CUH
#define HIP_CUH

#include <hip/hip_runtime.h>

#define cudaError_t hipError_t
#define cudaSuccess hipSuccess
#define cudaGetErrorString hipGetErrorString

#define cudaDevAttrMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor hipOccupancyMaxActiveBlocksPerMultiprocessor

#define cudaFree hipFree
#define cudaFreeHost hipHostFree
#define cudaMalloc hipMalloc
#define cudaMallocHost(address, size) hipHostMalloc(address, size, hipHostMallocDefault)
#define cudaMemcpy hipMemcpy
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemsetAsync hipMemsetAsync

#endif
