//! `vprintf` of device code.

use std::ffi::{c_char, c_void};

use device_printf::{Arguments, format_into, write_to_stdout};

use crate::sm::Sm;

/// Prints. Returns the number of bytes like C's `vprintf`, or a negative number.
///
/// # Safety
/// `format` is a C string. `args` holds the arguments that it needs, aligned to at most `alignment`, a power of
/// two. The caller runs on a fiber of `sm`.
pub unsafe fn vprintf(sm: &Sm, format: *const c_char, args: *const c_void, alignment: u32) -> i32 {
    if format.is_null() {
        return -1;
    }
    // SAFETY: used for this call only. The buffer belongs to the multiprocessor, so nothing leaks if a bad string
    // ends this fiber in the middle of the call.
    let text = unsafe { sm.printf_buffer() };
    text.clear();
    // SAFETY: the caller's contract.
    unsafe {
        let mut arguments = Arguments::new(args.cast(), alignment as usize);
        format_into(text, format, &mut arguments);
    }
    let written = write_to_stdout(text);
    if written == text.len() {
        i32::try_from(written).unwrap_or(i32::MAX)
    } else {
        -1
    }
}
