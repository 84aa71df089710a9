//! What clang makes of `kernel<<<…>>>(…)`.

use std::ffi::c_void;

use cudart::entry::cooperative::cudaLaunchCooperativeKernel;
use kernel_language::Dim3;
pub use kernel_language::push as __hipPushCallConfiguration;

use crate::entry::SUCCESS;

/// `hipErrorMissingConfiguration`.
const MISSING_CONFIGURATION: i32 = 52;

/// Pops the configuration of the launch that calls the stub.
///
/// # Safety
/// The addresses are valid.
pub unsafe extern "C" fn __hipPopCallConfiguration(
    grid: *mut Dim3,
    block: *mut Dim3,
    shared: *mut usize,
    stream: *mut *mut c_void,
) -> i32 {
    // SAFETY: caller.
    match unsafe { kernel_language::pop(grid, block, shared, stream) } {
        true => SUCCESS,
        false => MISSING_CONFIGURATION,
    }
}

/// Launches a kernel whose blocks synchronise with each other.
///
/// # Safety
/// There is an argument for each parameter of the kernel.
pub unsafe extern "C" fn hipLaunchCooperativeKernel(
    stub: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: u32,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe { cudaLaunchCooperativeKernel(stub, grid, block, arguments, shared as usize, stream) }
}
