//! Error codes: CUDA's names and numbers. The descriptions are our own.

use std::ffi::CStr;

/// A `cudaError_t` that is not `cudaSuccess`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub i32);

/// `cudaSuccess`.
pub const SUCCESS: i32 = 0;

macro_rules! codes {
    ($($constant:ident = $number:literal, $name:literal, $text:literal;)*) => {
        impl Code {
            $(
                #[doc = concat!("`", $name, "`: ", $text, ".")]
                #[allow(dead_code, reason = "a program may ask for the name of each")]
                pub const $constant: Code = Code($number);
            )*
        }

        /// Number, name and description of every error.
        pub const CODES: &[(i32, &CStr, &CStr)] = &[
            (SUCCESS, c"cudaSuccess", c"no error"),
            $(($number, to_c(concat!($name, "\0")), to_c(concat!($text, "\0"))),)*
        ];
    };
}

const fn to_c(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text ends with the only NUL"),
    }
}

codes! {
    INVALID_VALUE = 1, "cudaErrorInvalidValue", "invalid argument";
    MEMORY_ALLOCATION = 2, "cudaErrorMemoryAllocation", "out of memory";
    INITIALIZATION = 3, "cudaErrorInitializationError", "initialization error";
    CUDART_UNLOADING = 4, "cudaErrorCudartUnloading", "the runtime library is being unloaded";
    PROFILER_DISABLED = 5, "cudaErrorProfilerDisabled", "the profiler is disabled";
    PROFILER_NOT_INITIALIZED = 6, "cudaErrorProfilerNotInitialized", "the profiler is not initialised";
    PROFILER_ALREADY_STARTED = 7, "cudaErrorProfilerAlreadyStarted", "the profiler has started already";
    PROFILER_ALREADY_STOPPED = 8, "cudaErrorProfilerAlreadyStopped", "the profiler has stopped already";
    INVALID_CONFIGURATION = 9, "cudaErrorInvalidConfiguration", "invalid configuration argument";
    INVALID_PITCH = 12, "cudaErrorInvalidPitchValue", "invalid pitch argument";
    INVALID_SYMBOL = 13, "cudaErrorInvalidSymbol", "invalid device symbol";
    INVALID_HOST_POINTER = 16, "cudaErrorInvalidHostPointer", "the host address is not valid";
    INVALID_POINTER = 17, "cudaErrorInvalidDevicePointer", "the device address is not valid";
    INVALID_TEXTURE = 18, "cudaErrorInvalidTexture", "the texture is not valid";
    INVALID_TEXTURE_BINDING = 19, "cudaErrorInvalidTextureBinding", "the texture is not bound as the call needs it";
    INVALID_CHANNEL_DESCRIPTOR = 20, "cudaErrorInvalidChannelDescriptor", "the channel descriptor is not valid";
    INVALID_DIRECTION = 21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy";
    ADDRESS_OF_CONSTANT = 22, "cudaErrorAddressOfConstant", "the address of a constant variable was taken";
    TEXTURE_FETCH_FAILED = 23, "cudaErrorTextureFetchFailed", "a fetch from a texture failed";
    TEXTURE_NOT_BOUND = 24, "cudaErrorTextureNotBound", "the texture is not bound";
    SYNCHRONIZATION_ERROR = 25, "cudaErrorSynchronizationError", "a synchronisation failed";
    INVALID_FILTER_SETTING = 26, "cudaErrorInvalidFilterSetting", "the filter mode does not suit the texture";
    INVALID_NORM_SETTING = 27, "cudaErrorInvalidNormSetting", "the normalisation does not suit the texture";
    MIXED_DEVICE_EXECUTION = 28, "cudaErrorMixedDeviceExecution", "code of the device and of emulation was mixed";
    NOT_YET_IMPLEMENTED = 31, "cudaErrorNotYetImplemented", "the function is not written yet";
    MEMORY_VALUE_TOO_LARGE = 32, "cudaErrorMemoryValueTooLarge", "the memory value is too large";
    STUB_LIBRARY = 34, "cudaErrorStubLibrary", "the library is a stub";
    INSUFFICIENT_DRIVER = 35, "cudaErrorInsufficientDriver", "the driver is older than the runtime library";
    CALL_REQUIRES_NEWER_DRIVER = 36, "cudaErrorCallRequiresNewerDriver", "the call needs a newer driver";
    INVALID_SURFACE = 37, "cudaErrorInvalidSurface", "the surface is not valid";
    DUPLICATE_VARIABLE_NAME = 43, "cudaErrorDuplicateVariableName", "two variables have one name";
    DUPLICATE_TEXTURE_NAME = 44, "cudaErrorDuplicateTextureName", "two textures have one name";
    DUPLICATE_SURFACE_NAME = 45, "cudaErrorDuplicateSurfaceName", "two surfaces have one name";
    DEVICES_UNAVAILABLE = 46, "cudaErrorDevicesUnavailable", "every device is busy or unavailable";
    INCOMPATIBLE_DRIVER_CONTEXT = 49, "cudaErrorIncompatibleDriverContext",
        "the current context does not suit the runtime";
    MISSING_CONFIGURATION = 52, "cudaErrorMissingConfiguration",
        "a kernel's host function was called without <<<...>>>";
    PRIOR_LAUNCH_FAILURE = 53, "cudaErrorPriorLaunchFailure", "an earlier launch failed";
    LAUNCH_MAX_DEPTH_EXCEEDED = 65, "cudaErrorLaunchMaxDepthExceeded", "launches are nested too deep";
    LAUNCH_FILE_SCOPED_TEX = 66, "cudaErrorLaunchFileScopedTex", "a nested launch uses a texture of the file";
    LAUNCH_FILE_SCOPED_SURF = 67, "cudaErrorLaunchFileScopedSurf", "a nested launch uses a surface of the file";
    SYNC_DEPTH_EXCEEDED = 68, "cudaErrorSyncDepthExceeded", "synchronisations are nested too deep";
    LAUNCH_PENDING_COUNT_EXCEEDED = 69, "cudaErrorLaunchPendingCountExceeded", "too many nested launches wait";
    INVALID_FUNCTION = 98, "cudaErrorInvalidDeviceFunction", "invalid device function";
    NO_DEVICE = 100, "cudaErrorNoDevice", "no CUDA-capable device is detected";
    INVALID_DEVICE = 101, "cudaErrorInvalidDevice", "invalid device ordinal";
    DEVICE_NOT_LICENSED = 102, "cudaErrorDeviceNotLicensed", "the device has no licence for this";
    SOFTWARE_VALIDITY_NOT_ESTABLISHED = 103, "cudaErrorSoftwareValidityNotEstablished",
        "the software is not known to be sound";
    STARTUP_FAILURE = 127, "cudaErrorStartupFailure", "the runtime library could not start";
    INVALID_IMAGE = 200, "cudaErrorInvalidKernelImage", "device kernel image is invalid";
    DEVICE_UNINITIALIZED = 201, "cudaErrorDeviceUninitialized", "the device is not initialised";
    MAP_BUFFER_OBJECT_FAILED = 205, "cudaErrorMapBufferObjectFailed", "the buffer could not be mapped";
    UNMAP_BUFFER_OBJECT_FAILED = 206, "cudaErrorUnmapBufferObjectFailed", "the buffer could not be unmapped";
    ARRAY_IS_MAPPED = 207, "cudaErrorArrayIsMapped", "the array is mapped";
    ALREADY_MAPPED = 208, "cudaErrorAlreadyMapped", "the resource is mapped already";
    NO_IMAGE = 209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device";
    ALREADY_ACQUIRED = 210, "cudaErrorAlreadyAcquired", "the resource is taken already";
    NOT_MAPPED = 211, "cudaErrorNotMapped", "the resource is not mapped";
    NOT_MAPPED_AS_ARRAY = 212, "cudaErrorNotMappedAsArray", "the resource is not mapped as an array";
    NOT_MAPPED_AS_POINTER = 213, "cudaErrorNotMappedAsPointer", "the resource is not mapped as an address";
    ECCUNCORRECTABLE = 214, "cudaErrorECCUncorrectable", "memory has an error that cannot be corrected";
    UNSUPPORTED_LIMIT = 215, "cudaErrorUnsupportedLimit", "the device has no such limit";
    DEVICE_ALREADY_IN_USE = 216, "cudaErrorDeviceAlreadyInUse", "another thread uses the device";
    NO_PEER_ACCESS = 217, "cudaErrorPeerAccessUnsupported", "the devices do not reach each other's memory";
    INVALID_PTX = 218, "cudaErrorInvalidPtx", "the PTX is not valid";
    INVALID_GRAPHICS_CONTEXT = 219, "cudaErrorInvalidGraphicsContext", "the graphics context is not valid";
    NVLINK_UNCORRECTABLE = 220, "cudaErrorNvlinkUncorrectable",
        "a link between GPUs has an error that cannot be corrected";
    JIT_COMPILER_NOT_FOUND = 221, "cudaErrorJitCompilerNotFound", "there is no compiler for PTX";
    UNSUPPORTED_PTX_VERSION = 222, "cudaErrorUnsupportedPtxVersion", "the PTX is of a version that is not known";
    JIT_COMPILATION_DISABLED = 223, "cudaErrorJitCompilationDisabled", "compilation of PTX is disabled";
    UNSUPPORTED_EXEC_AFFINITY = 224, "cudaErrorUnsupportedExecAffinity",
        "the context cannot be limited to some multiprocessors";
    UNSUPPORTED_DEV_SIDE_SYNC = 225, "cudaErrorUnsupportedDevSideSync",
        "synchronisation in device code is not supported";
    CONTAINED = 226, "cudaErrorContained", "an error was contained";
    INVALID_SOURCE = 300, "cudaErrorInvalidSource", "the source is not valid";
    FILE_NOT_FOUND = 301, "cudaErrorFileNotFound", "the file was not found";
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302, "cudaErrorSharedObjectSymbolNotFound", "a shared library lacks a symbol";
    SHARED_OBJECT_INIT_FAILED = 303, "cudaErrorSharedObjectInitFailed", "a shared library could not start";
    OPERATING_SYSTEM = 304, "cudaErrorOperatingSystem", "the operating system refused something";
    INVALID_HANDLE = 400, "cudaErrorInvalidResourceHandle", "invalid resource handle";
    ILLEGAL_STATE = 401, "cudaErrorIllegalState", "the state does not allow the call";
    LOSSY_QUERY = 402, "cudaErrorLossyQuery", "the answer would lose information";
    SYMBOL_NOT_FOUND = 500, "cudaErrorSymbolNotFound", "there is no such symbol";
    NOT_READY = 600, "cudaErrorNotReady", "device not ready";
    ILLEGAL_ADDRESS = 700, "cudaErrorIllegalAddress", "an illegal memory access was encountered";
    OUT_OF_RESOURCES = 701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch";
    TIMEOUT = 702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated";
    LAUNCH_INCOMPATIBLE_TEXTURING = 703, "cudaErrorLaunchIncompatibleTexturing",
        "the launch does not suit the texturing mode";
    PEER_ENABLED = 704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is enabled already";
    PEER_NOT_ENABLED = 705, "cudaErrorPeerAccessNotEnabled", "peer access is not enabled";
    ON_ACTIVE = 708, "cudaErrorSetOnActiveProcess", "the device is in use already";
    CONTEXT_IS_DESTROYED = 709, "cudaErrorContextIsDestroyed", "the context is destroyed";
    ASSERT = 710, "cudaErrorAssert", "device-side assert triggered";
    TOO_MANY_PEERS = 711, "cudaErrorTooManyPeers", "too many devices are peers";
    HOST_REGISTERED = 712, "cudaErrorHostMemoryAlreadyRegistered", "the host memory is registered already";
    HOST_NOT_REGISTERED = 713, "cudaErrorHostMemoryNotRegistered", "the host memory is not registered";
    STACK = 714, "cudaErrorHardwareStackError", "hardware stack error";
    ILLEGAL_INSTRUCTION = 715, "cudaErrorIllegalInstruction", "illegal instruction";
    MISALIGNED_ADDRESS = 716, "cudaErrorMisalignedAddress", "misaligned address";
    INVALID_ADDRESS_SPACE = 717, "cudaErrorInvalidAddressSpace", "the address is in the wrong address space";
    INVALID_PC = 718, "cudaErrorInvalidPc", "invalid program counter";
    LAUNCH_FAILURE = 719, "cudaErrorLaunchFailure", "unspecified launch failure";
    COOPERATIVE_TOO_LARGE = 720, "cudaErrorCooperativeLaunchTooLarge",
        "the grid of a cooperative launch does not fit on the device";
    TENSOR_MEMORY_LEAK = 721, "cudaErrorTensorMemoryLeak", "tensor memory was not freed";
    NOT_PERMITTED = 800, "cudaErrorNotPermitted", "operation not permitted";
    NOT_SUPPORTED = 801, "cudaErrorNotSupported", "operation not supported";
    SYSTEM_NOT_READY = 802, "cudaErrorSystemNotReady", "the system is not ready";
    SYSTEM_DRIVER_MISMATCH = 803, "cudaErrorSystemDriverMismatch", "driver and system do not fit together";
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804, "cudaErrorCompatNotSupportedOnDevice",
        "the device does not support this compatibility mode";
    MPS_CONNECTION_FAILED = 805, "cudaErrorMpsConnectionFailed", "no connection to the MPS server";
    MPS_RPC_FAILURE = 806, "cudaErrorMpsRpcFailure", "a call of the MPS server failed";
    MPS_SERVER_NOT_READY = 807, "cudaErrorMpsServerNotReady", "the MPS server is not ready";
    MPS_MAX_CLIENTS_REACHED = 808, "cudaErrorMpsMaxClientsReached", "the MPS server has no room for another client";
    MPS_MAX_CONNECTIONS_REACHED = 809, "cudaErrorMpsMaxConnectionsReached",
        "the MPS server has no room for another connection";
    MPS_CLIENT_TERMINATED = 810, "cudaErrorMpsClientTerminated", "the MPS client was ended";
    CDP_NOT_SUPPORTED = 811, "cudaErrorCdpNotSupported", "device code cannot launch kernels";
    CDP_VERSION_MISMATCH = 812, "cudaErrorCdpVersionMismatch", "the versions of nested launches differ";
    CAPTURE_UNSUPPORTED = 900, "cudaErrorStreamCaptureUnsupported", "a captured stream cannot do this";
    CAPTURE_INVALIDATED = 901, "cudaErrorStreamCaptureInvalidated", "an earlier error ended the capture";
    CAPTURE_MERGE = 902, "cudaErrorStreamCaptureMerge", "two captures cannot become one";
    CAPTURE_UNMATCHED = 903, "cudaErrorStreamCaptureUnmatched", "the capture did not begin in this stream";
    CAPTURE_UNJOINED = 904, "cudaErrorStreamCaptureUnjoined", "a stream of the capture was not joined";
    CAPTURE_ISOLATION = 905, "cudaErrorStreamCaptureIsolation",
        "a captured stream depends on work outside the capture";
    STREAM_CAPTURE_IMPLICIT = 906, "cudaErrorStreamCaptureImplicit",
        "the default stream would depend on a captured stream";
    CAPTURED_EVENT = 907, "cudaErrorCapturedEvent", "the event is part of a capture";
    STREAM_CAPTURE_WRONG_THREAD = 908, "cudaErrorStreamCaptureWrongThread", "another thread began the capture";
    TIME_IS_OVER = 909, "cudaErrorTimeout", "the time is over";
    UPDATE_FAILURE = 910, "cudaErrorGraphExecUpdateFailure", "the graph cannot become the other one";
    EXTERNAL_DEVICE = 911, "cudaErrorExternalDevice", "a device outside failed";
    INVALID_CLUSTER_SIZE = 912, "cudaErrorInvalidClusterSize", "the cluster size is not valid";
    FUNCTION_NOT_LOADED = 913, "cudaErrorFunctionNotLoaded", "the function is not loaded";
    INVALID_RESOURCE_TYPE = 914, "cudaErrorInvalidResourceType", "the resource is of the wrong sort";
    INVALID_RESOURCE_CONFIGURATION = 915, "cudaErrorInvalidResourceConfiguration", "the resource is badly configured";
    UNKNOWN = 999, "cudaErrorUnknown", "unknown error";
}
