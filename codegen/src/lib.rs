//! Compiled device code for those who need it, without LLVM in their process.
//!
//! The compiler itself is the program `omptarget-codegen` (crate `codegen-llvm`): LLVM costs tens of
//! milliseconds to load, a user's program may carry an LLVM of its own, and LLVM may abort on a
//! malformed image. A process of its own keeps all three away from the user's program; what it
//! produces is cached on disk.

mod cache;
mod compiler;
mod error;
mod host_cpu;
mod process;

pub use cache::{Cache, Key};
pub use compiler::{Compiler, PROVENANCE, PtxOptions, RUNTIME_LIBRARIES, VgpuOptions};
pub use error::CompileError;
