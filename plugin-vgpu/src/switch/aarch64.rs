//! The switch on 64-bit ARM (AAPCS64, "Core registers"). A callee saves x19 to x30 and the lower halves of v8 to v15.

use std::arch::naked_asm;

use super::{Main, Suspended};

/// Words of a suspended fiber's frame: x19 to x30, then d8 to d15.
const FRAME: usize = 20;

/// Suspends the caller, saves its stack pointer in `save`, and resumes `to`. Returns when a switch resumes the
/// saved pointer.
///
/// # Safety
/// `to` was saved by this function or made by [`new`], and has not been resumed since.
#[unsafe(naked)]
pub unsafe extern "C" fn switch(save: *mut Suspended, to: Suspended) {
    naked_asm!(
        "stp x19, x20, [sp, #-160]!",
        "stp x21, x22, [sp, #16]",
        "stp x23, x24, [sp, #32]",
        "stp x25, x26, [sp, #48]",
        "stp x27, x28, [sp, #64]",
        "stp x29, x30, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mov x9, sp",
        "str x9, [x0]",
        "mov sp, x1",
        "ldp d14, d15, [sp, #144]",
        "ldp d12, d13, [sp, #128]",
        "ldp d10, d11, [sp, #112]",
        "ldp d8, d9, [sp, #96]",
        "ldp x29, x30, [sp, #80]",
        "ldp x27, x28, [sp, #64]",
        "ldp x25, x26, [sp, #48]",
        "ldp x23, x24, [sp, #32]",
        "ldp x21, x22, [sp, #16]",
        "ldp x19, x20, [sp], #160",
        "ret",
    )
}

/// Resumes what was suspended at the current stack pointer. A signal handler sends a faulting fiber here, with
/// the stack pointer of its worker.
#[unsafe(naked)]
pub unsafe extern "C" fn restore_and_return() {
    naked_asm!(
        "ldp d14, d15, [sp, #144]",
        "ldp d12, d13, [sp, #128]",
        "ldp d10, d11, [sp, #112]",
        "ldp d8, d9, [sp, #96]",
        "ldp x29, x30, [sp, #80]",
        "ldp x27, x28, [sp, #64]",
        "ldp x25, x26, [sp, #48]",
        "ldp x23, x24, [sp, #32]",
        "ldp x21, x22, [sp, #16]",
        "ldp x19, x20, [sp], #160",
        "ret",
    )
}

/// The start of a new fiber. The undefined return address tells debuggers that it has no caller.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined x30",
        "mov x0, x19",
        "mov x1, x20",
        "blr x21",
        "udf #0",
        ".cfi_endproc",
    )
}

/// Lays out the stack that ends at `base` so that switching to it calls `main`.
///
/// # Safety
/// `base` is 16-byte aligned, and the 160 bytes below it are writable and unused.
pub unsafe fn new(base: u64, main: Main, argument: *const (), number: u64) -> Suspended {
    let mut frame = [0; FRAME];
    // x19, x20, x21 and x30, the return address. The frame pointer x29 is null: there is no caller's frame.
    frame[0] = argument as u64;
    frame[1] = number;
    frame[2] = main as usize as u64;
    frame[11] = begin as *const () as u64;
    let top = base - size_of_val(&frame) as u64;
    // SAFETY: the caller's contract.
    unsafe { (top as *mut [u64; FRAME]).write(frame) };
    top
}
