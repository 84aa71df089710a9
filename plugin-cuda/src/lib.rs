//! NVIDIA GPUs over the CUDA driver API.
//!
//! Nothing of NVIDIA's is linked, and no toolkit is needed: the driver's library is opened when the plugin is
//! ([`driver`]). How the parts work together is in docs/cuda.md.

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
mod in_flight;
mod init_array;
mod jit;
mod kernel;
mod memory;
mod module;
mod names;
mod object_pool;
mod occupancy;
mod peer;
mod plugin;
mod properties;
mod ptx;
mod settings;
mod staging;
mod stream;
mod synchronous;
mod trap_record;

pub use plugin::{Found, Unavailable, plugin};
