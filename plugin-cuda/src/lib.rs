//! NVIDIA GPUs over the CUDA driver API.
//!
//! The plugin links no NVIDIA code and needs no toolkit: it opens the driver's library at run time ([`driver`]).
//! docs/cuda.md describes how the parts work together.

mod arch;
mod cuda_types;
mod device;
pub mod driver;
mod event;
mod failure;
mod fat_binary;
mod gpu;
mod host_function;
mod image;
mod init_array;
mod jit;
mod kernel;
mod load_cost;
mod memory;
mod module;
mod names;
mod peer;
mod plugin;
mod progress;
mod properties;
mod ptx;
mod settings;
mod staged_reads;
mod stream;
mod synchronous;
mod trap_record;

pub use plugin::{Unavailable, plugin};
pub use vendor_driver::Found;
