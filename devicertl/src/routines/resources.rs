//! Routines about the program as a whole. Device code cannot change it, so they report failure in the way that each has
//! for it.

use core::ffi::{c_char, c_void};

use crate::routines::query::omp_get_device_num;

/// `omp_pause_resource` (OpenMP 5.2, §18.6.1): not possible here.
#[unsafe(no_mangle)]
pub extern "C" fn omp_pause_resource(_kind: i32, _device: i32) -> i32 {
    1
}

/// `omp_pause_resource_all` (OpenMP 5.2, §18.6.2): not possible here.
#[unsafe(no_mangle)]
pub extern "C" fn omp_pause_resource_all(_kind: i32) -> i32 {
    1
}

/// `omp_display_env` (OpenMP 5.2, §18.15): unspecified in device code; nothing is displayed.
#[unsafe(no_mangle)]
pub extern "C" fn omp_display_env(_verbose: i32) {}

/// `omp_control_tool` (OpenMP 5.2, §18.14): `omp_control_tool_notool`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_control_tool(
    _command: i32,
    _modifier: i32,
    _argument: *mut c_void,
) -> i32 {
    -2
}

/// What this device's identifier is in device code.
const UID: &core::ffi::CStr = c"this-device";
/// `omp_invalid_device`.
const INVALID_DEVICE: i32 = -2;

/// `omp_get_uid_from_device` (OpenMP 6.0, §24.8): of the device that asks, else null.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_uid_from_device(device: i32) -> *const c_char {
    if device == omp_get_device_num() {
        UID.as_ptr()
    } else {
        core::ptr::null()
    }
}

/// `omp_get_device_from_uid` (OpenMP 6.0, §24.7): the inverse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_device_from_uid(uid: *const c_char) -> i32 {
    // SAFETY: the caller's C string, read no further than its end.
    let same = !uid.is_null()
        && UID
            .to_bytes_with_nul()
            .iter()
            .enumerate()
            .all(|(i, &byte)| unsafe { *uid.add(i) } as u8 == byte);
    if same {
        omp_get_device_num()
    } else {
        INVALID_DEVICE
    }
}
