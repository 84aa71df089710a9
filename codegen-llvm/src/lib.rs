//! The compiler of device images. It makes host objects for the virtual GPU, PTX and code objects for AMD GPUs, and it
//! improves device code while clang compiles and links it.
//!
//! | module | what it holds |
//! |---|---|
//! | `ir` | LLVM's C API with types |
//! | `analysis` | what passes ask of a module; nothing there changes one |
//! | `device` | passes on a device image whatever runs it, and their pipeline |
//! | `vgpu` | passes that turn an image into a host object; stands on the three above |
//! | `opencl` | links OpenCL programs into images |
//! | `pass_manager` | runs a table of passes |
//! | `ptx`, `amdgcn`, [`link`], [`translation_unit`], `inspect` | the other things that become of an image |
//! | `ptx_reader` | an image that may be PTX text |
//! | `child` | a part of the work in a copy of the process |
//! | `linker` | LLVM's linker, a process |
//! | `managed_variables` | CUDA's variables of host and device |
//!
//! `omptarget-codegen`, the compiler process (see the crate `codegen`), is [`main`]. The crate `link-plugin` brings
//! [`link`] into clang's linkers.

mod amdgcn;
mod analysis;
mod child;
mod command;
mod device;
mod inspect;
mod ir;
pub mod link;
mod linker;
mod managed_variables;
mod opencl;
mod pass_manager;
mod ptx;
mod ptx_reader;
pub mod translation_unit;
mod vgpu;

pub use command::main;
