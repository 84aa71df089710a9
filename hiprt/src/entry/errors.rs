//! Names of errors.

use std::ffi::{CStr, c_char};

use crate::entry::{INVALID_VALUE, SUCCESS};
use crate::error_names;

/// The enumerator's name.
pub extern "C" fn hipGetErrorName(error: i32) -> *const c_char {
    error_names::name(error).as_ptr()
}

/// The description.
pub extern "C" fn hipGetErrorString(error: i32) -> *const c_char {
    cudart::error::description(error).as_ptr()
}

/// # Safety
/// The address is null or valid.
unsafe fn give(text: &'static CStr, place: *mut *const c_char) -> i32 {
    // SAFETY: caller.
    match unsafe { place.as_mut() } {
        Some(place) => {
            *place = text.as_ptr();
            SUCCESS
        }
        None => INVALID_VALUE,
    }
}

/// The enumerator's name.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn hipDrvGetErrorName(error: i32, name: *mut *const c_char) -> i32 {
    // SAFETY: caller.
    unsafe { give(error_names::name(error), name) }
}

/// The description.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn hipDrvGetErrorString(error: i32, text: *mut *const c_char) -> i32 {
    // SAFETY: caller.
    unsafe { give(cudart::error::description(error), text) }
}
