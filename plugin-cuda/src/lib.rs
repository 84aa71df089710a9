//! NVIDIA GPUs over the CUDA driver API.
//!
//! Nothing of NVIDIA's is linked, and no toolkit is needed: the driver's library is opened when the plugin is
//! ([`driver`]). How the parts work together is in docs/cuda.md.

mod arch;
mod call;
mod cuda_types;
mod device;
pub mod driver;
mod event;
mod failure;
mod fat_binary;
mod gpu;
mod idle;
mod image;
mod init_array;
mod jit;
mod kernel;
mod memory;
mod module;
mod names;
mod occupancy;
mod peer;
mod plugin;
mod properties;
mod ptx;
mod running;
mod settings;
mod staging;
mod stream;
mod stream_now;
mod trap_record;

pub use plugin::{Absence, Found, plugin};
