//! The device runtime: everything clang's OpenMP code generation for GPUs calls.
//!
//! One file per concern. Above `arch` the code knows no GPU: it is compiled to NVPTX and AMDGCN bitcode
//! (`scripts/build-device`) and, the same source, to the host, where `arch::soft` runs every GPU
//! thread as an operating system thread for the unit tests. The design is told in
//! `docs/device-runtime.md`, the entry points and layouts in `docs/abi.md`.
#![cfg_attr(any(target_arch = "nvptx64", target_arch = "amdgpu"), no_std)]
#![cfg_attr(
    any(target_arch = "nvptx64", target_arch = "amdgpu"),
    feature(c_variadic)
)]
// Functions of the C library give way to the program's own.
#![cfg_attr(any(target_arch = "nvptx64", target_arch = "amdgpu"), feature(linkage))]
// The tables of `invoke` are macros that count up to the number of captured variables.
#![recursion_limit = "256"]
// Entry points take the pointers clang gives them; their contract is the ABI, stated once in
// docs/abi.md instead of a hundred times here.
#![allow(clippy::missing_safety_doc)]

pub mod arch;
pub mod fork_join;
#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
pub mod libc;
pub mod memory;
pub mod reduction;
pub mod routines;
mod sticky_flag;
pub mod sync;
pub mod tasking;
pub mod team;
#[cfg(test)]
mod tests;
pub mod worksharing;

/// `ident_t`: where in the source a runtime call comes from. Only passed along.
#[repr(C)]
#[derive(Debug)]
pub struct Ident {
    reserved_1: i32,
    flags: i32,
    reserved_2: i32,
    reserved_3: i32,
    source: *const u8,
}

#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // Nothing here panics; scripts/build-device checks that this function is dropped as unused.
    arch::trap(c"the device runtime panicked")
}
