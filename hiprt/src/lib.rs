//! HIP's runtime library: `libamdhip64.so.6`. Programs in HIP that stock clang compiles for AMD's GPUs call it.
//!
//! HIP's interface is CUDA's with other names, by design: most functions are those of `cudart` (`entry::exports`). What
//! differs in HIP is here: structures, enumerations, and functions that CUDA's runtime interface does not have.

pub mod attributes;
pub mod entry;
pub mod error_names;
mod front;
