// HIP's runtime interface, as far as libamdhip64.so of omptarget has it.
#ifndef OMPTARGET_HIP_RUNTIME_API_H
#define OMPTARGET_HIP_RUNTIME_API_H

#include "driver_types.h"
#include "hip_version.h"
#include "texture_types.h"

#ifdef __cplusplus
#define OMPTARGET_DEFAULT(value) = value
extern "C" {
#else
#define OMPTARGET_DEFAULT(value)
#endif

// Errors.
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);

// Devices.
hipError_t hipGetDeviceCount(int *count);
hipError_t hipGetDevice(int *device);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);
hipError_t hipSetValidDevices(int *devices, int count);
hipError_t hipDeviceGetPCIBusId(char *text, int bytes, int device);
hipError_t hipDeviceGetByPCIBusId(int *device, const char *text);
hipError_t hipSetDeviceFlags(unsigned int flags);
hipError_t hipGetDeviceFlags(unsigned int *flags);
hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value);
hipError_t hipDeviceGetLimit(size_t *value, hipLimit_t limit);
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t preference);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *preference);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig width);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *width);
hipError_t hipProfilerStart(void);
hipError_t hipProfilerStop(void);
hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags);
hipError_t hipDeviceDisablePeerAccess(int peer);
hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int device, int peer);
hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event);
hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle);
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *memory);
hipError_t hipIpcOpenMemHandle(void **memory, hipIpcMemHandle_t handle, unsigned int flags);
hipError_t hipIpcCloseMemHandle(void *memory);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipDriverGetVersion(int *version);
hipError_t hipRuntimeGetVersion(int *version);

// Arrays, textures, surfaces.
hipError_t hipMallocArray(hipArray_t *array, const hipChannelFormatDesc *desc, size_t width,
                          size_t height OMPTARGET_DEFAULT(0), unsigned int flags OMPTARGET_DEFAULT(hipArrayDefault));
hipError_t hipMalloc3DArray(hipArray_t *array, const hipChannelFormatDesc *desc, hipExtent extent, unsigned int flags);
hipError_t hipFreeArray(hipArray_t array);
hipError_t hipArrayGetInfo(hipChannelFormatDesc *desc, hipExtent *extent, unsigned int *flags, hipArray_t array);
hipError_t hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t array);
hipError_t hipMallocMipmappedArray(hipMipmappedArray_t *array, const hipChannelFormatDesc *desc, hipExtent extent,
                                   unsigned int levels, unsigned int flags OMPTARGET_DEFAULT(hipArrayDefault));
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t array);
hipError_t hipGetMipmappedArrayLevel(hipArray_t *level, hipMipmappedArray_const_t array, unsigned int number);
hipError_t hipMemcpyToArray(hipArray_t to, size_t x, size_t y, const void *from, size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyFromArray(void *to, hipArray_const_t from, size_t x, size_t y, size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpy2DToArray(hipArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                              size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DToArrayAsync(hipArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                   size_t height, hipMemcpyKind kind, hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipMemcpy2DFromArray(void *to, size_t pitch, hipArray_const_t from, size_t x, size_t y, size_t width,
                                size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArrayAsync(void *to, size_t pitch, hipArray_const_t from, size_t x, size_t y, size_t width,
                                     size_t height, hipMemcpyKind kind, hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipCreateTextureObject(hipTextureObject_t *object, const hipResourceDesc *resource,
                                  const hipTextureDesc *texture, const struct hipResourceViewDesc *view);
hipError_t hipDestroyTextureObject(hipTextureObject_t object);
hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *resource, hipTextureObject_t object);
hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *object, const hipResourceDesc *resource);
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t object);

// Memory.
hipError_t hipMalloc(void **memory, size_t bytes);
hipError_t hipFree(void *memory);
hipError_t hipMallocHost(void **memory, size_t bytes);
hipError_t hipHostAlloc(void **memory, size_t bytes, unsigned int flags);
hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned int flags);
hipError_t hipFreeHost(void *memory);
hipError_t hipMallocManaged(void **memory, size_t bytes, unsigned int flags OMPTARGET_DEFAULT(hipMemAttachGlobal));
hipError_t hipMallocPitch(void **memory, size_t *pitch, size_t width, size_t height);
hipError_t hipMalloc3D(hipPitchedPtr *memory, hipExtent extent);
hipError_t hipHostRegister(void *memory, size_t bytes, unsigned int flags);
hipError_t hipHostUnregister(void *memory);
hipError_t hipHostGetFlags(unsigned int *flags, void *host);
hipError_t hipMallocAsync(void **memory, size_t bytes, hipStream_t stream);
hipError_t hipFreeAsync(void *memory, hipStream_t stream);
hipError_t hipMallocFromPoolAsync(void **memory, size_t bytes, hipMemPool_t pool, hipStream_t stream);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device);
hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device);
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool);
hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *properties);
hipError_t hipMemPoolDestroy(hipMemPool_t pool);
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value);
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value);
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc *list, size_t count);
hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t pool, hipMemLocation *location);
hipError_t hipMemPoolExportToShareableHandle(void *handle, hipMemPool_t pool, hipMemAllocationHandleType kind,
                                               unsigned int flags);
hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *pool, void *handle,
                                                 hipMemAllocationHandleType kind, unsigned int flags);
hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *data, void *memory);
hipError_t hipMemPoolImportPointer(void **memory, hipMemPool_t pool, hipMemPoolPtrExportData *data);
hipError_t hipMemPrefetchAsync(const void *memory, size_t bytes, int device, hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipMemAdvise(const void *memory, size_t bytes, hipMemoryAdvise advice, int device);
hipError_t hipMemRangeGetAttribute(void *data, size_t size, hipMemRangeAttribute attribute, const void *memory,
                                     size_t bytes);
hipError_t hipMemRangeGetAttributes(void **data, size_t *sizes, hipMemRangeAttribute *attributes, size_t count,
                                      const void *memory, size_t bytes);
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *memory, size_t bytes OMPTARGET_DEFAULT(0),
                                     unsigned int flags OMPTARGET_DEFAULT(hipMemAttachSingle));
hipError_t hipMemGetInfo(size_t *available, size_t *total);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer);

// Copies.
hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                            hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, hipMemcpyKind kind, hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipMemset(void *memory, int value, size_t bytes);
hipError_t hipMemsetAsync(void *memory, int value, size_t bytes, hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height,
                              hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipMemcpy3D(const hipMemcpy3DParms *parameters);
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *parameters, hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipMemset3D(hipPitchedPtr memory, int value, hipExtent extent);
hipError_t hipMemset3DAsync(hipPitchedPtr memory, int value, hipExtent extent,
                              hipStream_t stream OMPTARGET_DEFAULT(0));

// Variables.
hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset OMPTARGET_DEFAULT(0),
                               hipMemcpyKind kind OMPTARGET_DEFAULT(hipMemcpyHostToDevice));
hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset OMPTARGET_DEFAULT(0),
                                 hipMemcpyKind kind OMPTARGET_DEFAULT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      hipMemcpyKind kind, hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipGetSymbolAddress(void **address, const void *symbol);
hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol);

// Streams.
hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags);
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority);
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
hipError_t hipStreamGetDevice(hipStream_t stream, int *device);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                                unsigned int flags OMPTARGET_DEFAULT(hipEventWaitDefault));
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data);
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned int flags);

// Events.
hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t end);
hipError_t hipEventDestroy(hipEvent_t event);

// Kernels.
hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared OMPTARGET_DEFAULT(0), hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t hipLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, unsigned int shared,
                                      hipStream_t stream);
hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *kernel);
hipError_t hipFuncSetAttribute(const void *kernel, hipFuncAttribute attribute, int value);
hipError_t hipFuncSetCacheConfig(const void *kernel, hipFuncCache_t preference);
hipError_t hipFuncSetSharedMemConfig(const void *kernel, hipSharedMemConfig width);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int threads,
                                                                   size_t shared, unsigned int flags);

// Graphs. A list of nodes that the program gives is followed by their count.
hipError_t hipGraphCreate(hipGraph_t *graph, unsigned int flags);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphClone(hipGraph_t *clone, hipGraph_t original);
hipError_t hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t original, hipGraph_t clone);
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count);
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                     size_t count);
hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                        size_t count);
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *kind);
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphDestroyNode(hipGraphNode_t node);
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
    size_t count, const hipMemcpy3DParms *parameters);
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *parameters);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
    size_t count, void *to, const void *from, size_t bytes,
                                     hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *to, const void *from, size_t bytes,
                                           hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
    size_t count, const void *symbol, const void *from, size_t bytes,
                                           size_t offset, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol, const void *from,
                                                 size_t bytes, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t *node, hipGraph_t graph,
    const hipGraphNode_t *before, size_t count, void *to, const void *symbol, size_t bytes,
                                             size_t offset, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *to, const void *symbol, size_t bytes,
                                                   size_t offset, hipMemcpyKind kind);
hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
    size_t count, const hipHostNodeParams *parameters);
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *parameters);
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
    size_t count, hipGraph_t child);
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *graph);
hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before, size_t count);
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
    size_t count, hipEvent_t event);
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
    size_t count, hipEvent_t event);
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
    size_t count, void *memory);
hipError_t hipDeviceGraphMemTrim(int device);

// Graphs that can be launched.
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *executable, hipGraph_t graph,
                                          unsigned long long flags OMPTARGET_DEFAULT(0));
hipError_t hipGraphExecDestroy(hipGraphExec_t executable);
hipError_t hipGraphUpload(hipGraphExec_t executable, hipStream_t stream);
hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream);
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                             const hipMemcpy3DParms *parameters);
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t executable, hipGraphNode_t node, void *to,
                                               const void *from, size_t bytes, hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t executable, hipGraphNode_t node,
                                                     const void *symbol, const void *from, size_t bytes,
    size_t offset,
                                                     hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t executable, hipGraphNode_t node, void *to,
                                                       const void *symbol, size_t bytes, size_t offset,
                                                       hipMemcpyKind kind);
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const hipHostNodeParams *parameters);
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t executable, hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t executable, hipGraphNode_t node, hipEvent_t event);

// Capture of streams.
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *before,
                                          const hipGraphEdgeData *edges, size_t count,
                                          hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status);
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id);
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status,
                                     unsigned long long *id OMPTARGET_DEFAULT(0),
                                     hipGraph_t *graph OMPTARGET_DEFAULT(0),
                                     const hipGraphNode_t **before OMPTARGET_DEFAULT(0),
                                     size_t *count OMPTARGET_DEFAULT(0));
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *before, size_t count,
                                                unsigned int flags OMPTARGET_DEFAULT(0));
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode);

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t *properties, int device);
#define hipGetDeviceProperties hipGetDevicePropertiesR0600
hipError_t hipChooseDeviceR0600(int *device, const hipDeviceProp_t *wishes);
#define hipChooseDevice hipChooseDeviceR0600

// Functions that CUDA's runtime interface does not have.
hipError_t hipInit(unsigned int flags);
hipError_t hipDrvGetErrorName(hipError_t error, const char **name);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
hipError_t hipDeviceGet(hipDevice_t *device, int number);
hipError_t hipDeviceGetName(char *text, int bytes, hipDevice_t device);
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
hipError_t hipHostMalloc(void **memory, size_t bytes, unsigned int flags OMPTARGET_DEFAULT(0));
hipError_t hipHostFree(void *memory);
hipError_t hipFreeHost(void *memory);
hipError_t hipExtMallocWithFlags(void **memory, size_t bytes, unsigned int flags);
hipError_t hipMemGetAddressRange(hipDeviceptr_t *begin, size_t *bytes, hipDeviceptr_t pointer);
hipError_t hipMemPtrGetInfo(void *pointer, size_t *bytes);
hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes);
hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream);
hipError_t hipMemsetD8(hipDeviceptr_t memory, unsigned char value, size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t memory, unsigned char value, size_t count, hipStream_t stream);
hipError_t hipMemsetD32(hipDeviceptr_t memory, int value, size_t count);
hipError_t hipMemsetD32Async(hipDeviceptr_t memory, int value, size_t count, hipStream_t stream);
hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *kernel, size_t shared, int limit);
hipError_t hipGraphInstantiate(hipGraphExec_t *executable, hipGraph_t graph, hipGraphNode_t *error_node, char *text,
                               size_t bytes);
hipError_t hipGraphExecUpdate(hipGraphExec_t executable, hipGraph_t graph, hipGraphNode_t *error_node,
                              hipGraphExecUpdateResult *result);

// What clang makes of kernel<<<grid, block, shared, stream>>>(…).
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared OMPTARGET_DEFAULT(0),
                                      hipStream_t stream OMPTARGET_DEFAULT(0));
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *stream);

#ifdef __cplusplus
}
#endif

#undef OMPTARGET_DEFAULT

#endif
