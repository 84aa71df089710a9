//! CUDA's runtime library: `libcudart.so.12`. Programs in CUDA C++ that stock clang compiles call it to manage memory
//! and streams and to launch kernels. It is a front end beside `host-api`, on the same plugins.
//!
//! The parts, from the top down; a part knows only those below it:
//!
//! - `entry`: the entry points, one file per family. They turn raw arguments into safe types.
//! - `launch`, `copy`: kernel launches and copies.
//! - `runtime`: the state of the process: devices, what is registered, the current device of a thread.
//! - `cuda_device`: a device with its modules and streams.
//! - `registry`: fat binaries, kernels and variables that the program registered.
//! - `allocations`, `streams`, `events`: tables of what programs hold addresses and handles of.
//! - `error`: error codes and the last error of a thread.

mod abi;
mod allocations;
mod copy;
mod cuda_device;
mod entry;
mod error;
mod events;
mod launch;
mod registry;
mod runtime;
mod streams;
