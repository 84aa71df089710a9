//! The exported symbols of a front.
//!
//! Each symbol jumps where its entry says. At first that is `lazy`, which chooses: NVIDIA's function of that name if
//! the program's data lies on an NVIDIA GPU and their library is there, else ours. So our functions need to know
//! nothing of NVIDIA's, except those (`both`) that take a stream or make something with a stream: libcudart's
//! streams have other handles than the driver's, which `nvidia` and `cudart::foreign_stream` translate.
//!
//! rustc cannot give functions of a cdylib a symbol version; a linker script gives symbols that assembly defines one
//! (`cudart/src/entry/exports.rs`).

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::nvidia::Front;

/// What assembly writes down of an exported function.
#[repr(C)]
pub struct Entry {
    target: AtomicPtr<c_void>,
    ours: *const c_void,
    /// Null for a function that serves both sorts of devices.
    name: *const c_char,
    front: &'static Front,
}

/// Chooses where an entry leads from now on.
extern "C" fn choose(entry: &Entry) -> *const c_void {
    // SAFETY: the name is a string in the program's text, or null.
    let name = (!entry.name.is_null()).then(|| unsafe { CStr::from_ptr(entry.name) });
    let theirs = name.and_then(|name| entry.front.function(name));
    let chosen = theirs.unwrap_or(entry.ours);
    entry.target.store(chosen.cast_mut(), Ordering::Relaxed);
    chosen
}

/// Chooses for the entry in r11, and goes on there with the arguments untouched.
///
/// # Safety
/// Only exported symbols jump here.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn lazy() {
    // System V ABI: six integer and eight vector registers have arguments. The stack was 8 off a multiple of 16.
    std::arch::naked_asm!(
        "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push rax",
        "sub rsp, 128",
        "movups [rsp], xmm0", "movups [rsp+16], xmm1", "movups [rsp+32], xmm2", "movups [rsp+48], xmm3",
        "movups [rsp+64], xmm4", "movups [rsp+80], xmm5", "movups [rsp+96], xmm6", "movups [rsp+112], xmm7",
        "mov rdi, r11",
        "call {choose}",
        "mov r11, rax",
        "movups xmm0, [rsp]", "movups xmm1, [rsp+16]", "movups xmm2, [rsp+32]", "movups xmm3, [rsp+48]",
        "movups xmm4, [rsp+64]", "movups xmm5, [rsp+80]", "movups xmm6, [rsp+96]", "movups xmm7, [rsp+112]",
        "add rsp, 128",
        "pop rax", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
        "jmp r11",
        choose = sym choose,
    )
}

/// Chooses for the entry in x16, and goes on there with the arguments untouched.
///
/// # Safety
/// Only exported symbols jump here.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C" fn lazy() {
    // AAPCS64: x0-x8 and v0-v7 have arguments.
    std::arch::naked_asm!(
        "stp x29, x30, [sp, #-16]!",
        "stp x0, x1, [sp, #-16]!", "stp x2, x3, [sp, #-16]!", "stp x4, x5, [sp, #-16]!",
        "stp x6, x7, [sp, #-16]!", "stp x8, xzr, [sp, #-16]!",
        "stp q0, q1, [sp, #-32]!", "stp q2, q3, [sp, #-32]!", "stp q4, q5, [sp, #-32]!", "stp q6, q7, [sp, #-32]!",
        "mov x0, x16",
        "bl {choose}",
        "mov x16, x0",
        "ldp q6, q7, [sp], #32", "ldp q4, q5, [sp], #32", "ldp q2, q3, [sp], #32", "ldp q0, q1, [sp], #32",
        "ldp x8, xzr, [sp], #16", "ldp x6, x7, [sp], #16", "ldp x4, x5, [sp], #16",
        "ldp x2, x3, [sp], #16", "ldp x0, x1, [sp], #16",
        "ldp x29, x30, [sp], #16",
        "br x16",
        choose = sym choose,
    )
}

/// The instructions of a symbol: a jump through its entry, and the way to `lazy`.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! symbol_text {
    ($name:expr) => {
        concat!(
            $name,
            ": jmp qword ptr [rip + entry_",
            $name,
            "]\n",
            "lazy_",
            $name,
            ": lea r11, [rip + entry_",
            $name,
            "]\njmp {lazy}\n",
        )
    };
}

/// The instructions of a symbol: a jump through its entry, and the way to `lazy`.
#[cfg(target_arch = "aarch64")]
#[macro_export]
macro_rules! symbol_text {
    ($name:expr) => {
        concat!(
            $name,
            ": adrp x16, entry_",
            $name,
            "\nldr x16, [x16, :lo12:entry_",
            $name,
            "]\nbr x16\n",
            "lazy_",
            $name,
            ": adrp x16, entry_",
            $name,
            "\nadd x16, x16, :lo12:entry_",
            $name,
            "\nb {lazy}\n",
        )
    };
}

/// Exports functions: `exports! { FRONT; one { name = path, … } both { name = path, … } }`. Those of `one` give way
/// to NVIDIA's.
#[macro_export]
macro_rules! exports {
    ($front:path; one { $($one:ident = $ours:path),* $(,)? } both { $($both:ident = $shared:path),* $(,)? }) => {
        $($crate::exports!(@symbol stringify!($one), concat!("text_", stringify!($one)), $front, $ours);)*
        $($crate::exports!(@symbol stringify!($both), "0", $front, $shared);)*
    };
    (@symbol $name:expr, $text:expr, $front:path, $ours:path) => {
        std::arch::global_asm!(
            concat!(".pushsection .rodata.", $name, ",\"a\",@progbits"),
            concat!("text_", $name, ": .asciz \"", $name, "\""),
            ".popsection",
            concat!(".pushsection .data.", $name, ",\"aw\",@progbits"),
            ".balign 8",
            concat!("entry_", $name, ": .quad lazy_", $name),
            ".quad {ours}",
            concat!(".quad ", $text),
            ".quad {front}",
            ".popsection",
            concat!(".pushsection .text.", $name, ",\"ax\",@progbits"),
            ".balign 16",
            concat!(".globl ", $name),
            concat!(".type ", $name, ", @function"),
            $crate::symbol_text!($name),
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            ours = sym $ours,
            front = sym $front,
            lazy = sym $crate::exports::lazy,
        );
    };
}
