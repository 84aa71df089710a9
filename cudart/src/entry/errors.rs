//! `cudaGetLastError` and its like.

use std::ffi::c_char;

use crate::error;

/// The thread's last error, which is forgotten.
pub extern "C" fn cudaGetLastError() -> i32 {
    error::take_last()
}

/// The thread's last error.
pub extern "C" fn cudaPeekAtLastError() -> i32 {
    error::last()
}

/// The enumerator's name.
pub extern "C" fn cudaGetErrorName(error: i32) -> *const c_char {
    error::name(error).as_ptr()
}

/// The description.
pub extern "C" fn cudaGetErrorString(error: i32) -> *const c_char {
    error::description(error).as_ptr()
}
