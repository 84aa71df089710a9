//! Device math. clang's headers turn the C math functions in device code into calls of `__nv_*`, the names of CUDA's
//! libdevice, or `__ocml_*`, those of ROCm's; these are ours, by what the functions compute.
#![no_std]
#![feature(core_intrinsics)]
#![cfg_attr(target_arch = "amdgpu", feature(macro_metavar_expr_concat))]
#![allow(internal_features)]

mod complex;
mod convert;
mod elementary;
mod error_function;
mod exponential;
mod float;
mod integer;
mod logarithm;
#[cfg(target_arch = "amdgpu")]
mod ocml;
mod power;
mod rounding;
mod special;
mod trigonometry;

/// Defines exported functions with the C calling convention.
macro_rules! export {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty { $($body:tt)* })*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($argument: $type),*) -> $result { $($body)* }
        )*
    };
}
pub(crate) use export;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // The build turns panics into traps where they are, so nothing comes here.
    core::intrinsics::abort()
}
