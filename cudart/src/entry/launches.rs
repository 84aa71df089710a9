//! Launches: what clang makes of `kernel<<<…>>>(…)`.

use std::ffi::c_void;

pub use kernel_language::push as __cudaPushCallConfiguration;

use crate::abi::Dim3;
use crate::error::{Code, SUCCESS, answer};
use crate::launch::{Configuration, launch};
use crate::runtime::runtime;

/// Pops the configuration of the launch that calls the stub.
///
/// # Safety
/// The addresses are valid.
pub unsafe extern "C" fn __cudaPopCallConfiguration(
    grid: *mut Dim3,
    block: *mut Dim3,
    shared: *mut usize,
    stream: *mut *mut c_void,
) -> i32 {
    // SAFETY: caller.
    match unsafe { kernel_language::pop(grid, block, shared, stream) } {
        true => SUCCESS,
        false => answer(Err(Code::MISSING_CONFIGURATION)),
    }
}

/// Launches a kernel.
///
/// # Safety
/// There is an argument for each parameter of the kernel.
pub unsafe extern "C" fn cudaLaunchKernel(
    stub: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: usize,
    stream: *mut c_void,
) -> i32 {
    let configuration = Configuration {
        grid: grid.counts(),
        block: block.counts(),
        shared,
        stream: stream as usize,
        cooperative: false,
    };
    // SAFETY: caller.
    answer(unsafe { launch(runtime(), stub as usize, configuration, arguments) })
}

/// A kernel's handle for [`__cudaLaunchKernel`]: its host function. What is wrong with it is said by the launch.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn __cudaGetKernel(kernel: *mut *const c_void, stub: *const c_void) -> i32 {
    // SAFETY: caller.
    match unsafe { kernel.as_mut() } {
        Some(place) => {
            *place = stub;
            SUCCESS
        }
        None => answer(Err(Code::INVALID_VALUE)),
    }
}

/// Launches a kernel: what `nvcc` 13 makes of `kernel<<<…>>>(…)`.
///
/// # Safety
/// As for [`cudaLaunchKernel`].
pub unsafe extern "C" fn __cudaLaunchKernel(
    kernel: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: usize,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe { cudaLaunchKernel(kernel, grid, block, arguments, shared, stream) }
}
