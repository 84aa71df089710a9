//! Texture fetches and surface accesses in software, for the virtual GPU. `omptarget-codegen` translates PTX's `tex`,
//! `tld4`, `txq`, `suld`, `sust` and `sured` into calls of these functions, and links them into kernels that use them.
//!
//! A texture or surface object is the address of a [`descriptor::Texture`] in device memory, which `libcudart` writes.
//! What a fetch gives is what the CUDA C++ Programming Guide says in its appendix "Texture Fetching".
#![cfg_attr(target_arch = "nvptx64", no_std)]

mod addressing;
mod cube;
pub mod descriptor;
#[cfg(target_arch = "nvptx64")]
mod exports;
pub mod level_of_detail;
pub mod query;
pub mod sample;
pub mod surface;
mod texel;

#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // Built with panics that abort at once: never called.
    loop {}
}
