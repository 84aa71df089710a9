//! What flang 22 leaves to its run-time library (`_FortranA…`), for device code: list-directed output, assignments,
//! allocation, intrinsic procedures of arrays and characters.
//!
//! It is a package and an archive member of its own, so that only Fortran programs that need it link it. Names,
//! arguments and the layout of descriptors are flang's binary interface; docs/abi.md has what is relied upon.
#![cfg_attr(any(target_arch = "nvptx64", target_arch = "amdgpu"), no_std)]

#[macro_use]
mod entry;

mod allocation;
mod array_constructor;
mod assignment;
mod characters;
mod derived_type;
mod descriptor;
mod device;
mod input_output;
mod inquiry;
mod lane;
mod list_output;
mod location;
mod logical_reduction;
mod numeric;
mod product;
mod real_text;
mod reduction;
mod shortest;
mod stop;
mod transformation;
mod value;

#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // Built with panics that abort at once: never called.
    loop {}
}
