//! The types of the driver's functions: handles, and the enumeration values that are used here. The values are
//! those of `cuda.h` (CUDA Driver API reference manual, version 12.8).

use std::ffi::{c_int, c_uint, c_void};

use bitflags::bitflags;
use vendor_driver::values;

/// Declares the driver's handles: opaque pointers.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub *mut c_void);

        impl $name {
            /// No object.
            pub const NULL: $name = $name(std::ptr::null_mut());
        }

        // SAFETY: the driver's handles may be used from any thread.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    )*};
}

handles! {
    /// `CUcontext`
    CuContext
    /// `CUmodule`
    CuModule
    /// `CUfunction`
    CuFunction
    /// `CUstream`
    CuStream
    /// `CUevent`
    CuEvent
    /// `CUmemoryPool`
    CuMemoryPool
}

/// `CUdevice`: the number the driver gives a device.
pub type CuDevice = c_int;
/// `CUdeviceptr`
pub type CuDevicePtr = u64;
/// `CUhostFn`
pub type CuHostFunction = unsafe extern "C" fn(data: *mut c_void);

/// `CUresult`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct CuResult(pub u32);

values! { CuResult:
    /// The call did what was asked.
    SUCCESS = 0
    /// An argument is invalid: for example, an address that is not allocated.
    INVALID_VALUE = 1
    /// Neither the pool nor the device has this much memory.
    OUT_OF_MEMORY = 2
    /// The process is ending: the driver has shut down.
    DEINITIALIZED = 4
    /// Another process uses the device exclusively.
    DEVICE_UNAVAILABLE = 46
    /// There is no device.
    NO_DEVICE = 100
    /// The device's memory has an error that could not be corrected. Sticky.
    ECC_UNCORRECTABLE = 214
    /// The driver's compiler does not know this version of PTX.
    UNSUPPORTED_PTX_VERSION = 222
    /// There is no such symbol.
    NOT_FOUND = 500
    /// The operation is not complete.
    NOT_READY = 600
    /// A kernel used an address that is not mapped. Sticky.
    ILLEGAL_ADDRESS = 700
    /// The launch needs more registers or shared memory than there are.
    LAUNCH_OUT_OF_RESOURCES = 701
    /// The display's watchdog ended a kernel. Sticky.
    LAUNCH_TIMEOUT = 702
    /// The context's peer access is enabled already.
    PEER_ACCESS_ALREADY_ENABLED = 704
    /// The context has been destroyed. Sticky.
    CONTEXT_IS_DESTROYED = 709
    /// A kernel called `__assertfail`. Sticky.
    ASSERT = 710
    /// A stack is corrupt or has overflowed. Sticky.
    HARDWARE_STACK_ERROR = 714
    /// A kernel executed an illegal instruction. On some devices also the result of `trap`. Sticky.
    ILLEGAL_INSTRUCTION = 715
    /// A kernel used a misaligned address. Sticky.
    MISALIGNED_ADDRESS = 716
    /// A kernel used an address of another address space. Sticky.
    INVALID_ADDRESS_SPACE = 717
    /// A kernel jumped to an address without code. Sticky.
    INVALID_PC = 718
    /// A kernel failed. Also the result of `trap`. Sticky.
    LAUNCH_FAILED = 719
    /// The system's services for the devices are not running.
    SYSTEM_NOT_READY = 802
    /// The driver's library does not match its kernel module.
    SYSTEM_DRIVER_MISMATCH = 803
}

/// `CUdevice_attribute`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct CuDeviceAttribute(pub c_int);

values! { CuDeviceAttribute:
    /// Most threads of a block.
    MAX_THREADS_PER_BLOCK = 1
    /// Most blocks of a grid along x.
    MAX_GRID_DIM_X = 5
    /// Most blocks of a grid along y.
    MAX_GRID_DIM_Y = 6
    /// Most blocks of a grid along z.
    MAX_GRID_DIM_Z = 7
    /// Shared memory of a block without opt-in, bytes.
    MAX_SHARED_MEMORY_PER_BLOCK = 8
    /// Lanes of a warp.
    WARP_SIZE = 10
    /// Registers of a block.
    MAX_REGISTERS_PER_BLOCK = 12
    /// Multiprocessors.
    MULTIPROCESSOR_COUNT = 16
    /// The `8` of sm_86.
    COMPUTE_CAPABILITY_MAJOR = 75
    /// The `6` of sm_86.
    COMPUTE_CAPABILITY_MINOR = 76
    /// Whether there is managed memory.
    MANAGED_MEMORY = 83
    /// Whether kernels may dereference any host pointer (heterogeneous memory management, or hardware support).
    PAGEABLE_MEMORY_ACCESS = 88
    /// Shared memory of a block with opt-in (`CuFunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES`), bytes.
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
    /// Whether kernels use registered host memory under the host's address.
    HOST_POINTERS_OF_REGISTERED_MEMORY = 91
    /// Whether `cuMemAllocAsync` works on the device.
    MEMORY_POOLS_SUPPORTED = 115
}

/// `CUfunction_attribute`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct CuFunctionAttribute(pub c_int);

values! { CuFunctionAttribute:
    /// Most threads of a block, as registers and launch bounds allow.
    MAX_THREADS_PER_BLOCK = 0
    /// Static shared memory, bytes.
    SHARED_SIZE_BYTES = 1
    /// Local memory per thread, bytes.
    LOCAL_SIZE_BYTES = 3
    /// Registers per thread.
    NUM_REGS = 4
    /// Most dynamic shared memory of a launch, bytes. It can be set.
    MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
}

/// `CUlimit`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct CuLimit(pub c_int);

values! { CuLimit:
    /// A thread's stack, bytes.
    STACK_SIZE = 0
    /// The buffer of `printf`, bytes.
    PRINTF_FIFO_SIZE = 1
    /// The heap of `malloc` on the device, bytes. It cannot change once a module is loaded.
    MALLOC_HEAP_SIZE = 2
}

impl CuLimit {
    /// The name of the limited resource, for messages.
    pub fn name(self) -> &'static str {
        match self {
            CuLimit::STACK_SIZE => "stack",
            CuLimit::PRINTF_FIFO_SIZE => "printf buffer",
            _ => "heap",
        }
    }
}

/// `CUjit_option`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct CuJitOption(pub c_int);

values! { CuJitOption:
    /// Buffer (`char *`) for the compiler's messages.
    INFO_LOG_BUFFER = 3
    /// The size of that buffer in bytes: a number in place of the pointer. The driver stores the number of bytes
    /// written there.
    INFO_LOG_BUFFER_SIZE_BYTES = 4
    /// Buffer (`char *`) for errors.
    ERROR_LOG_BUFFER = 5
    /// Its size.
    ERROR_LOG_BUFFER_SIZE_BYTES = 6
    /// Whether to keep line tables, for profilers and the driver's messages.
    GENERATE_LINE_INFO = 13
}

/// `CUmemPool_attribute`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct CuMemPoolAttribute(pub c_int);

values! { CuMemPoolAttribute:
    /// Bytes (`u64`) that the pool keeps when they are not in use.
    RELEASE_THRESHOLD = 4
}

bitflags! {
    /// `CUstream_flags`
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(transparent)]
    pub struct CuStreamFlags: c_uint {
        /// `CU_STREAM_NON_BLOCKING`: the stream does not wait for the default stream.
        const NON_BLOCKING = 1;
    }

    /// `CUevent_flags`
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(transparent)]
    pub struct CuEventFlags: c_uint {
        /// `CU_EVENT_DISABLE_TIMING`: the event records no time.
        const DISABLE_TIMING = 2;
    }

    /// `CU_MEMHOSTALLOC_*`
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(transparent)]
    pub struct CuHostAllocFlags: c_uint {
        /// `CU_MEMHOSTALLOC_PORTABLE`: pinned for every context.
        const PORTABLE = 1;
        /// `CU_MEMHOSTALLOC_DEVICEMAP`: kernels may use the memory.
        const DEVICE_MAP = 2;
    }

    /// `CUmemAttach_flags`
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(transparent)]
    pub struct CuMemAttachFlags: c_uint {
        /// `CU_MEM_ATTACH_GLOBAL`: managed memory that every stream may use.
        const GLOBAL = 1;
    }
}
