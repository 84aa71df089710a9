//! What GPU kernels in Rust need of the device: indices, barriers, shared memory, lanes, mathematics.
//!
//! ```text
//! #![no_std]
//! #![feature(abi_ptx)]
//!
//! /// # Safety
//! /// `x` and `y` have `n` elements.
//! #[unsafe(no_mangle)]
//! pub unsafe extern "ptx-kernel" fn saxpy(n: usize, a: f32, x: *const f32, y: *mut f32) {
//!     let i = omptarget_kernel::global_index();
//!     if i < n {
//!         unsafe { *y.add(i) += a * *x.add(i) };
//!     }
//! }
//! ```
//!
//! `omptarget-build` compiles such a crate in a build script, with the options that barriers need. The crate brings the
//! panic handler: a panic is a trap, which the virtual GPU reports with its source line.
//!
//! On every target but `nvptx64-nvidia-cuda` the crate is empty.

#![no_std]
#![cfg(target_arch = "nvptx64")]
#![feature(link_llvm_intrinsics, stdarch_nvptx)]
#![allow(internal_features)]

mod index;
mod intrinsics;
mod lanes;
pub mod math;
mod shared;
mod synchronise;

pub use index::{
    Dimensions, block_index, block_size, global_index, global_size, grid_size, thread_index,
};
pub use lanes::{LANES, Lane, lane_index, shuffle_down, shuffle_from, shuffle_up, shuffle_xor};
pub use shared::{Shared, dynamic_shared, dynamic_shared_size};
pub use synchronise::{barrier, fence, trap};

/// Without formatting: `omptarget-build` compiles a panic to a trap, and this is never called.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    trap()
}
