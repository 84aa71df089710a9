//! Devices and their handles.

use std::ffi::{c_char, c_uint, c_void};

use crate::entry::identity::{bus, uuid};
use crate::session::{self, device, handle, place, properties};
use crate::status::{Result, Status, answer};
use crate::text;

/// How many devices there are.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCount_v2(count: *mut c_uint) -> i32 {
    let tell = || {
        // SAFETY: caller.
        *unsafe { place(count)? } = session::devices()?.len() as c_uint;
        Ok(())
    };
    answer(tell())
}

/// The same under its older name.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCount(count: *mut c_uint) -> i32 {
    // SAFETY: caller.
    unsafe { nvmlDeviceGetCount_v2(count) }
}

/// A device by its number.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByIndex_v2(
    number: c_uint,
    found: *mut *mut c_void,
) -> i32 {
    let find = || {
        // SAFETY: caller.
        let place = unsafe { place(found)? };
        let handle = handle(number as usize);
        device(handle)?;
        *place = handle;
        Ok(())
    };
    answer(find())
}

/// The same under its older name.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByIndex(
    number: c_uint,
    found: *mut *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe { nvmlDeviceGetHandleByIndex_v2(number, found) }
}

/// The first device of which something is as the program says.
///
/// # Safety
/// The address for the result is null or valid; the text is null or a string.
unsafe fn search(
    wanted: *const c_char,
    found: *mut *mut c_void,
    is_it: impl Fn(*mut c_void, &str) -> Result<bool>,
) -> Result<()> {
    // SAFETY: caller.
    let (place, wanted) = unsafe { (place(found)?, text::read(wanted)?) };
    for number in 0..session::devices()?.len() {
        if is_it(handle(number), wanted)? {
            *place = handle(number);
            return Ok(());
        }
    }
    Err(Status::NOT_FOUND)
}

/// A device by its UUID.
///
/// # Safety
/// The address for the result is null or valid; the text is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByUUID(
    wanted: *const c_char,
    found: *mut *mut c_void,
) -> i32 {
    let is_it = |handle, wanted: &str| Ok(uuid(&properties(handle)?) == wanted);
    // SAFETY: caller.
    answer(unsafe { search(wanted, found, is_it) })
}

/// A device by its place on the bus.
///
/// # Safety
/// As for [`nvmlDeviceGetHandleByUUID`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByPciBusId_v2(
    wanted: *const c_char,
    found: *mut *mut c_void,
) -> i32 {
    let is_it = |handle, wanted: &str| {
        let bus = bus(&properties(handle)?);
        // Domains of four digits are known, too.
        Ok([&bus[..], &bus[4..]]
            .iter()
            .any(|form| form.eq_ignore_ascii_case(wanted)))
    };
    // SAFETY: caller.
    answer(unsafe { search(wanted, found, is_it) })
}

/// The same under its older name.
///
/// # Safety
/// As for [`nvmlDeviceGetHandleByUUID`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByPciBusId(
    wanted: *const c_char,
    found: *mut *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe { nvmlDeviceGetHandleByPciBusId_v2(wanted, found) }
}

/// The number of a device.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetIndex(handle: *mut c_void, number: *mut c_uint) -> i32 {
    let tell = || {
        let device = device(handle)?;
        // SAFETY: caller.
        *unsafe { place(number)? } = device.number as c_uint;
        Ok(())
    };
    answer(tell())
}

/// The number of its file in `/dev`, which is the same.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMinorNumber(handle: *mut c_void, number: *mut c_uint) -> i32 {
    // SAFETY: caller.
    unsafe { nvmlDeviceGetIndex(handle, number) }
}
