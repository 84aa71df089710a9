//! C structures of CUDA's runtime interface (version 12). `cudart/include/driver_types.h` has the same.

use std::ffi::{c_char, c_void};

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dim3 {
    /// In the first dimension.
    pub x: u32,
    /// In the second.
    pub y: u32,
    /// In the third.
    pub z: u32,
}

impl Dim3 {
    /// As an array.
    pub fn counts(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

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

/// Integers between the fields of `cudaDeviceProp` that are known.
type Unknown<const N: usize> = [i32; N];

/// `cudaDeviceProp`.
#[repr(C)]
pub struct DeviceProperties {
    /// Name, with a NUL at its end.
    pub name: [c_char; 256],
    /// Not known.
    pub ids: [u8; 28],
    /// Bytes of memory.
    pub total_memory: usize,
    /// Shared memory of a block.
    pub shared_per_block: usize,
    /// Not known.
    pub registers_per_block: i32,
    /// Lanes of a warp.
    pub warp_size: i32,
    /// Largest pitch of a copy.
    pub memory_pitch: usize,
    /// Threads of a block.
    pub max_threads_per_block: i32,
    /// The same, per dimension.
    pub max_block: [i32; 3],
    /// Blocks of a grid.
    pub max_grid: [i32; 3],
    /// Not known.
    pub clock_rate: i32,
    /// Bytes of constants.
    pub constant_memory: usize,
    /// Compute capability.
    pub major: i32,
    /// Compute capability.
    pub minor: i32,
    /// Alignment of textures.
    pub texture_alignment: usize,
    /// Alignment of rows of textures.
    pub texture_pitch_alignment: usize,
    /// Copies beside kernels.
    pub overlap: i32,
    /// Multiprocessors.
    pub multiprocessors: i32,
    /// Not so.
    pub timeout: i32,
    /// Not so.
    pub integrated: i32,
    /// Kernels reach memory of `cudaHostAlloc`.
    pub maps_host_memory: i32,
    /// Any number of threads may use it.
    pub compute_mode: i32,
    /// There are no textures and no surfaces.
    pub textures: Unknown<40>,
    /// Alignment of surfaces.
    pub surface_alignment: usize,
    /// Several kernels at once.
    pub concurrent_kernels: i32,
    /// Not known.
    pub bus: Unknown<5>,
    /// Engines for copies.
    pub copy_engines: i32,
    /// Host and device addresses do not overlap.
    pub unified_addressing: i32,
    /// Not known.
    pub memory_rate: Unknown<4>,
    /// Threads of a multiprocessor.
    pub threads_per_multiprocessor: i32,
    /// Not known.
    pub caches: Unknown<3>,
    /// Shared memory of a multiprocessor.
    pub shared_per_multiprocessor: usize,
    /// Not known.
    pub registers_per_multiprocessor: i32,
    /// There is `cudaMallocManaged`.
    pub managed_memory: i32,
    /// Not known.
    pub boards: Unknown<10>,
    /// Shared memory of a block with `cudaFuncSetAttribute`.
    pub shared_per_block_optin: usize,
    /// Not known.
    pub pages: Unknown<4>,
    /// Nothing is reserved.
    pub shared_reserved: usize,
    /// Not known, and reserved.
    pub rest: Unknown<76>,
}

/// The size of CUDA 12's structure.
const _: () = assert!(size_of::<DeviceProperties>() == 1032);
const _: () = assert!(size_of::<FunctionAttributes>() == 24 + 29 * 4 + 4);
