//! Functions of the runtime's interface that are about this one: both are in one library.

use std::ffi::{c_char, c_int, c_void};

use cudart::entry::devices::cudaRuntimeGetVersion;
use cudart::error::{Code, answer};
use cudart::runtime::runtime;

use crate::contexts;
use crate::entry::start::procedure;

/// A function of the driver's interface, in its form of the runtime's version.
///
/// # Safety
/// The addresses are null or valid, and the name is a string.
pub unsafe extern "C" fn cudaGetDriverEntryPoint(
    name: *const c_char,
    function: *mut *mut c_void,
    flags: u64,
    status: *mut c_int,
) -> i32 {
    let mut version = 0;
    // SAFETY: the place is valid, so the call does not fail.
    unsafe { cudaRuntimeGetVersion(&mut version) };
    // SAFETY: caller.
    unsafe { cudaGetDriverEntryPointByVersion(name, function, version as u32, flags, status) }
}

/// The same, in its form of a version.
///
/// # Safety
/// As for [`cudaGetDriverEntryPoint`].
pub unsafe extern "C" fn cudaGetDriverEntryPointByVersion(
    name: *const c_char,
    function: *mut *mut c_void,
    version: u32,
    flags: u64,
    status: *mut c_int,
) -> i32 {
    let find = || {
        let version = c_int::try_from(version).map_err(|_| Code::INVALID_VALUE)?;
        // The runtime starts the driver, so the program need not.
        if !runtime().devices().is_empty() {
            contexts::start();
        }
        // SAFETY: caller.
        unsafe { procedure(name, function, version, flags, status) }
    };
    answer(find())
}
