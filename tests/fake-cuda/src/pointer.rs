//! Reads and writes memory of the caller. Every driver function demands valid pointers. Null is an invalid value.

use std::ffi::{CStr, c_char};

use crate::result::{Failure, Outcome};

/// Writes a result.
pub fn store<T>(at: *mut T, value: T) -> Outcome {
    if at.is_null() {
        return Err(Failure::INVALID_VALUE);
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
pub fn element<T: Copy>(array: *const T, index: usize) -> Outcome<T> {
    if array.is_null() {
        return Err(Failure::INVALID_VALUE);
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { array.add(index).read_unaligned() })
}

/// Reads bytes of the caller.
pub fn bytes<'a>(at: *const u8, length: usize) -> Outcome<&'a [u8]> {
    if at.is_null() {
        return Err(Failure::INVALID_VALUE);
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { std::slice::from_raw_parts(at, length) })
}

/// Reads a name.
pub fn text<'a>(at: *const c_char) -> Outcome<&'a str> {
    if at.is_null() {
        return Err(Failure::INVALID_VALUE);
    }
    // SAFETY: the caller's contract.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map_err(|_| Failure::INVALID_VALUE)
}

/// Writes text with its NUL, truncated to `length` bytes.
pub fn store_text(at: *mut c_char, length: usize, text: &str) -> Outcome {
    if at.is_null() || length == 0 {
        return Err(Failure::INVALID_VALUE);
    }
    let kept = text.len().min(length - 1);
    // SAFETY: the caller's contract: `length` bytes are writable.
    unsafe {
        at.cast::<u8>().copy_from(text.as_ptr(), kept);
        at.add(kept).write(0);
    }
    Ok(())
}
