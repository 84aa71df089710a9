//! The device services of AMD GPUs: what CUDA's device library is to NVIDIA's. Device code and the device runtime call
//! `malloc`, `free`, `vprintf` and `__assertfail`; a code object may leave nothing undefined, so it is linked with this
//! (docs/abi.md, "Device services"). The virtual GPU has services of its own and never sees these.
//!
//! Lanes of a wave run in lockstep, so nothing here waits for another thread: the algorithms are lock-free.
#![cfg_attr(
    target_arch = "amdgpu",
    no_std,
    feature(core_intrinsics, link_llvm_intrinsics),
    allow(internal_features)
)]

#[cfg(target_arch = "amdgpu")]
mod exports;
pub mod heap;
pub mod output;
#[cfg(not(target_arch = "amdgpu"))]
pub mod record_reader;
pub mod trap_record;
