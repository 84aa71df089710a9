//! Start, end, versions.

use std::ffi::{c_char, c_int, c_uint};

use crate::session::{self, place};
use crate::status::{Status, answer, description};
use crate::text;

/// What a driver for this version of CUDA calls itself.
const DRIVER: &str = "575.00";
/// The version of this interface for the same.
const INTERFACE: &str = "12.575.00";
/// The version of CUDA, as the driver's interface says it.
const CUDA: c_int = 12_090;

/// Starts the library.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlInit() -> i32 {
    answer(session::start(0))
}

/// Starts the library.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlInit_v2() -> i32 {
    answer(session::start(0))
}

/// Starts the library, where to have no device may be no error.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlInitWithFlags(flags: c_uint) -> i32 {
    answer(session::start(flags))
}

/// Ends its use.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlShutdown() -> i32 {
    answer(session::end())
}

/// What a code means.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(code: c_int) -> *const c_char {
    description(code).as_ptr()
}

/// The version of the driver.
///
/// # Safety
/// The buffer has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetDriverVersion(buffer: *mut c_char, room: c_uint) -> i32 {
    // SAFETY: caller.
    answer(session::devices().and_then(|_| unsafe { text::write(buffer, room, DRIVER) }))
}

/// The version of this interface.
///
/// # Safety
/// The buffer has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetNVMLVersion(buffer: *mut c_char, room: c_uint) -> i32 {
    // SAFETY: caller.
    answer(unsafe { text::write(buffer, room, INTERFACE) })
}

/// The version of CUDA.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetCudaDriverVersion(version: *mut c_int) -> i32 {
    // SAFETY: caller.
    answer(unsafe { place(version) }.map(|place| *place = CUDA))
}

/// The version of CUDA.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetCudaDriverVersion_v2(version: *mut c_int) -> i32 {
    // SAFETY: caller.
    unsafe { nvmlSystemGetCudaDriverVersion(version) }
}

/// The name of a process.
///
/// # Safety
/// The buffer has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetProcessName(
    process: c_uint,
    buffer: *mut c_char,
    room: c_uint,
) -> i32 {
    let tell = || {
        session::devices()?;
        let command = std::fs::read(format!("/proc/{process}/cmdline"));
        let command = command.map_err(|_| Status::NOT_FOUND)?;
        let name = command.split(|byte| *byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name);
        // SAFETY: caller.
        unsafe { text::write(buffer, room, &name) }
    };
    answer(tell())
}
