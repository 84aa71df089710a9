//! The types of the runtime's functions: handles, packets, and the enumeration values that are used here. The values
//! are those of `hsa.h` and `hsa_ext_amd.h` (HSA Runtime Programmer's Reference Manual 1.2; ROCR 5.2.3).

use std::ffi::{c_char, c_void};
use std::sync::atomic::AtomicU32;

use bitflags::bitflags;
use vendor_driver::values;

/// Declares the runtime's handles: opaque numbers of 64 bits.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// No object.
            pub const NULL: $name = $name(0);
        }
    )*};
}

handles! {
    /// `hsa_agent_t`: a processor of the system.
    HsaAgent
    /// `hsa_isa_t`
    HsaIsa
    /// `hsa_amd_memory_pool_t`
    HsaPool
    /// `hsa_signal_t`
    HsaSignal
    /// `hsa_code_object_reader_t`
    HsaReader
    /// `hsa_executable_t`
    HsaExecutable
    /// `hsa_loaded_code_object_t`
    HsaLoadedCode
    /// `hsa_executable_symbol_t`
    HsaSymbol
}

/// `hsa_status_t`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct HsaStatus(pub u32);

values! { HsaStatus:
    /// The call did what was asked.
    SUCCESS = 0
    /// A callback wants no more calls. Not an error.
    INFO_BREAK = 1
    /// The size is larger than the pool allows, or the pool is not for the host.
    INVALID_ALLOCATION = 0x1003
    /// Not enough memory or other resources. Of `hsa_init`: there is no device.
    OUT_OF_RESOURCES = 0x1008
    /// A packet of the queue is malformed.
    INVALID_PACKET_FORMAT = 0x1009
    /// The runtime is not initialised, or not any more.
    NOT_INITIALIZED = 0x100b
    /// The runtime does not know the machine code's architecture.
    INVALID_ISA_NAME = 0x1017
    /// The machine code is malformed.
    INVALID_CODE_OBJECT = 0x1010
    /// There is no such symbol.
    INVALID_SYMBOL_NAME = 0x1013
    /// A kernel trapped.
    EXCEPTION = 0x1016
    /// A kernel's access to shared or private memory leaves it.
    MEMORY_APERTURE_VIOLATION = 41
    /// A kernel executed an illegal instruction.
    ILLEGAL_INSTRUCTION = 42
    /// A kernel used an address that is not mapped.
    MEMORY_FAULT = 43
}

/// `hsa_system_info_t`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct HsaSystemInfo(pub u32);

values! { HsaSystemInfo:
    /// u64: ticks per second of the clock that waits are measured by.
    TIMESTAMP_FREQUENCY = 3
    /// bool: whether kernels may use any address of the host.
    SVM_ACCESSIBLE_BY_DEFAULT = 0x202
}

/// `hsa_agent_info_t`, `hsa_amd_agent_info_t`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct HsaAgentInfo(pub u32);

values! { HsaAgentInfo:
    /// char[64]: `gfx90a`.
    NAME = 0
    /// u32: lanes of a wave.
    WAVEFRONT_SIZE = 6
    /// u32: most work-items of a work-group.
    WORKGROUP_MAX_SIZE = 8
    /// u32[3]: most work-items of a grid per dimension.
    GRID_MAX_DIM = 9
    /// u32: most packets of a queue.
    QUEUE_MAX_SIZE = 14
    /// u32: [`DEVICE_TYPE_CPU`] or [`DEVICE_TYPE_GPU`].
    DEVICE = 17
    /// u32: compute units.
    COMPUTE_UNIT_COUNT = 0xa002
    /// char[64]: the name for people.
    PRODUCT_NAME = 0xa009
    /// u32: most waves of a compute unit.
    MAX_WAVES_PER_CU = 0xa00a
    /// u32: SIMD units of a compute unit.
    SIMDS_PER_CU = 0xa00b
    /// u64: bytes of memory that are free. Newer runtimes.
    MEMORY_AVAIL = 0xa015
    /// u64: ticks per second of the clock that kernels read. Newer runtimes.
    TIMESTAMP_FREQUENCY = 0xa016
}

/// `HSA_DEVICE_TYPE_CPU`
pub const DEVICE_TYPE_CPU: u32 = 0;
/// `HSA_DEVICE_TYPE_GPU`
pub const DEVICE_TYPE_GPU: u32 = 1;

/// `hsa_isa_info_t`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct HsaIsaInfo(pub u32);

values! { HsaIsaInfo:
    /// u32: bytes of the name with its null character.
    NAME_LENGTH = 0
    /// char[]: `amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`.
    NAME = 1
}

/// `hsa_amd_memory_pool_info_t`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct HsaPoolInfo(pub u32);

values! { HsaPoolInfo:
    /// u32: [`SEGMENT_GLOBAL`] or [`SEGMENT_GROUP`], or another that is not used here.
    SEGMENT = 0
    /// u32: [`HsaPoolFlags`].
    GLOBAL_FLAGS = 1
    /// usize: bytes.
    SIZE = 2
    /// bool: whether the host may allocate.
    RUNTIME_ALLOC_ALLOWED = 5
}

/// `HSA_AMD_SEGMENT_GLOBAL`
pub const SEGMENT_GLOBAL: u32 = 0;
/// `HSA_AMD_SEGMENT_GROUP`
pub const SEGMENT_GROUP: u32 = 3;

bitflags! {
    /// `hsa_amd_memory_pool_global_flag_t`
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(transparent)]
    pub struct HsaPoolFlags: u32 {
        /// Kernel arguments may lie there.
        const KERNARG_INIT = 1;
        /// What one processor writes the others see while kernels run.
        const FINE_GRAINED = 2;
        /// What one processor writes the others see when a kernel has ended.
        const COARSE_GRAINED = 4;
    }
}

/// `hsa_amd_agent_memory_pool_info_t`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct HsaAgentPoolInfo(pub u32);

values! { HsaAgentPoolInfo:
    /// u32: `hsa_amd_memory_pool_access_t`.
    ACCESS = 0
}

/// `HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED`
pub const ACCESS_NEVER: u32 = 0;
/// `HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT`
pub const ACCESS_BY_DEFAULT: u32 = 1;

/// `hsa_executable_symbol_info_t`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct HsaSymbolInfo(pub u32);

values! { HsaSymbolInfo:
    /// u32: bytes of a kernel's arguments.
    KERNARG_SEGMENT_SIZE = 11
    /// u32: static shared memory of a block, bytes.
    GROUP_SEGMENT_SIZE = 13
    /// u32: private memory of a thread, bytes.
    PRIVATE_SEGMENT_SIZE = 14
    /// bool: whether the kernel needs more private memory than it knows, because it calls through pointers.
    DYNAMIC_CALLSTACK = 15
    /// u64: the address of a variable.
    VARIABLE_ADDRESS = 21
    /// u32: its size.
    VARIABLE_SIZE = 9
    /// u64: what a dispatch packet names.
    KERNEL_OBJECT = 22
}

/// `HSA_PROFILE_FULL`
pub const PROFILE_FULL: u32 = 1;
/// `HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT`
pub const ROUNDING_DEFAULT: u32 = 0;
/// `HSA_SIGNAL_CONDITION_LT`
pub const CONDITION_LESS: u32 = 2;
/// `HSA_WAIT_STATE_BLOCKED`
pub const WAIT_BLOCKED: u32 = 0;
/// `HSA_WAIT_STATE_ACTIVE`
pub const WAIT_ACTIVE: u32 = 1;
/// `HSA_QUEUE_TYPE_MULTI`
pub const QUEUE_MULTI: u32 = 0;

/// `hsa_queue_t` of a system with 64-bit addresses.
#[derive(Debug)]
#[repr(C)]
pub struct HsaQueue {
    /// Kind of queue.
    pub kind: u32,
    /// What it accepts.
    pub features: u32,
    /// The ring: packets of 64 bytes.
    pub base: *mut Packet,
    /// What is written to tell the device of new packets.
    pub doorbell: HsaSignal,
    /// Packets of the ring, a power of two.
    pub size: u32,
    /// 0.
    pub reserved: u32,
    /// The queue's number.
    pub id: u64,
}

/// A packet: its header and setup, which make it valid, and its body.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Packet {
    /// `header` in the lower half, `setup` in the upper one.
    pub head: AtomicU32,
    /// The rest.
    pub body: [u32; 15],
}

/// `hsa_kernel_dispatch_packet_t` behind its header and setup.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Dispatch {
    /// Work-items of a work-group per dimension.
    pub workgroup: [u16; 3],
    /// 0.
    pub reserved0: u16,
    /// Work-items of the grid per dimension.
    pub grid: [u32; 3],
    /// Private memory of a work-item, bytes.
    pub private_segment: u32,
    /// Shared memory of a work-group, bytes: static and dynamic.
    pub group_segment: u32,
    /// The kernel, in two halves: the body is not aligned to 8.
    pub kernel: [u32; 2],
    /// The address of the arguments, likewise.
    pub arguments: [u32; 2],
    /// 0.
    pub reserved1: [u32; 2],
    /// The signal that is decremented when the kernel has ended, likewise.
    pub completion: [u32; 2],
}

/// `hsa_barrier_and_packet_t` behind its header.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BarrierAnd {
    /// 0.
    pub reserved0: u32,
    /// Signals that must be 0 before the queue goes on, as two halves each.
    pub dependences: [[u32; 2]; 5],
    /// 0.
    pub reserved1: [u32; 2],
    /// The signal that is decremented then.
    pub completion: [u32; 2],
}

/// `hsa_amd_pointer_info_t`
#[derive(Debug)]
#[repr(C)]
pub struct HsaPointerInfo {
    /// Bytes of this structure, which the caller writes.
    pub size: u32,
    /// [`POINTER_HSA`], or another.
    pub kind: u32,
    /// The address for devices.
    pub agent_base: *mut c_void,
    /// The address for the host.
    pub host_base: *mut c_void,
    /// Bytes of the allocation.
    pub bytes: usize,
    /// What a user of the runtime attached to it.
    pub user_data: *mut c_void,
    /// Whose memory it is.
    pub owner: HsaAgent,
    /// The pool's flags.
    pub flags: u32,
}

/// `HSA_EXT_POINTER_TYPE_HSA`: memory of a pool.
pub const POINTER_HSA: u32 = 1;

/// `hsa_amd_event_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct HsaEvent {
    /// [`EVENT_MEMORY_FAULT`], or another.
    pub kind: u32,
    /// What happened, if it is a memory fault.
    pub fault: HsaMemoryFault,
}

/// `HSA_AMD_GPU_MEMORY_FAULT_EVENT`
pub const EVENT_MEMORY_FAULT: u32 = 0;

/// `hsa_amd_gpu_memory_fault_info_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct HsaMemoryFault {
    /// The device.
    pub agent: HsaAgent,
    /// The address; devices know it to a page.
    pub address: u64,
    /// [`HsaFaultReasons`].
    pub reasons: u32,
}

bitflags! {
    /// `hsa_amd_memory_fault_reason_t`
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(transparent)]
    pub struct HsaFaultReasons: u32 {
        /// Nothing is mapped there.
        const PAGE_NOT_PRESENT = 1;
        /// A store to memory that may only be read.
        const READ_ONLY = 2;
        /// Execution of what is not code.
        const NOT_EXECUTABLE = 4;
        /// The host alone may use it.
        const HOST_ONLY = 8;
        /// An error of the memory that could not be corrected.
        const DRAM_ECC = 16;
        /// The address is not exact.
        const IMPRECISE = 32;
        /// An error of memory on the chip that could not be corrected.
        const SRAM_ECC = 64;
        /// The device hangs.
        const HANG = 1 << 31;
    }
}

/// What `hsa_queue_create` calls when the queue fails.
pub type QueueCallback =
    unsafe extern "C" fn(status: HsaStatus, queue: *mut HsaQueue, data: *mut c_void);
/// What `hsa_amd_register_system_event_handler` calls.
pub type EventCallback =
    unsafe extern "C" fn(event: *const HsaEvent, data: *mut c_void) -> HsaStatus;
/// What iterations over agents call.
pub type AgentCallback = unsafe extern "C" fn(agent: HsaAgent, data: *mut c_void) -> HsaStatus;
/// What iterations over instruction sets call.
pub type IsaCallback = unsafe extern "C" fn(isa: HsaIsa, data: *mut c_void) -> HsaStatus;
/// What iterations over pools call.
pub type PoolCallback = unsafe extern "C" fn(pool: HsaPool, data: *mut c_void) -> HsaStatus;
/// `void *(*)(size_t)`
pub type Allocator = unsafe extern "C" fn(size: usize) -> *mut c_void;
/// A C string of the caller's.
pub type CText = *const c_char;

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn structures_have_the_layout_of_the_headers() {
        assert_eq!(size_of::<HsaQueue>(), 40);
        assert_eq!(offset_of!(HsaQueue, doorbell), 16);
        assert_eq!((size_of::<Packet>(), align_of::<Packet>()), (64, 64));
        assert_eq!((size_of::<Dispatch>(), size_of::<BarrierAnd>()), (60, 60));
        assert_eq!(4 + offset_of!(Dispatch, kernel), 32);
        assert_eq!(4 + offset_of!(Dispatch, completion), 56);
        assert_eq!(4 + offset_of!(BarrierAnd, dependences), 8);
        assert_eq!(4 + offset_of!(BarrierAnd, completion), 56);
        assert_eq!(size_of::<HsaPointerInfo>(), 56);
        assert_eq!(offset_of!(HsaPointerInfo, owner), 40);
        assert_eq!(offset_of!(HsaEvent, fault), 8);
        assert_eq!(offset_of!(HsaMemoryFault, reasons), 16);
    }
}
