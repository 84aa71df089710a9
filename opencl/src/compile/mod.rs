//! From source to code: clang, a process, makes a module of each source. The device compiler links modules into a
//! program (`codegen::opencl`). Both keep their answers on disk.

pub mod binary;
pub mod clang;
pub mod options;
pub mod spirv;
mod tool;
