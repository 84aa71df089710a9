//! The platform, and functions by their names.

use std::ffi::{CStr, c_char, c_void};

use crate::codes::{Code, Result};
use crate::device::EXTENSIONS;
use crate::dispatch;
use crate::entry::answer;
use crate::handle::{Raw, get};
use crate::platform::{Platform, platform};
use crate::query::{Answer, names_with_versions, version};

/// Lists the platform.
///
/// # Safety
/// `platforms` has room for `count` handles or is null, `found` is writable or null.
pub unsafe extern "C" fn clGetPlatformIDs(count: u32, platforms: *mut Raw, found: *mut u32) -> i32 {
    if (count == 0 && !platforms.is_null()) || (platforms.is_null() && found.is_null()) {
        return Code::INVALID_VALUE.0;
    }
    if !platforms.is_null() {
        // SAFETY: there is room for one.
        unsafe { *platforms = platform().raw() };
    }
    if !found.is_null() {
        // SAFETY: caller.
        unsafe { *found = 1 };
    }
    0
}

/// The same, for the ICD loader.
///
/// # Safety
/// As `clGetPlatformIDs`.
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    count: u32,
    platforms: *mut Raw,
    found: *mut u32,
) -> i32 {
    // SAFETY: caller.
    unsafe { clGetPlatformIDs(count, platforms, found) }
}

/// Says what the platform is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetPlatformInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || -> Result<Answer> {
        if !raw.is_null() {
            get::<Platform>(raw)?;
        }
        Ok(match name {
            0x0900 => Answer::text("FULL_PROFILE"),
            0x0901 => Answer::text(&format!(
                "OpenCL 3.0 omptarget {}",
                env!("CARGO_PKG_VERSION")
            )),
            0x0902 => Answer::text("omptarget"),
            0x0903 => Answer::text("omptarget"),
            0x0904 => Answer::text(&extensions()),
            0x0905 => Answer::of(1u64),
            0x0906 => Answer::of(version(3, 0, 0)),
            0x0907 => extensions_with_versions(),
            0x0920 => Answer::text("OMPTARGET"),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer| unsafe { answer.give(size, value, needed) }))
}

/// The extensions' names.
pub fn extensions() -> String {
    let names: Vec<&str> = EXTENSIONS.iter().map(|(name, _)| *name).collect();
    names.join(" ")
}

/// The extensions with their versions.
pub fn extensions_with_versions() -> Answer {
    names_with_versions(
        EXTENSIONS.iter().map(|(name, [major, minor, patch])| {
            ((*name).to_owned(), version(*major, *minor, *patch))
        }),
    )
}

/// A function by its name; null for one that there is not.
///
/// # Safety
/// `name` is a C string or null.
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    if name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: caller.
    match unsafe { CStr::from_ptr(name) }.to_str() {
        Ok("clIcdGetPlatformIDsKHR") => clIcdGetPlatformIDsKHR as *mut c_void,
        Ok(name) => dispatch::function(name),
        Err(_) => std::ptr::null_mut(),
    }
}

/// The same, of the platform.
///
/// # Safety
/// As `clGetExtensionFunctionAddress`.
pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    raw: Raw,
    name: *const c_char,
) -> *mut c_void {
    match get::<Platform>(raw) {
        // SAFETY: caller.
        Ok(_) => unsafe { clGetExtensionFunctionAddress(name) },
        Err(_) => std::ptr::null_mut(),
    }
}

/// Compilers are processes that end by themselves.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clUnloadPlatformCompiler(raw: Raw) -> i32 {
    answer(get::<Platform>(raw).map(drop))
}

/// The same, of old.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clUnloadCompiler() -> i32 {
    0
}
