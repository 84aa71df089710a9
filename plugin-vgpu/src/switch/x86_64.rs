//! The switch on x86-64 (System V psABI, "Registers and the Stack Frame").

use std::arch::naked_asm;

use super::{Main, Suspended};

/// Suspends the caller, saves its stack pointer in `save`, and resumes `to`. Returns when a switch resumes the
/// saved pointer.
///
/// # Safety
/// `to` was saved by this function or made by [`new`], and has not been resumed since.
#[unsafe(naked)]
pub unsafe extern "C" fn switch(save: *mut Suspended, to: Suspended) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Resumes what was suspended at the current stack pointer. A signal handler sends a faulting fiber here, with
/// the stack pointer of its worker.
#[unsafe(naked)]
pub unsafe extern "C" fn restore_and_return() {
    naked_asm!(
        "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret"
    )
}

/// The start of a new fiber. The undefined return address tells debuggers that it has no caller.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined rip",
        "mov rdi, r12",
        "mov rsi, r13",
        "xor ebp, ebp",
        "call r14",
        "ud2",
        ".cfi_endproc",
    )
}

/// Lays out the stack that ends at `base` so that switching to it calls `main`.
///
/// # Safety
/// `base` is 16-byte aligned, and the 64 bytes below it are writable and unused.
pub unsafe fn new(base: u64, main: Main, argument: *const (), number: u64) -> Suspended {
    // In the order `switch` pops them: r15, r14, r13, r12, rbx, rbp, return address. The return leaves
    // the stack pointer at `base`, aligned as a call demands.
    let frame = [
        0,
        main as usize as u64,
        number,
        argument as u64,
        0,
        0,
        begin as *const () as u64,
    ];
    let top = base - size_of_val(&frame) as u64;
    // SAFETY: the caller's contract.
    unsafe { (top as *mut [u64; 7]).write(frame) };
    top
}
