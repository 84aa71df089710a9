//! CUDA's driver interface: `libcuda.so.1`. Runtimes, Python packages and programs that compile kernels at run time
//! call it. It is a second face of `cudart`: streams, events, memory, copies, launches and graphs are those of the
//! runtime's interface, and so are their handles, as with NVIDIA's libraries. Both interfaces are in one library
//! (`cudart-library`), so that a program that uses both sees one state.
//!
//! What only the driver's interface has is here. The parts, from the top down; a part knows only those below it:
//!
//! - `procedures`: the functions by name and version, for `cuGetProcAddress`.
//! - `entry`: the entry points, one file per family.
//! - `linker`: several texts of PTX become one image.
//! - `modules`: modules, libraries, and their kernels.
//! - `jit`: options of compilation, and its logs.
//! - `image`: what is at an address that a program gives for an image.
//! - `user_objects`: what graphs keep for a program.
//! - `virtual_memory`: addresses and memory that a program maps by itself.
//! - `texture`: what describes arrays, textures and surfaces.
//! - `contexts`: contexts, and the stack of a thread.
//! - `nvidias_runtime`: what is told to users of NVIDIA's runtime library.
//! - `status`: error codes.

mod contexts;
pub mod entry;
mod image;
mod jit;
mod linker;
mod modules;
mod nvidias_runtime;
mod procedures;
pub mod status;
pub mod texture;
mod user_objects;
mod virtual_memory;
