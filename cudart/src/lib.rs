//! CUDA's runtime library: `libcudart.so.12`. Programs in CUDA C++ that stock clang compiles call it to manage memory
//! and streams and to launch kernels. It is a front end beside `host-api`, on the same plugins.
//!
//! The parts, from the top down; a part knows only those below it:
//!
//! - `entry`: the entry points, one file per family. They turn raw arguments into safe types.
//! - `launch`, `copy`: kernel launches and copies.
//! - `runtime`: the state of the process: devices, what is registered, the current device of a thread.
//! - `cuda_device`: a device with its modules and streams.
//! - `properties`: what a device is, as programs ask.
//! - `registry`: fat binaries, kernels and variables that the program registered.
//! - `own_stream`: a stream with its device.
//! - `graph`: graphs, and the capture of streams.
//! - `allocations`, `pools`, `handles`, `streams`, `events`: what programs hold addresses and handles of.
//! - `error`, `codes`: the last error of a thread, and the error codes.

mod abi;
mod allocations;
mod codes;
mod copy;
mod cuda_device;
mod entry;
mod error;
mod events;
mod graph;
mod handles;
mod launch;
mod own_stream;
mod pools;
mod properties;
mod registry;
mod runtime;
mod streams;
