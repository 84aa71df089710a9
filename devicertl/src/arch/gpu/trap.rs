//! Ends of a kernel that say why.

use core::ffi::{CStr, c_char};

use super::assembly;
#[cfg(target_arch = "nvptx64")]
use super::trap_record;

/// Ends the kernel, saying why.
#[inline(always)]
pub fn trap(message: &CStr) -> ! {
    // SAFETY: a C string.
    unsafe { trap_with(message.as_ptr()) }
}

/// Ends the kernel, saying why in the words of the program.
///
/// # Safety
/// `message` is a C string.
#[inline(always)]
pub unsafe fn trap_with(message: *const c_char) -> ! {
    // SAFETY: the caller's promise.
    unsafe { give_up(message, c"omptarget device runtime".as_ptr(), 0) }
}

/// Ends the kernel, saying why, and with a number; `what` says what it counts. (`__assertfail` prints numbers of lines
/// only. Formatting a text here would add a hundred instructions to kernels that never trap.)
#[inline(always)]
pub fn trap_number(message: &CStr, what: &CStr, number: u32) -> ! {
    // SAFETY: a C string.
    unsafe { give_up(message.as_ptr(), what.as_ptr(), number) }
}

/// Ends the kernel with what looks like a failed assertion in the file `what`, at the line `number`.
///
/// One function serves all of the runtime's own reasons: passing a reason on takes a few instructions, reporting it
/// more. scripts/build-device keeps the device link from optimising the function, which would make a copy of it for
/// each message. It is exported for that.
///
/// # Safety
/// `message` is a C string.
#[cold]
#[inline(never)]
#[unsafe(export_name = "omptarget_give_up")]
unsafe fn give_up(message: *const c_char, what: *const c_char, number: u32) -> ! {
    // SAFETY: C strings.
    unsafe {
        #[cfg(target_arch = "nvptx64")]
        trap_record::leave(message, number);
        assembly::__assertfail(message, what, number, c"".as_ptr(), 1);
    }
    end()
}

/// Ends the kernel after a failed assertion.
///
/// # Safety
/// C strings in device memory.
#[inline(always)]
pub unsafe fn assert_failed(
    message: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) -> ! {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(target_arch = "nvptx64")]
        trap_record::leave_assertion(message, file, function, line);
        assembly::__assertfail(message, file, line, function, 1);
    }
    end()
}

/// Ends the kernel without a word.
#[inline(always)]
pub fn end() -> ! {
    assembly::omptarget_arch_trap()
}
