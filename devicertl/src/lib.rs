//! The device runtime: everything clang's OpenMP code generation for GPUs calls.
//!
//! Above `arch` the code knows no GPU. It is compiled to NVPTX and AMDGCN bitcode (`scripts/build-device`). For the
//! unit tests the same source is compiled to the host, where `arch::soft` runs every GPU thread as a thread of the
//! operating system. `docs/device-runtime.md` says how the runtime works; the entry points and layouts are in
//! `docs/abi.md`.
//!
//! Each module imports only from those above it:
//!
//! - [`arch`]: one GPU behind one interface
//! - [`memory`] and `sticky_flag`: memory that the runtime itself needs; what the program never does
//! - [`team`]: what a team and each of its threads keep while a kernel runs
//! - [`tasking`]: explicit tasks
//! - [`fork_join`]: kernels and parallel regions, with their master and workers
//! - [`sync`]: barriers, critical sections, locks, atomics
//! - [`worksharing`], [`reduction`]: worksharing constructs, reductions
//! - [`routines`], `libc`: what programs call
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
