//! Handles and their settings.

use std::ffi::{c_int, c_void};
use std::mem::transmute;

use cuda_library::cudart::foreign_stream;
use cuda_library::version::Version;

use crate::call::{FRONT, HANDLES, Settings, create as create_own, flag, settings};
use crate::status::{Result, Status, answer};

/// The version of cuBLAS that we stand in for: 12.9.
pub const VERSION: Version = Version([12, 9, 0]);

type SetStream = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type Create = unsafe extern "C" fn(*mut *mut c_void) -> c_int;

/// Makes a handle. NVIDIA's gets the stream that is our default stream there.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create(handle: *mut *mut c_void) -> c_int {
    // SAFETY: the functions have these types in cuBLAS.
    unsafe {
        if let Some(theirs) = FRONT.function(c"cublasCreate_v2") {
            let code = transmute::<*const c_void, Create>(theirs)(handle);
            return if code == 0 {
                set_stream(*handle, std::ptr::null_mut())
            } else {
                code
            };
        }
        let Some(place) = handle.as_mut() else {
            return Status::INVALID_VALUE.0;
        };
        answer(create_own().map(|handle| *place = handle))
    }
}

/// Destroys a handle, after its work.
pub extern "C" fn destroy(handle: *mut c_void) -> c_int {
    let handle = HANDLES.remove(handle as usize);
    answer(handle.map(drop).ok_or(Status::NOT_INITIALIZED))
}

/// Chooses the stream of a handle.
///
/// # Safety
/// The handle is one of this library or of NVIDIA's.
pub unsafe extern "C" fn set_stream(handle: *mut c_void, stream: *mut c_void) -> c_int {
    // SAFETY: the function has this type in cuBLAS.
    unsafe {
        if let Some(theirs) = FRONT.function(c"cublasSetStream_v2") {
            let Some(stream) = foreign_stream(stream as usize) else {
                return Status::INVALID_VALUE.0;
            };
            return transmute::<*const c_void, SetStream>(theirs)(handle, stream);
        }
    }
    set(handle, |settings| settings.stream = stream as usize)
}

fn set(handle: *mut c_void, change: impl FnOnce(&mut Settings)) -> c_int {
    answer(settings(handle).map(|settings| change(&mut settings.lock())))
}

/// Writes something of a handle where the program wants it.
unsafe fn get<T>(handle: *mut c_void, place: *mut T, value: fn(&Settings) -> T) -> c_int {
    let get = || -> Result<()> {
        let settings = settings(handle)?;
        // SAFETY: caller.
        let place = unsafe { place.as_mut() }.ok_or(Status::INVALID_VALUE)?;
        *place = value(&settings.lock());
        Ok(())
    };
    answer(get())
}

/// The stream of a handle.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_stream(handle: *mut c_void, stream: *mut *mut c_void) -> c_int {
    // SAFETY: caller.
    unsafe { get(handle, stream, |settings| settings.stream as *mut c_void) }
}

/// Says where scalars lie.
pub extern "C" fn set_pointer_mode(handle: *mut c_void, mode: c_int) -> c_int {
    match flag(mode) {
        Ok(on_device) => set(handle, |settings| settings.device_pointers = on_device),
        Err(status) => status.0,
    }
}

/// Where scalars lie.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_pointer_mode(handle: *mut c_void, mode: *mut c_int) -> c_int {
    // SAFETY: caller.
    unsafe { get(handle, mode, |settings| settings.device_pointers.into()) }
}

/// Chooses how precise products may be. They have their types' precision in any case.
pub extern "C" fn set_math_mode(handle: *mut c_void, mode: c_int) -> c_int {
    /// A flag: sums keep their precision.
    const KEEP: c_int = 16;
    match mode & !KEEP {
        0..=4 => set(handle, |settings| settings.math = mode),
        _ => Status::INVALID_VALUE.0,
    }
}

/// How precise products may be.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_math_mode(handle: *mut c_void, mode: *mut c_int) -> c_int {
    // SAFETY: caller.
    unsafe { get(handle, mode, |settings| settings.math) }
}

/// Allows results to differ from run to run. They do not.
pub extern "C" fn set_atomics_mode(handle: *mut c_void, mode: c_int) -> c_int {
    match flag(mode) {
        Ok(_) => set(handle, |settings| settings.atomics = mode),
        Err(status) => status.0,
    }
}

/// Whether results may differ from run to run.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_atomics_mode(handle: *mut c_void, mode: *mut c_int) -> c_int {
    // SAFETY: caller.
    unsafe { get(handle, mode, |settings| settings.atomics) }
}

/// Gives a handle memory to work with. It needs none.
pub extern "C" fn set_workspace(handle: *mut c_void, _memory: *mut c_void, _bytes: usize) -> c_int {
    set(handle, |_| ())
}

/// The version.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_version(_handle: *mut c_void, version: *mut c_int) -> c_int {
    // SAFETY: caller.
    let place = unsafe { version.as_mut() }.ok_or(Status::INVALID_VALUE);
    answer(place.map(|place| *place = VERSION.number(10_000)))
}

/// A part of the version.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_property(part: c_int, value: *mut c_int) -> c_int {
    // SAFETY: caller.
    let written = unsafe { VERSION.write_part(part, value) };
    answer(written.ok_or(Status::INVALID_VALUE))
}
