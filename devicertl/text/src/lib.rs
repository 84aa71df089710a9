//! Text from values and values from text for device code: the families of `snprintf` and `strtod`.
//!
//! It is a package and an archive member of its own, so that only programs that use it link it. `core` finds the
//! decimal digits of floating-point numbers, which is the hard part. It is tested on the host against the C library.
#![cfg_attr(any(target_arch = "nvptx64", target_arch = "amdgpu"), no_std)]
#![cfg_attr(
    any(target_arch = "nvptx64", target_arch = "amdgpu"),
    feature(c_variadic, linkage)
)]

pub mod arguments;
pub mod conversion;
#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
mod exports;
pub mod floats;
pub mod format;
pub mod format_parser;
pub mod integers;
pub mod parse;
pub mod sink;

#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // Built with panics that abort at once: never called.
    loop {}
}
