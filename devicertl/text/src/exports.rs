//! C's functions. All are weak: a program's own function of the same name comes first.

use core::ffi::{VaList, c_char, c_int, c_void};

use crate::arguments::{ALIGNMENT, Arguments};
use crate::sink::Buffer;
use crate::{format, parse};

/// `vsnprintf` (ISO C17, §7.21.6.12): a `va_list` is a pointer to packed arguments.
///
/// # Safety
/// As C has it.
#[unsafe(no_mangle)]
#[linkage = "weak"]
pub unsafe extern "C" fn vsnprintf(
    buffer: *mut c_char,
    size: usize,
    format: *const c_char,
    arguments: *const c_void,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let mut out = Buffer::new(buffer.cast(), size);
        format::put(
            &mut out,
            format,
            Arguments::new(arguments.cast(), ALIGNMENT),
        );
        out.end();
        c_int::try_from(out.length).unwrap_or(-1)
    }
}

/// What is left of the address space: `sprintf` trusts the buffer.
const UNBOUNDED: usize = isize::MAX as usize;

/// `vsprintf` (ISO C17, §7.21.6.13).
///
/// # Safety
/// As C has it.
#[unsafe(no_mangle)]
#[linkage = "weak"]
pub unsafe extern "C" fn vsprintf(
    buffer: *mut c_char,
    format: *const c_char,
    arguments: *const c_void,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { vsnprintf(buffer, UNBOUNDED, format, arguments) }
}

/// `snprintf` (ISO C17, §7.21.6.5). LLVM turns it and its callers into functions that take a pointer to packed
/// arguments.
///
/// # Safety
/// As C has it.
#[unsafe(no_mangle)]
#[linkage = "weak"]
pub unsafe extern "C" fn snprintf(
    buffer: *mut c_char,
    size: usize,
    format: *const c_char,
    arguments: ...
) -> c_int {
    // SAFETY: `va_list` is one pointer on GPUs.
    unsafe {
        let packed = core::mem::transmute::<VaList<'_>, *const c_void>(arguments);
        vsnprintf(buffer, size, format, packed)
    }
}

/// `sprintf` (ISO C17, §7.21.6.6).
///
/// # Safety
/// As C has it.
#[unsafe(no_mangle)]
#[linkage = "weak"]
pub unsafe extern "C" fn sprintf(
    buffer: *mut c_char,
    format: *const c_char,
    arguments: ...
) -> c_int {
    // SAFETY: `va_list` is one pointer on GPUs.
    unsafe {
        let packed = core::mem::transmute::<VaList<'_>, *const c_void>(arguments);
        vsnprintf(buffer, UNBOUNDED, format, packed)
    }
}

unsafe fn number<F: parse::Float>(text: *const c_char, end: *mut *mut c_char) -> F {
    // SAFETY: the caller's promise.
    unsafe {
        let (value, length) = parse::number(text);
        if !end.is_null() {
            *end = text.add(length).cast_mut();
        }
        value
    }
}

/// `strtod` (ISO C17, §7.22.1.3).
///
/// # Safety
/// As C has it.
#[unsafe(no_mangle)]
#[linkage = "weak"]
pub unsafe extern "C" fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64 {
    // SAFETY: the caller's promise.
    unsafe { number(text, end) }
}

/// `strtof` (ISO C17, §7.22.1.3).
///
/// # Safety
/// As C has it.
#[unsafe(no_mangle)]
#[linkage = "weak"]
pub unsafe extern "C" fn strtof(text: *const c_char, end: *mut *mut c_char) -> f32 {
    // SAFETY: the caller's promise.
    unsafe { number(text, end) }
}

/// `atof` (ISO C17, §7.22.1.1).
///
/// # Safety
/// As C has it.
#[unsafe(no_mangle)]
#[linkage = "weak"]
pub unsafe extern "C" fn atof(text: *const c_char) -> f64 {
    // SAFETY: the caller's promise.
    unsafe { number(text, core::ptr::null_mut()) }
}
