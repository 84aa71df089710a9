//! The host runtime: `libomptarget.so`, the library that programs compiled by clang with
//! `--offload-arch` call to run their target regions on a device.
//!
//! Entry points turn what clang passes into safe types and hand it to one of the parts below
//! them; `docs/host-runtime.md` draws the flow of a region through the parts.

pub mod abi;
mod construct;
pub mod device;
mod entry;
pub mod environment;
mod fork;
mod host_library;
mod launch;
mod mapping;
mod ompt;
mod recording;
pub mod report;
mod runtime;
#[cfg(test)]
mod tests;
mod thread_number;
mod trace;
