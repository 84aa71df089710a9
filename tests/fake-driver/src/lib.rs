//! What the libraries in place of NVIDIA's and AMD's (`tests/fake-cuda`, `tests/fake-hsa`) have in common: handles, the
//! caller's pointers, injected failures, and the files in which the bitcode of a module is found.

#[macro_use]
mod functions;
pub mod handle;
pub mod images;
pub mod injection;
pub mod pointer;
