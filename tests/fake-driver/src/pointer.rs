//! Reads and writes memory of the caller. Every function demands valid pointers. Null is an error.
#![expect(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "only the functions of the C interface, which are unsafe, pass these pointers on"
)]

use std::ffi::{CStr, c_char};

/// A pointer that must not be null is, or text is not UTF-8.
#[derive(Debug)]
pub struct Invalid;

/// Writes a result. The error is the caller's own.
pub fn store<T, E: From<Invalid>>(at: *mut T, value: T) -> Result<(), E> {
    if at.is_null() {
        return Err(Invalid.into());
    }
    // SAFETY: the caller's contract.
    unsafe { at.write_unaligned(value) };
    Ok(())
}

/// Writes a result, unless the pointer is null.
pub fn store_if_wanted<T>(at: *mut T, value: T) {
    if !at.is_null() {
        // SAFETY: the caller's contract.
        unsafe { at.write_unaligned(value) };
    }
}

/// Reads an element of the caller's array.
pub fn element<T: Copy>(array: *const T, index: usize) -> Result<T, Invalid> {
    if array.is_null() {
        return Err(Invalid);
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { array.add(index).read_unaligned() })
}

/// Reads bytes of the caller.
pub fn bytes<'a>(at: *const u8, length: usize) -> Result<&'a [u8], Invalid> {
    if at.is_null() {
        return Err(Invalid);
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { std::slice::from_raw_parts(at, length) })
}

/// Reads a name.
pub fn text<'a>(at: *const c_char) -> Result<&'a str, Invalid> {
    if at.is_null() {
        return Err(Invalid);
    }
    // SAFETY: the caller's contract.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map_err(|_| Invalid)
}

/// Writes text with its NUL, truncated to `length` bytes.
pub fn store_text<E: From<Invalid>>(at: *mut c_char, length: usize, text: &str) -> Result<(), E> {
    if at.is_null() || length == 0 {
        return Err(Invalid.into());
    }
    let kept = text.len().min(length - 1);
    // SAFETY: the caller's contract: `length` bytes are writable.
    unsafe {
        at.cast::<u8>().copy_from(text.as_ptr(), kept);
        at.add(kept).write(0);
    }
    Ok(())
}
