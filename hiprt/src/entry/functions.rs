//! Kernels as functions, where HIP's structures differ.

use std::ffi::{c_int, c_void};

use cudart::abi::FunctionAttributes;
use cudart::entry::functions::{
    cudaFuncGetAttributes, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
};
use cudart::runtime::runtime;

use crate::entry::{INVALID_VALUE, SUCCESS};

/// `hipFuncAttributes`.
#[repr(C)]
pub struct HipFunctionAttributes {
    /// The architecture's number.
    pub binary_version: c_int,
    /// Not known.
    pub cache_mode: c_int,
    /// Not known.
    pub constant_bytes: usize,
    /// Not known.
    pub local_bytes: usize,
    /// Most dynamic shared memory of a launch.
    pub max_dynamic_shared: c_int,
    /// Most threads of a block.
    pub max_threads: c_int,
    /// Not known.
    pub registers: c_int,
    /// No preference.
    pub carveout: c_int,
    /// Not known.
    pub ptx_version: c_int,
    /// Static shared memory.
    pub shared_bytes: usize,
}

/// What is known about a kernel.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn hipFuncGetAttributes(
    attributes: *mut HipFunctionAttributes,
    stub: *const c_void,
) -> i32 {
    let mut known = FunctionAttributes::default();
    // SAFETY: the place is valid.
    let code = unsafe { cudaFuncGetAttributes(&mut known, stub) };
    // SAFETY: caller.
    let Some(place) = (unsafe { attributes.as_mut() }) else {
        return INVALID_VALUE;
    };
    if code == SUCCESS {
        *place = HipFunctionAttributes {
            binary_version: known.binary_version,
            cache_mode: known.cache_mode,
            constant_bytes: known.constant_bytes,
            local_bytes: known.local_bytes,
            max_dynamic_shared: known.max_dynamic_shared,
            max_threads: known.max_threads,
            registers: known.registers,
            carveout: known.carveout,
            ptx_version: known.ptx_version,
            shared_bytes: known.shared_bytes,
        };
    }
    code
}

/// The largest block of a kernel, and a grid of such blocks that fills the device.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn hipOccupancyMaxPotentialBlockSize(
    grid: *mut c_int,
    block: *mut c_int,
    stub: *const c_void,
    shared: usize,
    limit: c_int,
) -> i32 {
    // SAFETY: caller.
    let (Some(grid), Some(block)) = (unsafe { (grid.as_mut(), block.as_mut()) }) else {
        return INVALID_VALUE;
    };
    let mut known = FunctionAttributes::default();
    // SAFETY: the place is valid.
    let code = unsafe { cudaFuncGetAttributes(&mut known, stub) };
    if code != SUCCESS {
        return code;
    }
    let threads = match limit > 0 {
        true => known.max_threads.min(limit),
        false => known.max_threads,
    };
    let mut blocks = 0;
    // SAFETY: the place is valid.
    let code = unsafe {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, stub, threads, shared)
    };
    if code == SUCCESS {
        let device = runtime()
            .device()
            .map(|device| device.raw.info().multiprocessors);
        *block = threads;
        *grid = blocks * device.unwrap_or(1) as c_int;
    }
    code
}
