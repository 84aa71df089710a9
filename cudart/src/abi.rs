//! C structures of CUDA's runtime interface (version 12). `cudart/include/driver_types.h` has the same.

use std::ffi::c_void;

pub use kernel_language::Dim3;

/// `cudaExtent` and `cudaPos`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes of a row, or the first byte.
    pub x: usize,
    /// Rows, or the first row.
    pub y: usize,
    /// Planes, or the first plane.
    pub z: usize,
}

/// `cudaPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PitchedPointer {
    /// The first byte.
    pub address: *mut c_void,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Bytes of a row that are used.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
}

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CopyBox {
    /// The source, if it is an array.
    pub from_array: *mut c_void,
    /// Where in the source.
    pub from_position: Size,
    /// The source.
    pub from: PitchedPointer,
    /// The destination, if it is an array.
    pub to_array: *mut c_void,
    /// Where in the destination.
    pub to_position: Size,
    /// The destination.
    pub to: PitchedPointer,
    /// How much.
    pub extent: Size,
    /// `cudaMemcpyKind`.
    pub kind: i32,
}

/// `cudaMemcpy3DPeerParms`.
#[repr(C)]
pub struct PeerCopyBox {
    /// The source, if it is an array.
    pub from_array: *mut c_void,
    /// Where in the source.
    pub from_position: Size,
    /// The source.
    pub from: PitchedPointer,
    /// Its device.
    pub from_device: i32,
    /// The destination, if it is an array.
    pub to_array: *mut c_void,
    /// Where in the destination.
    pub to_position: Size,
    /// The destination.
    pub to: PitchedPointer,
    /// Its device.
    pub to_device: i32,
    /// How much.
    pub extent: Size,
}

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelParameters {
    /// The kernel's host function.
    pub function: *const c_void,
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The addresses of the arguments.
    pub arguments: *const *const u8,
    /// The arguments in another form.
    pub extra: *mut *mut c_void,
}

impl Default for KernelParameters {
    fn default() -> KernelParameters {
        let one = Dim3 { x: 1, y: 1, z: 1 };
        KernelParameters {
            function: std::ptr::null(),
            grid: one,
            block: one,
            shared: 0,
            arguments: std::ptr::null(),
            extra: std::ptr::null_mut(),
        }
    }
}

/// `cudaMemsetParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FillParameters {
    /// The first byte.
    pub to: *mut c_void,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// The element.
    pub value: u32,
    /// Its bytes.
    pub element: u32,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// `cudaHostNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostParameters {
    /// The function.
    pub function: Option<unsafe extern "C" fn(*mut c_void)>,
    /// What it gets.
    pub data: *mut c_void,
}

/// `cudaMemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Location {
    /// `cudaMemLocationType`.
    pub kind: i32,
    /// The device's number.
    pub number: i32,
}

/// `cudaMemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Access {
    /// Who may access.
    pub location: Location,
    /// `cudaMemAccessFlags`.
    pub flags: i32,
}

/// `cudaMemPoolProps`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PoolProperties {
    /// `cudaMemAllocationType`.
    pub kind: i32,
    /// `cudaMemAllocationHandleType`: for other processes.
    pub handles: i32,
    /// Where the memory is.
    pub location: Location,
    /// Of another system.
    pub security: *mut c_void,
    /// Most bytes; 0: what the device has.
    pub max_size: usize,
    /// Advice.
    pub usage: u16,
    /// Zeros.
    pub reserved: [u8; 54],
}

/// `cudaMemAllocNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AllocationParameters {
    /// As of a pool.
    pub pool: PoolProperties,
    /// Who may access the memory.
    pub access: *const Access,
    /// How many those are.
    pub accesses: usize,
    /// How much.
    pub bytes: usize,
    /// Where it is: the answer.
    pub address: *mut c_void,
}

/// `cudaGraphInstantiateParams`.
#[repr(C)]
pub struct InstantiateParameters {
    /// Flags.
    pub flags: u64,
    /// For the upload.
    pub stream: *mut c_void,
    /// Where a failure was: an answer.
    pub error_node: *mut c_void,
    /// `cudaGraphInstantiateResult`: an answer.
    pub result: i32,
}

/// `cudaGraphExecUpdateResultInfo`.
#[repr(C)]
pub struct UpdateResult {
    /// `cudaGraphExecUpdateResult`.
    pub result: i32,
    /// The node of the new graph that does not fit.
    pub error_node: *mut c_void,
    /// Another node that an edge of it names.
    pub error_from_node: *mut c_void,
}

/// The value of an attribute of a stream or a launch (`cudaLaunchAttributeValue`).
pub type AttributeValue = [u8; 64];

/// What a program passes to `__cudaRegisterFatBinary`.
#[repr(C)]
pub struct FatBinaryWrapper {
    /// 0x466243b1.
    pub magic: u32,
    /// 1.
    pub version: u32,
    /// The fat binary.
    pub data: *const u8,
    /// Null.
    pub reserved: *const c_void,
}

/// `cudaFuncAttributes`.
#[repr(C)]
#[derive(Default)]
pub struct FunctionAttributes {
    /// Static shared memory.
    pub shared_bytes: usize,
    /// Not known.
    pub constant_bytes: usize,
    /// Not known.
    pub local_bytes: usize,
    /// Most threads of a block.
    pub max_threads: i32,
    /// Not known.
    pub registers: i32,
    /// Not known.
    pub ptx_version: i32,
    /// The architecture's number.
    pub binary_version: i32,
    /// Not known.
    pub cache_mode: i32,
    /// Most dynamic shared memory of a launch.
    pub max_dynamic_shared: i32,
    /// No preference.
    pub carveout: i32,
    /// Of clusters, and reserved.
    pub rest: [i32; 22],
}

/// `cudaPointerAttributes`.
#[repr(C)]
pub struct PointerAttributes {
    /// `cudaMemoryType`.
    pub kind: i32,
    /// The device's number.
    pub device: i32,
    /// Its address for kernels.
    pub device_pointer: *mut c_void,
    /// Its address for the host.
    pub host_pointer: *mut c_void,
}

/// The size of CUDA 12's structure.
const _: () = assert!(size_of::<FunctionAttributes>() == 24 + 29 * 4 + 4);
