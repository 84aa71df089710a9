//! Contexts.

use std::ffi::c_void;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::codes::{Code, Result};
use crate::context::{Context, Notify};
use crate::device::Device;
use crate::entry::{answer, created, devices, properties};
use crate::handle::{Raw, Ref, create, get, get_all, release, retain};
use crate::platform::Platform;
use crate::query::Answer;

/// `CL_CONTEXT_PLATFORM`.
const PLATFORM: isize = 0x1084;
/// `CL_CONTEXT_INTEROP_USER_SYNC`.
const USER_SYNC: isize = 0x1085;

fn context(
    list: Vec<isize>,
    mut devices: Vec<Ref<Device>>,
    notify: Option<Notify>,
    argument: *mut c_void,
) -> Result<Ref<Context>> {
    if notify.is_none() && !argument.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    for (index, pair) in list.chunks_exact(2).enumerate() {
        let mut before = list.chunks_exact(2).take(index);
        if before.any(|other| other[0] == pair[0]) {
            return Err(Code::INVALID_PROPERTY);
        }
        match pair[0] {
            PLATFORM => get::<Platform>(pair[1] as Raw).map(drop)?,
            USER_SYNC if pair[1] == 0 || pair[1] == 1 => {}
            _ => return Err(Code::INVALID_PROPERTY),
        }
    }
    let mut seen: Vec<Ref<Device>> = Vec::new();
    devices.retain(|device| {
        let is_new = !seen.iter().any(|other| Arc::ptr_eq(other, device));
        seen.push(device.clone());
        is_new
    });
    Ok(create(Context {
        devices,
        properties: list,
        notify: notify.map(|notify| (notify, argument as usize)),
        destructors: Mutex::default(),
        shared: Mutex::default(),
    }))
}

/// A context of devices.
///
/// # Safety
/// `list` ends with a zero or is null, `all` has `count` handles, `code` is writable or null.
pub unsafe extern "C" fn clCreateContext(
    list: *const isize,
    count: u32,
    all: *const Raw,
    notify: Option<Notify>,
    argument: *mut c_void,
    code: *mut i32,
) -> Raw {
    let made = || {
        if count == 0 || all.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let (devices, list) = unsafe { (get_all(count, all)?, properties(list)) };
        context(list, devices, notify, argument)
    };
    // SAFETY: caller.
    unsafe { created(made(), code) }
}

/// A context of all devices of a type.
///
/// # Safety
/// `list` ends with a zero or is null, `code` is writable or null.
pub unsafe extern "C" fn clCreateContextFromType(
    list: *const isize,
    kind: u64,
    notify: Option<Notify>,
    argument: *mut c_void,
    code: *mut i32,
) -> Raw {
    let made = || {
        // SAFETY: caller.
        let list = unsafe { properties(list) };
        context(list, devices::of_type(kind)?, notify, argument)
    };
    // SAFETY: caller.
    unsafe { created(made(), code) }
}

/// One reference more.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clRetainContext(raw: Raw) -> i32 {
    answer(retain::<Context>(raw))
}

/// One reference less.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clReleaseContext(raw: Raw) -> i32 {
    answer(release::<Context>(raw))
}

/// Says what a context is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetContextInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let context = get::<Context>(raw)?;
        let devices = context.devices.iter().map(|device| device.raw() as usize);
        Ok(match name {
            0x1080 => Answer::of(context.references()),
            0x1081 => Answer::list(&devices.collect::<Vec<_>>()),
            0x1082 => Answer::list(&context.properties),
            0x1083 => Answer::of(context.devices.len() as u32),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

/// Has a function called when the context ends.
///
/// # Safety
/// The function may be called with the handle and its argument.
pub unsafe extern "C" fn clSetContextDestructorCallback(
    raw: Raw,
    notify: Option<unsafe extern "C" fn(Raw, *mut c_void)>,
    argument: *mut c_void,
) -> i32 {
    let set = || {
        let context = get::<Context>(raw)?;
        let notify = notify.ok_or(Code::INVALID_VALUE)?;
        let (raw, argument) = (raw as usize, argument as usize);
        let call = Box::new(move || {
            // SAFETY: caller.
            unsafe { notify(raw as Raw, argument as *mut c_void) }
        });
        context.destructors.lock().push(call);
        Ok(())
    };
    answer(set())
}
