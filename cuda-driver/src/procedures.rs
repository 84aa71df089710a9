//! The functions by name, for `cuGetProcAddress`: a program asks for the plain name and the version of CUDA whose
//! header it was compiled with, and gets the newest form that this header knows.

use std::collections::HashMap;
use std::ffi::{CStr, c_int};
use std::sync::OnceLock;

use crate::entry::*;

/// One form of a function.
struct Form {
    /// The version of CUDA in which it appeared.
    since: c_int,
    /// Where it is.
    address: usize,
    /// The same with the thread's default stream.
    per_thread: usize,
}

/// What there is under a name.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// A function at this address.
    At(usize),
    /// A function that is newer than the program's header.
    Later,
    /// Nothing.
    Nowhere,
}

/// The newest form of a function that a header of this version knows.
pub fn find(name: &CStr, version: c_int, per_thread: bool) -> Found {
    let forms = name.to_str().ok().and_then(|name| table().get(name));
    let Some(forms) = forms else {
        return Found::Nowhere;
    };
    let known = forms.iter().filter(|form| form.since <= version);
    match known.max_by_key(|form| form.since) {
        Some(form) if per_thread => Found::At(form.per_thread),
        Some(form) => Found::At(form.address),
        None => Found::Later,
    }
}

/// Rows of the table: the plain name, the version, the function, its form with the thread's default stream.
macro_rules! rows {
    (@address $module:ident $function:ident) => { $module::$function as *const () as usize };
    (@address $module:ident $function:ident $other:ident) => { $module::$other as *const () as usize };
    ($($name:ident $since:literal $module:ident::$function:ident $(or $other:ident)?;)*) => {
        [$((stringify!($name), Form {
            since: $since,
            address: rows!(@address $module $function),
            per_thread: rows!(@address $module $function $($other)?),
        })),*]
    };
}

type Table = HashMap<&'static str, Vec<Form>>;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table::new();
        for (name, form) in all() {
            table.entry(name).or_default().push(form);
        }
        table
    })
}

fn all() -> impl IntoIterator<Item = (&'static str, Form)> {
    rows! {
        cuArray3DCreate 3020 arrays::cuArray3DCreate_v2;
        cuArray3DGetDescriptor 3020 arrays::cuArray3DGetDescriptor_v2;
        cuArrayCreate 3020 arrays::cuArrayCreate_v2;
        cuArrayDestroy 2000 arrays::cuArrayDestroy;
        cuArrayGetDescriptor 3020 arrays::cuArrayGetDescriptor_v2;
        cuCtxCreate 3020 contexts::cuCtxCreate_v2;
        cuCtxCreate 11040 contexts::cuCtxCreate_v3;
        cuCtxCreate 12050 contexts::cuCtxCreate_v4;
        cuCtxDestroy 4000 contexts::cuCtxDestroy_v2;
        cuCtxDisablePeerAccess 4000 peers::cuCtxDisablePeerAccess;
        cuCtxEnablePeerAccess 4000 peers::cuCtxEnablePeerAccess;
        cuCtxGetApiVersion 3020 contexts::cuCtxGetApiVersion;
        cuCtxGetCacheConfig 3020 contexts::cuCtxGetCacheConfig;
        cuCtxGetCurrent 4000 contexts::cuCtxGetCurrent;
        cuCtxGetDevice 2000 contexts::cuCtxGetDevice;
        cuCtxGetFlags 7000 contexts::cuCtxGetFlags;
        cuCtxGetId 12000 contexts::cuCtxGetId;
        cuCtxGetLimit 3010 contexts::cuCtxGetLimit;
        cuCtxGetSharedMemConfig 4020 contexts::cuCtxGetSharedMemConfig;
        cuCtxGetStreamPriorityRange 5050 contexts::cuCtxGetStreamPriorityRange;
        cuCtxPopCurrent 4000 contexts::cuCtxPopCurrent_v2;
        cuCtxPushCurrent 4000 contexts::cuCtxPushCurrent_v2;
        cuCtxResetPersistingL2Cache 11000 contexts::cuCtxResetPersistingL2Cache;
        cuCtxSetCacheConfig 3020 contexts::cuCtxSetCacheConfig;
        cuCtxSetCurrent 4000 contexts::cuCtxSetCurrent;
        cuCtxSetFlags 12010 contexts::cuCtxSetFlags;
        cuCtxSetLimit 3010 contexts::cuCtxSetLimit;
        cuCtxSetSharedMemConfig 4020 contexts::cuCtxSetSharedMemConfig;
        cuCtxSynchronize 2000 contexts::cuCtxSynchronize;
        cuDeviceCanAccessPeer 4000 peers::cuDeviceCanAccessPeer;
        cuDeviceComputeCapability 2000 devices::cuDeviceComputeCapability;
        cuDeviceGet 2000 devices::cuDeviceGet;
        cuDeviceGetAttribute 2000 devices::cuDeviceGetAttribute;
        cuDeviceGetByPCIBusId 4010 devices::cuDeviceGetByPCIBusId;
        cuDeviceGetCount 2000 devices::cuDeviceGetCount;
        cuDeviceGetDefaultMemPool 11020 devices::cuDeviceGetDefaultMemPool;
        cuDeviceGetExecAffinitySupport 11040 devices::cuDeviceGetExecAffinitySupport;
        cuDeviceGetMemPool 11020 devices::cuDeviceGetMemPool;
        cuDeviceGetName 2000 devices::cuDeviceGetName;
        cuDeviceGetP2PAttribute 8000 peers::cuDeviceGetP2PAttribute;
        cuDeviceGetPCIBusId 4010 devices::cuDeviceGetPCIBusId;
        cuDeviceGetProperties 2000 devices::cuDeviceGetProperties;
        cuDeviceGetUuid 9020 devices::cuDeviceGetUuid;
        cuDeviceGetUuid 11040 devices::cuDeviceGetUuid_v2;
        cuDevicePrimaryCtxGetState 7000 primary::cuDevicePrimaryCtxGetState;
        cuDevicePrimaryCtxRelease 11000 primary::cuDevicePrimaryCtxRelease_v2;
        cuDevicePrimaryCtxReset 11000 primary::cuDevicePrimaryCtxReset_v2;
        cuDevicePrimaryCtxRetain 7000 primary::cuDevicePrimaryCtxRetain;
        cuDevicePrimaryCtxSetFlags 11000 primary::cuDevicePrimaryCtxSetFlags_v2;
        cuDeviceSetMemPool 11020 devices::cuDeviceSetMemPool;
        cuDeviceTotalMem 3020 devices::cuDeviceTotalMem_v2;
        cuDriverGetVersion 2020 first_questions::cuDriverGetVersion;
        cuEventCreate 2000 events::cuEventCreate;
        cuEventDestroy 4000 events::cuEventDestroy_v2;
        cuEventElapsedTime 2000 events::cuEventElapsedTime;
        cuEventElapsedTime 12080 events::cuEventElapsedTime_v2;
        cuEventQuery 2000 events::cuEventQuery;
        cuEventRecord 2000 events::cuEventRecord or cuEventRecord_ptsz;
        cuEventRecordWithFlags 11010 events::cuEventRecordWithFlags or cuEventRecordWithFlags_ptsz;
        cuEventSynchronize 2000 events::cuEventSynchronize;
        cuDestroyExternalMemory 10000 external::cuDestroyExternalMemory;
        cuDestroyExternalSemaphore 10000 external::cuDestroyExternalSemaphore;
        cuExternalMemoryGetMappedBuffer 10000 external::cuExternalMemoryGetMappedBuffer;
        cuExternalMemoryGetMappedMipmappedArray 10000 external::cuExternalMemoryGetMappedMipmappedArray;
        cuImportExternalMemory 10000 external::cuImportExternalMemory;
        cuImportExternalSemaphore 10000 external::cuImportExternalSemaphore;
        cuSignalExternalSemaphoresAsync 10000 external::cuSignalExternalSemaphoresAsync
            or cuSignalExternalSemaphoresAsync_ptsz;
        cuWaitExternalSemaphoresAsync 10000 external::cuWaitExternalSemaphoresAsync
            or cuWaitExternalSemaphoresAsync_ptsz;
        cuFuncGetAttribute 2020 functions::cuFuncGetAttribute;
        cuFuncGetModule 11000 functions::cuFuncGetModule;
        cuFuncGetName 12030 functions::cuFuncGetName;
        cuFuncGetParamInfo 12040 functions::cuFuncGetParamInfo;
        cuFuncIsLoaded 12040 functions::cuFuncIsLoaded;
        cuFuncLoad 12040 functions::cuFuncLoad;
        cuFuncSetAttribute 9000 functions::cuFuncSetAttribute;
        cuFuncSetCacheConfig 3000 functions::cuFuncSetCacheConfig;
        cuFuncSetSharedMemConfig 4020 functions::cuFuncSetSharedMemConfig;
        cuGetErrorName 6000 start::cuGetErrorName;
        cuGetErrorString 6000 start::cuGetErrorString;
        cuGetExportTable 3000 first_questions::cuGetExportTable;
        cuGetProcAddress 11030 start::cuGetProcAddress;
        cuGetProcAddress 12000 start::cuGetProcAddress_v2 or cuGetProcAddress_v2_ptsz;
        cuGraphAddDependencies 10000 graphs::cuGraphAddDependencies;
        cuGraphAddEmptyNode 10000 graphs::cuGraphAddEmptyNode;
        cuGraphAddNode 12020 any_node::cuGraphAddNode;
        cuGraphAddNode 12030 any_node::cuGraphAddNode_v2;
        cuGraphExecNodeSetParams 12020 any_node::cuGraphExecNodeSetParams;
        cuGraphNodeSetParams 12020 any_node::cuGraphNodeSetParams;
        cuGraphClone 10000 graphs::cuGraphClone;
        cuGraphCreate 10000 graphs::cuGraphCreate;
        cuGraphDestroy 10000 user_objects::cuGraphDestroy;
        cuGraphDestroyNode 10000 graphs::cuGraphDestroyNode;
        cuGraphExecDestroy 10000 user_objects::cuGraphExecDestroy;
        cuGraphGetEdges 10000 graphs::cuGraphGetEdges;
        cuGraphGetNodes 10000 graphs::cuGraphGetNodes;
        cuGraphGetRootNodes 10000 graphs::cuGraphGetRootNodes;
        cuGraphInstantiate 10000 earlier_names::cuGraphInstantiate;
        cuGraphInstantiate 11000 earlier_graphs::cuGraphInstantiate_v2;
        cuGraphInstantiate 12000 user_objects::cuGraphInstantiateWithFlags;
        cuUserObjectCreate 11030 user_objects::cuUserObjectCreate;
        cuUserObjectRelease 11030 user_objects::cuUserObjectRelease;
        cuUserObjectRetain 11030 user_objects::cuUserObjectRetain;
        cuGraphRetainUserObject 11030 user_objects::cuGraphRetainUserObject;
        cuGraphReleaseUserObject 11030 user_objects::cuGraphReleaseUserObject;
        cuGraphAddKernelNode 10000 earlier_graphs::cuGraphAddKernelNode;
        cuGraphAddKernelNode 12000 graph_nodes::cuGraphAddKernelNode_v2;
        cuGraphKernelNodeSetParams 10000 earlier_graphs::cuGraphKernelNodeSetParams;
        cuGraphKernelNodeSetParams 12000 graph_nodes::cuGraphKernelNodeSetParams_v2;
        cuGraphExecKernelNodeSetParams 10010 earlier_graphs::cuGraphExecKernelNodeSetParams;
        cuGraphExecKernelNodeSetParams 12000 graph_nodes::cuGraphExecKernelNodeSetParams_v2;
        cuGraphAddMemcpyNode 10000 graph_nodes::cuGraphAddMemcpyNode;
        cuGraphExecHostNodeSetParams 10020 graph_nodes::cuGraphExecHostNodeSetParams;
        cuGraphExecMemcpyNodeSetParams 10020 graph_nodes::cuGraphExecMemcpyNodeSetParams;
        cuGraphExecMemsetNodeSetParams 10020 graph_nodes::cuGraphExecMemsetNodeSetParams;
        cuGraphHostNodeSetParams 10000 graph_nodes::cuGraphHostNodeSetParams;
        cuGraphMemcpyNodeSetParams 10000 graph_nodes::cuGraphMemcpyNodeSetParams;
        cuGraphMemsetNodeSetParams 10000 graph_nodes::cuGraphMemsetNodeSetParams;
        cuGraphAddMemsetNode 10000 graph_nodes::cuGraphAddMemsetNode;
        cuGraphAddHostNode 10000 graph_nodes::cuGraphAddHostNode;
        cuGraphAddChildGraphNode 10000 graph_nodes::cuGraphAddChildGraphNode;
        cuGraphAddEventRecordNode 11010 graph_nodes::cuGraphAddEventRecordNode;
        cuGraphAddEventWaitNode 11010 graph_nodes::cuGraphAddEventWaitNode;
        cuGraphAddMemAllocNode 11040 graph_nodes::cuGraphAddMemAllocNode;
        cuGraphAddMemFreeNode 11040 graph_nodes::cuGraphAddMemFreeNode;
        cuGraphChildGraphNodeGetGraph 10000 graph_nodes::cuGraphChildGraphNodeGetGraph;
        cuGraphExecUpdate 10020 earlier_graphs::cuGraphExecUpdate;
        cuGraphExecUpdate 12000 graph_nodes::cuGraphExecUpdate_v2;
        cuGraphInstantiateWithFlags 11040 user_objects::cuGraphInstantiateWithFlags;
        cuGraphInstantiateWithParams 12000 user_objects::cuGraphInstantiateWithParams;
        cuGraphLaunch 10000 graphs::cuGraphLaunch or cuGraphLaunch_ptsz;
        cuGraphNodeFindInClone 10000 graphs::cuGraphNodeFindInClone;
        cuGraphNodeGetDependencies 10000 graphs::cuGraphNodeGetDependencies;
        cuGraphNodeGetDependentNodes 10000 graphs::cuGraphNodeGetDependentNodes;
        cuGraphNodeGetType 10000 graphs::cuGraphNodeGetType;
        cuGraphRemoveDependencies 10000 graphs::cuGraphRemoveDependencies;
        cuGraphUpload 11010 graphs::cuGraphUpload or cuGraphUpload_ptsz;
        cuGraphicsGLRegisterBuffer 3000 graphics::cuGraphicsGLRegisterBuffer;
        cuGraphicsGLRegisterImage 3000 graphics::cuGraphicsGLRegisterImage;
        cuGraphicsMapResources 3000 graphics::cuGraphicsMapResources or cuGraphicsMapResources_ptsz;
        cuGraphicsResourceGetMappedMipmappedArray 5000 graphics::cuGraphicsResourceGetMappedMipmappedArray;
        cuGraphicsResourceGetMappedPointer 3020 graphics::cuGraphicsResourceGetMappedPointer_v2;
        cuGraphicsResourceSetMapFlags 6050 graphics::cuGraphicsResourceSetMapFlags_v2;
        cuGraphicsSubResourceGetMappedArray 3000 graphics::cuGraphicsSubResourceGetMappedArray;
        cuGraphicsUnmapResources 3000 graphics::cuGraphicsUnmapResources or cuGraphicsUnmapResources_ptsz;
        cuGraphicsUnregisterResource 3000 graphics::cuGraphicsUnregisterResource;
        cuInit 2000 start::cuInit;
        cuIpcCloseMemHandle 4010 processes::cuIpcCloseMemHandle;
        cuIpcGetEventHandle 4010 processes::cuIpcGetEventHandle;
        cuIpcGetMemHandle 4010 processes::cuIpcGetMemHandle;
        cuIpcOpenEventHandle 4010 processes::cuIpcOpenEventHandle;
        cuIpcOpenMemHandle 11000 processes::cuIpcOpenMemHandle_v2;
        cuKernelGetAttribute 12000 functions::cuKernelGetAttribute;
        cuKernelGetFunction 12000 libraries::cuKernelGetFunction;
        cuKernelGetLibrary 12050 libraries::cuKernelGetLibrary;
        cuKernelGetName 12030 functions::cuKernelGetName;
        cuKernelGetParamInfo 12040 functions::cuKernelGetParamInfo;
        cuKernelSetAttribute 12000 functions::cuKernelSetAttribute;
        cuKernelSetCacheConfig 12000 functions::cuKernelSetCacheConfig;
        cuLaunchCooperativeKernel 9000 launches::cuLaunchCooperativeKernel or cuLaunchCooperativeKernel_ptsz;
        cuLaunchHostFunc 10000 launches::cuLaunchHostFunc or cuLaunchHostFunc_ptsz;
        cuLaunchKernel 4000 launches::cuLaunchKernel or cuLaunchKernel_ptsz;
        cuLaunchKernelEx 11060 launches::cuLaunchKernelEx or cuLaunchKernelEx_ptsz;
        cuLibraryGetGlobal 12000 libraries::cuLibraryGetGlobal;
        cuLibraryGetKernel 12000 libraries::cuLibraryGetKernel;
        cuLibraryGetManaged 12000 libraries::cuLibraryGetManaged;
        cuLibraryGetModule 12000 libraries::cuLibraryGetModule;
        cuLibraryLoadData 12000 libraries::cuLibraryLoadData;
        cuLibraryLoadFromFile 12000 libraries::cuLibraryLoadFromFile;
        cuLibraryUnload 12000 libraries::cuLibraryUnload;
        cuLinkAddData 6050 links::cuLinkAddData_v2;
        cuLinkAddFile 6050 links::cuLinkAddFile_v2;
        cuLinkComplete 5050 links::cuLinkComplete;
        cuLinkCreate 6050 links::cuLinkCreate_v2;
        cuLinkDestroy 5050 links::cuLinkDestroy;
        cuMemAddressFree 10020 virtual_memory::cuMemAddressFree;
        cuMemAddressReserve 10020 virtual_memory::cuMemAddressReserve;
        cuMemCreate 10020 virtual_memory::cuMemCreate;
        cuMemExportToShareableHandle 10020 virtual_memory::cuMemExportToShareableHandle;
        cuMemGetAccess 10020 virtual_memory::cuMemGetAccess;
        cuMemGetAllocationGranularity 10020 virtual_memory::cuMemGetAllocationGranularity;
        cuMemGetAllocationPropertiesFromHandle 10020 virtual_memory::cuMemGetAllocationPropertiesFromHandle;
        cuMemImportFromShareableHandle 10020 virtual_memory::cuMemImportFromShareableHandle;
        cuMemMap 10020 virtual_memory::cuMemMap;
        cuMemRelease 10020 virtual_memory::cuMemRelease;
        cuMemRetainAllocationHandle 11000 virtual_memory::cuMemRetainAllocationHandle;
        cuMemSetAccess 10020 virtual_memory::cuMemSetAccess;
        cuMemUnmap 10020 virtual_memory::cuMemUnmap;
        cuMemAdvise 8000 pools::cuMemAdvise;
        cuMemAdvise 12020 pools::cuMemAdvise_v2;
        cuMemAlloc 3020 memory::cuMemAlloc_v2;
        cuMemAllocAsync 11020 pools::cuMemAllocAsync or cuMemAllocAsync_ptsz;
        cuMemAllocFromPoolAsync 11020 pools::cuMemAllocFromPoolAsync or cuMemAllocFromPoolAsync_ptsz;
        cuMemAllocHost 3020 memory::cuMemAllocHost_v2;
        cuMemAllocManaged 6000 memory::cuMemAllocManaged;
        cuMemAllocPitch 3020 memory::cuMemAllocPitch_v2;
        cuMemFree 3020 memory::cuMemFree_v2;
        cuMemFreeAsync 11020 pools::cuMemFreeAsync or cuMemFreeAsync_ptsz;
        cuMemFreeHost 2000 memory::cuMemFreeHost;
        cuMemGetAddressRange 3020 memory::cuMemGetAddressRange_v2;
        cuMemGetInfo 3020 memory::cuMemGetInfo_v2;
        cuMemHostAlloc 2020 memory::cuMemHostAlloc;
        cuMemHostGetDevicePointer 3020 memory::cuMemHostGetDevicePointer_v2;
        cuMemHostGetFlags 2030 memory::cuMemHostGetFlags;
        cuMemHostRegister 6050 memory::cuMemHostRegister_v2;
        cuMemHostUnregister 4000 memory::cuMemHostUnregister;
        cuMemPoolCreate 11020 pools::cuMemPoolCreate;
        cuMemPoolDestroy 11020 pools::cuMemPoolDestroy;
        cuMemPoolGetAccess 11020 pools::cuMemPoolGetAccess;
        cuMemPoolGetAttribute 11020 pools::cuMemPoolGetAttribute;
        cuMemPoolSetAccess 11020 pools::cuMemPoolSetAccess;
        cuMemPoolSetAttribute 11020 pools::cuMemPoolSetAttribute;
        cuMemPoolTrimTo 11020 pools::cuMemPoolTrimTo;
        cuMemPrefetchAsync 8000 pools::cuMemPrefetchAsync or cuMemPrefetchAsync_ptsz;
        cuMemPrefetchAsync 12020 pools::cuMemPrefetchAsync_v2 or cuMemPrefetchAsync_v2_ptsz;
        cuMemRangeGetAttribute 8000 pools::cuMemRangeGetAttribute;
        cuMemRangeGetAttributes 8000 pools::cuMemRangeGetAttributes;
        cuMemcpy 4000 copies::cuMemcpy or cuMemcpy_ptds;
        cuMemcpy2D 3020 copies::cuMemcpy2D_v2 or cuMemcpy2D_v2_ptds;
        cuMemcpy2DAsync 3020 copies::cuMemcpy2DAsync_v2 or cuMemcpy2DAsync_v2_ptsz;
        cuMemcpy2DUnaligned 3020 copies::cuMemcpy2DUnaligned_v2 or cuMemcpy2DUnaligned_v2_ptds;
        cuMemcpy3D 3020 copies::cuMemcpy3D_v2 or cuMemcpy3D_v2_ptds;
        cuMemcpy3DAsync 3020 copies::cuMemcpy3DAsync_v2 or cuMemcpy3DAsync_v2_ptsz;
        cuMemcpyAsync 4000 copies::cuMemcpyAsync or cuMemcpyAsync_ptsz;
        cuMemcpyAtoA 3020 array_copies::cuMemcpyAtoA_v2;
        cuMemcpyAtoD 3020 array_copies::cuMemcpyAtoD_v2;
        cuMemcpyAtoH 3020 array_copies::cuMemcpyAtoH_v2 or cuMemcpyAtoH_v2_ptds;
        cuMemcpyAtoHAsync 3020 array_copies::cuMemcpyAtoHAsync_v2 or cuMemcpyAtoHAsync_v2_ptsz;
        cuMemcpyDtoA 3020 array_copies::cuMemcpyDtoA_v2;
        cuMemcpyHtoA 3020 array_copies::cuMemcpyHtoA_v2 or cuMemcpyHtoA_v2_ptds;
        cuMemcpyHtoAAsync 3020 array_copies::cuMemcpyHtoAAsync_v2 or cuMemcpyHtoAAsync_v2_ptsz;
        cuMemcpyDtoD 3020 copies::cuMemcpyDtoD_v2 or cuMemcpyDtoD_v2_ptds;
        cuMemcpyDtoDAsync 3020 copies::cuMemcpyDtoDAsync_v2 or cuMemcpyDtoDAsync_v2_ptsz;
        cuMemcpyDtoH 3020 copies::cuMemcpyDtoH_v2 or cuMemcpyDtoH_v2_ptds;
        cuMemcpyDtoHAsync 3020 copies::cuMemcpyDtoHAsync_v2 or cuMemcpyDtoHAsync_v2_ptsz;
        cuMemcpyHtoD 3020 copies::cuMemcpyHtoD_v2 or cuMemcpyHtoD_v2_ptds;
        cuMemcpyHtoDAsync 3020 copies::cuMemcpyHtoDAsync_v2 or cuMemcpyHtoDAsync_v2_ptsz;
        cuMemcpyPeer 4000 copies::cuMemcpyPeer or cuMemcpyPeer_ptds;
        cuMemcpyPeerAsync 4000 copies::cuMemcpyPeerAsync or cuMemcpyPeerAsync_ptsz;
        cuMemsetD16 3020 fills::cuMemsetD16_v2 or cuMemsetD16_v2_ptds;
        cuMemsetD16Async 3020 fills::cuMemsetD16Async or cuMemsetD16Async_ptsz;
        cuMemsetD2D16 3020 fills::cuMemsetD2D16_v2 or cuMemsetD2D16_v2_ptds;
        cuMemsetD2D16Async 3020 fills::cuMemsetD2D16Async or cuMemsetD2D16Async_ptsz;
        cuMemsetD2D32 3020 fills::cuMemsetD2D32_v2 or cuMemsetD2D32_v2_ptds;
        cuMemsetD2D32Async 3020 fills::cuMemsetD2D32Async or cuMemsetD2D32Async_ptsz;
        cuMemsetD2D8 3020 fills::cuMemsetD2D8_v2 or cuMemsetD2D8_v2_ptds;
        cuMemsetD2D8Async 3020 fills::cuMemsetD2D8Async or cuMemsetD2D8Async_ptsz;
        cuMemsetD32 3020 fills::cuMemsetD32_v2 or cuMemsetD32_v2_ptds;
        cuMemsetD32Async 3020 fills::cuMemsetD32Async or cuMemsetD32Async_ptsz;
        cuMemsetD8 3020 fills::cuMemsetD8_v2 or cuMemsetD8_v2_ptds;
        cuMemsetD8Async 3020 fills::cuMemsetD8Async or cuMemsetD8Async_ptsz;
        cuMipmappedArrayCreate 5000 arrays::cuMipmappedArrayCreate;
        cuMipmappedArrayDestroy 5000 arrays::cuMipmappedArrayDestroy;
        cuMipmappedArrayGetLevel 5000 arrays::cuMipmappedArrayGetLevel;
        cuModuleGetFunction 2000 modules::cuModuleGetFunction;
        cuModuleGetGlobal 3020 modules::cuModuleGetGlobal_v2;
        cuModuleGetLoadingMode 11070 modules::cuModuleGetLoadingMode;
        cuModuleLoad 2000 modules::cuModuleLoad;
        cuModuleLoadData 2000 modules::cuModuleLoadData;
        cuModuleLoadDataEx 2010 modules::cuModuleLoadDataEx;
        cuModuleLoadFatBinary 2000 modules::cuModuleLoadFatBinary;
        cuModuleUnload 2000 modules::cuModuleUnload;
        cuOccupancyAvailableDynamicSMemPerBlock 10020 occupancy::cuOccupancyAvailableDynamicSMemPerBlock;
        cuOccupancyMaxActiveBlocksPerMultiprocessor 6050 occupancy::cuOccupancyMaxActiveBlocksPerMultiprocessor;
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags 7000 occupancy::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags;
        cuOccupancyMaxPotentialBlockSize 6050 occupancy::cuOccupancyMaxPotentialBlockSize;
        cuOccupancyMaxPotentialBlockSizeWithFlags 7000 occupancy::cuOccupancyMaxPotentialBlockSizeWithFlags;
        cuPointerGetAttribute 4000 pointers::cuPointerGetAttribute;
        cuPointerGetAttributes 7000 pointers::cuPointerGetAttributes;
        cuPointerSetAttribute 6000 pointers::cuPointerSetAttribute;
        cuProfilerStart 4000 start::cuProfilerStart;
        cuProfilerStop 4000 start::cuProfilerStop;
        cuStreamAddCallback 5000 launches::cuStreamAddCallback or cuStreamAddCallback_ptsz;
        cuStreamAttachMemAsync 6000 pools::cuStreamAttachMemAsync or cuStreamAttachMemAsync_ptsz;
        cuStreamBeginCapture 10010 graphs::cuStreamBeginCapture_v2 or cuStreamBeginCapture_v2_ptsz;
        cuStreamCopyAttributes 11000 streams::cuStreamCopyAttributes or cuStreamCopyAttributes_ptsz;
        cuStreamCreate 2000 streams::cuStreamCreate;
        cuStreamCreateWithPriority 5050 streams::cuStreamCreateWithPriority;
        cuStreamDestroy 4000 streams::cuStreamDestroy_v2;
        cuStreamEndCapture 10000 graphs::cuStreamEndCapture or cuStreamEndCapture_ptsz;
        cuStreamGetAttribute 11000 streams::cuStreamGetAttribute or cuStreamGetAttribute_ptsz;
        cuStreamGetCaptureInfo 11030 graphs::cuStreamGetCaptureInfo_v2 or cuStreamGetCaptureInfo_v2_ptsz;
        cuStreamGetCtx 9020 streams::cuStreamGetCtx or cuStreamGetCtx_ptsz;
        cuStreamGetCtx 12050 streams::cuStreamGetCtx_v2 or cuStreamGetCtx_v2_ptsz;
        cuStreamGetDevice 12080 streams::cuStreamGetDevice or cuStreamGetDevice_ptsz;
        cuStreamGetFlags 5050 streams::cuStreamGetFlags or cuStreamGetFlags_ptsz;
        cuStreamGetId 12000 streams::cuStreamGetId or cuStreamGetId_ptsz;
        cuStreamGetPriority 5050 streams::cuStreamGetPriority or cuStreamGetPriority_ptsz;
        cuStreamIsCapturing 10000 graphs::cuStreamIsCapturing or cuStreamIsCapturing_ptsz;
        cuStreamQuery 2000 streams::cuStreamQuery or cuStreamQuery_ptsz;
        cuStreamSetAttribute 11000 streams::cuStreamSetAttribute or cuStreamSetAttribute_ptsz;
        cuStreamSynchronize 2000 streams::cuStreamSynchronize or cuStreamSynchronize_ptsz;
        cuStreamUpdateCaptureDependencies 11030 graphs::cuStreamUpdateCaptureDependencies or cuStreamUpdateCaptureDependencies_ptsz;
        cuStreamWaitEvent 3020 streams::cuStreamWaitEvent or cuStreamWaitEvent_ptsz;
        cuSurfObjectCreate 5000 textures::cuSurfObjectCreate;
        cuSurfObjectDestroy 5000 textures::cuSurfObjectDestroy;
        cuSurfObjectGetResourceDesc 5000 textures::cuSurfObjectGetResourceDesc;
        cuTexObjectCreate 5000 textures::cuTexObjectCreate;
        cuTexObjectDestroy 5000 textures::cuTexObjectDestroy;
        cuTexObjectGetResourceDesc 5000 textures::cuTexObjectGetResourceDesc;
        cuTexObjectGetResourceViewDesc 5000 textures::cuTexObjectGetResourceViewDesc;
        cuTexObjectGetTextureDesc 5000 textures::cuTexObjectGetTextureDesc;
        cuCtxAttach 2000 contexts::cuCtxAttach;
        cuCtxDetach 2000 contexts::cuCtxDetach;
        cuCtxFromGreenCtx 12040 parts::cuCtxFromGreenCtx;
        cuCtxGetDevResource 12040 parts::cuCtxGetDevResource;
        cuCtxRecordEvent 12050 contexts::cuCtxRecordEvent;
        cuCtxWaitEvent 12050 contexts::cuCtxWaitEvent;
        cuDevResourceGenerateDesc 12040 parts::cuDevResourceGenerateDesc;
        cuDevSmResourceSplitByCount 12040 parts::cuDevSmResourceSplitByCount;
        cuDeviceGetDevResource 12040 parts::cuDeviceGetDevResource;
        cuDeviceGetGraphMemAttribute 11040 graph_questions::cuDeviceGetGraphMemAttribute;
        cuDeviceGraphMemTrim 11040 graph_questions::cuDeviceGraphMemTrim;
        cuFuncSetBlockShape 2000 earlier_launches::cuFuncSetBlockShape;
        cuFuncSetSharedSize 2000 earlier_launches::cuFuncSetSharedSize;
        cuGraphDebugDotPrint 11030 graph_questions::cuGraphDebugDotPrint;
        cuGraphEventRecordNodeGetEvent 11010 graph_questions::cuGraphEventRecordNodeGetEvent;
        cuGraphEventRecordNodeSetEvent 11010 graph_questions::cuGraphEventRecordNodeSetEvent;
        cuGraphEventWaitNodeGetEvent 11010 graph_questions::cuGraphEventWaitNodeGetEvent;
        cuGraphEventWaitNodeSetEvent 11010 graph_questions::cuGraphEventWaitNodeSetEvent;
        cuGraphExecChildGraphNodeSetParams 11010 graph_questions::cuGraphExecChildGraphNodeSetParams;
        cuGraphExecEventRecordNodeSetEvent 11010 graph_questions::cuGraphExecEventRecordNodeSetEvent;
        cuGraphExecEventWaitNodeSetEvent 11010 graph_questions::cuGraphExecEventWaitNodeSetEvent;
        cuGraphExecGetFlags 12000 graph_questions::cuGraphExecGetFlags;
        cuGraphHostNodeGetParams 10000 graph_questions::cuGraphHostNodeGetParams;
        cuGraphKernelNodeCopyAttributes 11000 graph_questions::cuGraphKernelNodeCopyAttributes;
        cuGraphKernelNodeGetAttribute 11000 graph_questions::cuGraphKernelNodeGetAttribute;
        cuGraphKernelNodeGetParams 10000 earlier_graphs::cuGraphKernelNodeGetParams;
        cuGraphKernelNodeGetParams 12000 graph_questions::cuGraphKernelNodeGetParams_v2;
        cuGraphKernelNodeSetAttribute 11000 graph_questions::cuGraphKernelNodeSetAttribute;
        cuGraphMemAllocNodeGetParams 11040 graph_questions::cuGraphMemAllocNodeGetParams;
        cuGraphMemFreeNodeGetParams 11040 graph_questions::cuGraphMemFreeNodeGetParams;
        cuGraphMemcpyNodeGetParams 10000 graph_questions::cuGraphMemcpyNodeGetParams;
        cuGraphMemsetNodeGetParams 10000 graph_questions::cuGraphMemsetNodeGetParams;
        cuGraphNodeGetEnabled 11060 graph_questions::cuGraphNodeGetEnabled;
        cuGraphNodeSetEnabled 11060 graph_questions::cuGraphNodeSetEnabled;
        cuGreenCtxCreate 12040 parts::cuGreenCtxCreate;
        cuGreenCtxDestroy 12040 parts::cuGreenCtxDestroy;
        cuGreenCtxGetDevResource 12040 parts::cuGreenCtxGetDevResource;
        cuGreenCtxRecordEvent 12040 parts::cuGreenCtxRecordEvent;
        cuGreenCtxStreamCreate 12050 parts::cuGreenCtxStreamCreate;
        cuGreenCtxWaitEvent 12040 parts::cuGreenCtxWaitEvent;
        cuLaunch 2000 earlier_launches::cuLaunch;
        cuLaunchGrid 2000 earlier_launches::cuLaunchGrid;
        cuLaunchGridAsync 2000 earlier_launches::cuLaunchGridAsync;
        cuMemcpy3DPeer 4000 copies::cuMemcpy3DPeer or cuMemcpy3DPeer_ptds;
        cuMemcpy3DPeerAsync 4000 copies::cuMemcpy3DPeerAsync or cuMemcpy3DPeerAsync_ptsz;
        cuModuleGetSurfRef 3000 texture_references::cuModuleGetSurfRef;
        cuModuleGetTexRef 2000 texture_references::cuModuleGetTexRef;
        cuParamSetSize 2000 earlier_launches::cuParamSetSize;
        cuParamSetTexRef 2000 earlier_launches::cuParamSetTexRef;
        cuParamSetf 2000 earlier_launches::cuParamSetf;
        cuParamSeti 2000 earlier_launches::cuParamSeti;
        cuParamSetv 2000 earlier_launches::cuParamSetv;
        cuProfilerInitialize 4000 start::cuProfilerInitialize;
        cuStreamGetGreenCtx 12040 parts::cuStreamGetGreenCtx;
        cuSurfRefGetArray 3000 texture_references::cuSurfRefGetArray;
        cuSurfRefSetArray 3000 texture_references::cuSurfRefSetArray;
        cuTexRefCreate 2000 texture_references::cuTexRefCreate;
        cuTexRefDestroy 2000 texture_references::cuTexRefDestroy;
        cuTexRefGetAddress 3020 texture_references::cuTexRefGetAddress_v2;
        cuTexRefGetAddressMode 2000 texture_references::cuTexRefGetAddressMode;
        cuTexRefGetArray 2000 texture_references::cuTexRefGetArray;
        cuTexRefGetBorderColor 8000 texture_references::cuTexRefGetBorderColor;
        cuTexRefGetFilterMode 2000 texture_references::cuTexRefGetFilterMode;
        cuTexRefGetFlags 2000 texture_references::cuTexRefGetFlags;
        cuTexRefGetFormat 2000 texture_references::cuTexRefGetFormat;
        cuTexRefGetMaxAnisotropy 5000 texture_references::cuTexRefGetMaxAnisotropy;
        cuTexRefGetMipmapFilterMode 5000 texture_references::cuTexRefGetMipmapFilterMode;
        cuTexRefGetMipmapLevelBias 5000 texture_references::cuTexRefGetMipmapLevelBias;
        cuTexRefGetMipmapLevelClamp 5000 texture_references::cuTexRefGetMipmapLevelClamp;
        cuTexRefGetMipmappedArray 5000 texture_references::cuTexRefGetMipmappedArray;
        cuTexRefSetAddress 3020 texture_references::cuTexRefSetAddress_v2;
        cuTexRefSetAddress2D 4010 texture_references::cuTexRefSetAddress2D_v3;
        cuTexRefSetAddressMode 2000 texture_references::cuTexRefSetAddressMode;
        cuTexRefSetArray 2000 texture_references::cuTexRefSetArray;
        cuTexRefSetBorderColor 8000 texture_references::cuTexRefSetBorderColor;
        cuTexRefSetFilterMode 2000 texture_references::cuTexRefSetFilterMode;
        cuTexRefSetFlags 2000 texture_references::cuTexRefSetFlags;
        cuTexRefSetFormat 2000 texture_references::cuTexRefSetFormat;
        cuTexRefSetMaxAnisotropy 5000 texture_references::cuTexRefSetMaxAnisotropy;
        cuTexRefSetMipmapFilterMode 5000 texture_references::cuTexRefSetMipmapFilterMode;
        cuTexRefSetMipmapLevelBias 5000 texture_references::cuTexRefSetMipmapLevelBias;
        cuTexRefSetMipmapLevelClamp 5000 texture_references::cuTexRefSetMipmapLevelClamp;
        cuTexRefSetMipmappedArray 5000 texture_references::cuTexRefSetMipmappedArray;
        cuThreadExchangeStreamCaptureMode 10010 graphs::cuThreadExchangeStreamCaptureMode;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_get_the_forms_that_they_know() {
        let at = |function: *const ()| Found::At(function as usize);
        let create = |version| find(c"cuCtxCreate", version, false);
        assert_eq!(create(2000), Found::Later);
        assert_eq!(create(12000), at(contexts::cuCtxCreate_v3 as *const ()));
        assert_eq!(create(12090), at(contexts::cuCtxCreate_v4 as *const ()));
        assert_eq!(find(c"cuNothing", 12090, false), Found::Nowhere);
        assert_eq!(find(c"cuMemAlloc_v2", 12090, false), Found::Nowhere);
        let query = find(c"cuStreamQuery", 12090, true);
        assert_eq!(query, at(streams::cuStreamQuery_ptsz as *const ()));
    }
}
