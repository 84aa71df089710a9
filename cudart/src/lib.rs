//! CUDA's runtime library: `libcudart.so.12`. Programs in CUDA C++ that stock clang compiles call it to manage memory
//! and streams and to launch kernels. It is a front end beside `host-api`, on the same plugins.
//!
//! The parts, from the top down; a part knows only those below it:
//!
//! - `entry`: the entry points, one file per family. They turn raw arguments into safe types.
//! - `launch`, `copy`: kernel launches and copies.
//! - `runtime`: the state of the process: devices, what is registered, the current device of a thread.
//! - `cuda_device`: a device with its modules and streams.
//! - `properties`, `properties_13`: what a device is, as programs ask.
//! - `registry`: fat binaries, kernels and variables that the program registered.
//! - `own_stream`: a stream with its device.
//! - `graph`: graphs, and the capture of streams.
//! - `allocations`, `pools`, `handles`, `streams`, `events`: what programs hold addresses and handles of.
//! - `processes`: memory and events of other processes.
//! - `front`: which library this is; HIP's (`hiprt`) is made of the same.
//! - `texture`: arrays, textures and surfaces.
//! - `error`, `codes`: the last error of a thread, and the error codes.

pub mod abi;
pub mod allocations;
mod codes;
pub mod copy;
pub mod cuda_device;
pub mod entry;
pub mod error;
pub mod events;
pub mod front;
pub mod graph;
pub mod handles;
pub mod launch;
pub mod own_stream;
pub mod pools;
pub mod processes;
pub mod properties;
pub mod properties_13;
pub mod registry;
pub mod runtime;
pub mod streams;
pub mod texture;
