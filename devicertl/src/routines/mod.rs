//! Routines that programs call, and what clang asks about the device.

pub mod affinity;
pub mod allocation;
pub mod allocator;
pub mod device_memory;
pub mod error;
#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
pub mod ompx;
pub mod query;
pub mod resources;
