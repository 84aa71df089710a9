//! Links of several texts of PTX.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use cudart::error::{Code, Result};

use crate::contexts;
use crate::entry::modules::{file, loaded};
use crate::entry::place;
use crate::jit::Options;
use crate::linker::{Kind, Link, links};
use crate::status::answer;

/// Begins a link.
///
/// # Safety
/// As for [`Options::read`], until the link is destroyed. The address for the result is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkCreate_v2(
    count: u32,
    options: *const c_int,
    values: *mut *mut c_void,
    state: *mut *mut c_void,
) -> i32 {
    let create = || {
        contexts::current()?;
        // SAFETY: caller.
        let place = unsafe { place(state)? };
        // SAFETY: caller.
        let options = unsafe { Options::read(count, options, values)? };
        *place = links().add(Arc::new(Link::new(options))) as *mut c_void;
        Ok(())
    };
    answer(create())
}

fn link(state: *mut c_void) -> Result<Arc<Link>> {
    contexts::started()?;
    links().get(state as usize).ok_or(Code::INVALID_HANDLE)
}

/// Adds bytes to a link. Options of one input are advice.
///
/// # Safety
/// The bytes are readable, the name is null or a string, and the options of the link still hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddData_v2(
    state: *mut c_void,
    kind: c_int,
    data: *const c_void,
    size: usize,
    name: *const c_char,
    _count: u32,
    _options: *const c_int,
    _values: *mut *mut c_void,
) -> i32 {
    let add = || {
        let link = link(state)?;
        let kind = Kind::of(kind).ok_or(Code::INVALID_VALUE)?;
        if data.is_null() || size == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let bytes = crate::image::bytes_at(data as u64, size as u64)?;
        let name = match name.is_null() {
            true => "an input".into(),
            // SAFETY: caller.
            false => unsafe { CStr::from_ptr(name) }.to_string_lossy(),
        };
        // SAFETY: caller.
        unsafe { loaded(link.add(kind, &bytes, &name), link.options()) }
    };
    answer(add())
}

/// Adds a file.
///
/// # Safety
/// The name is null or a string, and the options of the link still hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddFile_v2(
    state: *mut c_void,
    kind: c_int,
    path: *const c_char,
    _count: u32,
    _options: *const c_int,
    _values: *mut *mut c_void,
) -> i32 {
    let add = || {
        let link = link(state)?;
        let kind = Kind::of(kind).ok_or(Code::INVALID_VALUE)?;
        // SAFETY: caller.
        let bytes = unsafe { file(path)? };
        // SAFETY: caller. It was read as a string before.
        let name = unsafe { CStr::from_ptr(path) }.to_string_lossy();
        // SAFETY: caller.
        unsafe { loaded(link.add(kind, &bytes, &name), link.options()) }
    };
    answer(add())
}

/// Makes the image, which stays until the link is destroyed.
///
/// # Safety
/// The addresses are null or valid, and the options of the link still hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkComplete(
    state: *mut c_void,
    image: *mut *const c_void,
    size: *mut usize,
) -> i32 {
    let complete = || {
        let link = link(state)?;
        // SAFETY: caller.
        let place = unsafe { place(image)? };
        // SAFETY: caller.
        let bytes = unsafe { loaded(link.complete(), link.options())? };
        *place = bytes.as_ptr().cast();
        // SAFETY: caller. A program may not care.
        if let Some(size) = unsafe { size.as_mut() } {
            *size = bytes.len();
        }
        Ok(())
    };
    answer(complete())
}

/// Ends a link.
#[unsafe(no_mangle)]
pub extern "C" fn cuLinkDestroy(state: *mut c_void) -> i32 {
    let removed = contexts::started().map(|()| links().remove(state as usize));
    answer(removed.and_then(|removed| removed.map(drop).ok_or(Code::INVALID_HANDLE)))
}
