//! The start, versions, the names of errors, and functions by name.

use std::ffi::{c_char, c_int, c_void};

use cudart::error::{Code, Result};
use cudart::front::{Front, choose};
use cudart::runtime::runtime;

use crate::contexts;
use crate::entry::{forward, in_context, name, place};
use crate::procedures::{self, Found};
use crate::status::{answer, describe};

/// Messages of programs that begin with the driver's interface name its library.
static DRIVER: Front = Front {
    library: "libcuda",
    prefix: "cu",
    families: &["cuda", "vgpu"],
    beyond_bounds: Code::INVALID_VALUE,
    warp_size: 32,
    magic: 0x4662_43b1,
};

/// Starts the driver.
#[unsafe(no_mangle)]
pub extern "C" fn cuInit(flags: u32) -> i32 {
    let start = || {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        choose(&DRIVER);
        match runtime().devices().is_empty() {
            true => Err(Code::NO_DEVICE),
            false => {
                contexts::start();
                Ok(())
            }
        }
    };
    answer(start())
}

/// The enumerator's name.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: c_int, text: *mut *const c_char) -> i32 {
    // SAFETY: caller.
    answer(unsafe { tell(error, text, true) })
}

/// The description.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(error: c_int, text: *mut *const c_char) -> i32 {
    // SAFETY: caller.
    answer(unsafe { tell(error, text, false) })
}

/// # Safety
/// The address is null or valid.
unsafe fn tell(error: c_int, text: *mut *const c_char, wants_name: bool) -> Result<()> {
    // SAFETY: caller.
    let place = unsafe { place(text)? };
    *place = std::ptr::null();
    let (name, description) = describe(error).ok_or(Code::INVALID_VALUE)?;
    *place = if wants_name { name } else { description }.as_ptr();
    Ok(())
}

/// `CU_GET_PROC_ADDRESS_LEGACY_STREAM` and `…_PER_THREAD_DEFAULT_STREAM`.
const STREAM_FLAGS: u64 = 1 | 2;
const PER_THREAD: u64 = 2;

/// A function by the name that the header has without a version.
///
/// # Safety
/// The addresses are null or valid, and the name is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> i32 {
    // SAFETY: caller.
    unsafe { cuGetProcAddress_v2(symbol, function, version, flags, std::ptr::null_mut()) }
}

/// The same, and why there is none.
///
/// # Safety
/// As for [`cuGetProcAddress`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress_v2(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { procedure(symbol, function, version, flags, status) })
}

/// The function of a name and a version, or why there is none.
///
/// # Safety
/// As for [`cuGetProcAddress`].
pub(super) unsafe fn procedure(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> Result<()> {
    // SAFETY: caller.
    let (name, place) = unsafe { (name(symbol)?, place(function)?) };
    *place = std::ptr::null_mut();
    if flags & !STREAM_FLAGS != 0 || flags == STREAM_FLAGS {
        return Err(Code::INVALID_VALUE);
    }
    let number = match procedures::find(name, version, flags & PER_THREAD != 0) {
        Found::At(address) => {
            *place = address as *mut c_void;
            0
        }
        Found::Nowhere => 1,
        Found::Later => 2,
    };
    // SAFETY: caller.
    match unsafe { status.as_mut() } {
        Some(status) => *status = number,
        None if number != 0 => return Err(Code::SYMBOL_NOT_FOUND),
        None => {}
    }
    Ok(())
}

/// The same for programs compiled for a default stream of each thread.
///
/// # Safety
/// As for [`cuGetProcAddress`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress_v2_ptsz(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> i32 {
    let flags = if flags == 0 { PER_THREAD } else { flags };
    // SAFETY: caller.
    unsafe { cuGetProcAddress_v2(symbol, function, version, flags, status) }
}

/// Tells `plugin-cuda` that this is no driver of a GPU.
#[unsafe(no_mangle)]
pub extern "C" fn omptargetVirtualDriver() {}

/// Sets a profiler up. No driver does that since CUDA 12.
#[unsafe(no_mangle)]
pub extern "C" fn cuProfilerInitialize(
    _settings: *const c_char,
    _output: *const c_char,
    _mode: c_int,
) -> i32 {
    answer(Err(Code::NOT_SUPPORTED))
}

forward! {
    in_context;
    /// Has a profiler begin to look on.
    cuProfilerStart = settings::cudaProfilerStart();
    /// Has a profiler look away.
    cuProfilerStop = settings::cudaProfilerStop();
}
