//! NVIDIA's runtime library for CUDA as `nvcc` links it unless told otherwise: into the program
//! (`libcudart_static.a`). It does not start over a driver that is not NVIDIA's. As long as the program has its symbol
//! table, the library's functions have names there, and a jump at the entry of each leads to another library's function
//! of that name (docs/decisions/0127).
//!
//! - `found`: the library in a file, by its symbols.
//! - `file`: a file in memory.
//! - `loaded`: where the program's code is in this process.
//! - `near`: memory for code, close to that of the program.
//! - `replacement`: the jumps.
//! - `asker`: whether it is such a library that calls a function.

pub mod asker;
pub mod file;
pub mod found;
mod loaded;
#[cfg(target_arch = "x86_64")]
mod near;
#[cfg(target_arch = "x86_64")]
pub mod replacement;
