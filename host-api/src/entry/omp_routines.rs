//! `omp_get_num_devices` and related routines. libomp has these names, too. It forwards the call to the next library
//! that has them, which is this one.

use std::ffi::{CStr, c_char};

use crate::runtime::runtime;

/// Number of devices that are not the host.
pub extern "C" fn omp_get_num_devices() -> i32 {
    runtime().initial_device()
}

/// The host's device number.
pub extern "C" fn omp_get_initial_device() -> i32 {
    runtime().initial_device()
}

/// The device that the calling code runs on. This is the host's version.
pub extern "C" fn omp_get_device_num() -> i32 {
    runtime().initial_device()
}

/// `omp_invalid_device`.
const INVALID_DEVICE: i32 = -10;
/// Unique identifier of the host.
const HOST_UID: &CStr = c"HOST";

/// The device with this unique identifier.
///
/// # Safety
/// `uid` is null or a NUL-terminated string.
pub unsafe extern "C" fn omp_get_device_from_uid(uid: *const c_char) -> i32 {
    if uid.is_null() {
        return INVALID_DEVICE;
    }
    // SAFETY: caller.
    let uid = unsafe { CStr::from_ptr(uid) };
    if uid == HOST_UID {
        return omp_get_initial_device();
    }
    let devices = runtime().devices();
    devices
        .iter()
        .find(|device| device.uid.as_c_str() == uid)
        .map_or(INVALID_DEVICE, |device| device.number as i32)
}

/// A device's unique identifier; null if no device has the number.
pub extern "C" fn omp_get_uid_from_device(number: i32) -> *const c_char {
    if number == omp_get_initial_device() || number == -1 {
        return HOST_UID.as_ptr();
    }
    // Devices live as long as the process.
    runtime()
        .device(number.into())
        .map_or(std::ptr::null(), |device| device.uid.as_ptr())
}
