//! The client of the device compiler. It gets compiled code without LLVM in the user's process.
//!
//! The compiler itself is the program `omptarget-codegen` (crate `codegen-llvm`). LLVM takes tens of milliseconds to
//! load, the user's program may carry an LLVM of its own, and LLVM may abort on a malformed image. A separate process
//! keeps all three away from the user's program. Its output is cached on disk.

mod cache;
mod claim;
mod compiler;
mod cpu_level;
mod error;
mod growth;
mod host_cpu;
mod kernel_compiler;
pub mod opencl;
mod process;
mod progress;
pub mod requests;
mod server;

pub use cache::{Cache, Key};
pub use compiler::{
    CodeObjectOptions, Compiler, PROVENANCE, PtxOptions, RUNTIME_LIBRARIES, SERVICES_LIBRARY,
    TEXTURE_LIBRARY, VgpuOptions,
};
pub use cpu_level::CpuLevel;
pub use error::CompileError;
pub use kernel_compiler::KernelCompiler;
pub use progress::MARK as PROGRESS_MARK;
