//! AMD GPUs over the HSA runtime.
//!
//! The plugin links no AMD code and needs no toolkit: it opens the runtime's library at run time ([`driver`]).
//! docs/amdgpu.md describes how the parts work together.

mod arch;
mod code_object;
mod device;
pub mod driver;
mod event;
mod failure;
mod gpu;
mod heap;
mod host_thread;
mod hsa_types;
mod image;
mod init_array;
mod kernel;
mod locked_memory;
mod memory;
mod metadata;
mod module;
mod occupancy;
mod operations;
mod output;
mod plugin;
mod pools;
mod properties;
mod query;
mod queue;
mod runtime;
mod settings;
mod signal;
mod stream;
mod synchronous;
mod trap_record;
mod troubles;

pub use plugin::{Unavailable, plugin};
pub use vendor_driver::Found;
