//! Calls on 64-bit ARM: the first eight integers are passed in registers and the rest in order on the stack (AAPCS64,
//! "Parameter passing rules").

use std::arch::naked_asm;
use std::ffi::c_void;

/// Parameters in registers.
const REGISTERS: usize = 8;

/// The most parameters that a kernel may have.
pub const MAX_PARAMETERS: usize = 1024;

/// Calls `kernel` with `arguments`, at most [`MAX_PARAMETERS`].
///
/// # Safety
/// `kernel` is a C function with at most as many parameters as there are arguments. All of them are pointers or
/// integers, and the arguments match them.
pub unsafe fn call(kernel: *const c_void, arguments: &[u64]) {
    let mut words = [0; MAX_PARAMETERS];
    words[..arguments.len()].copy_from_slice(arguments);
    let (registers, stack) = words.split_at(REGISTERS);
    // The stack stays aligned to 16 bytes.
    let on_stack = arguments
        .len()
        .saturating_sub(REGISTERS)
        .next_multiple_of(2);
    // SAFETY: both point at as many words as the function reads; the rest is forwarded from the caller.
    unsafe { call_with(kernel, registers.as_ptr(), stack.as_ptr(), on_stack) }
}

/// Calls `kernel` with eight words in registers and `count` on the stack.
///
/// # Safety
/// As [`call`]. `count` is even.
#[unsafe(naked)]
unsafe extern "C" fn call_with(
    kernel: *const c_void,
    registers: *const u64,
    stack: *const u64,
    count: usize,
) {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        "mov x29, sp",
        ".cfi_def_cfa x29, 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x16, x0",
        "mov x17, x1",
        "sub sp, sp, x3, lsl #3",
        "2:",
        "cbz x3, 3f",
        "sub x3, x3, #1",
        "ldr x9, [x2, x3, lsl #3]",
        "str x9, [sp, x3, lsl #3]",
        "b 2b",
        "3:",
        "ldp x0, x1, [x17]",
        "ldp x2, x3, [x17, #16]",
        "ldp x4, x5, [x17, #32]",
        "ldp x6, x7, [x17, #48]",
        "blr x16",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa sp, 0",
        "ret",
        ".cfi_endproc",
    )
}
