//! The host runtime: `libomptarget.so`. Programs that clang compiled with `--offload-arch` call it to run their target
//! regions on a device.
//!
//! Entry points (`entry`) turn what clang passes into safe types and call the parts below them. `docs/host-runtime.md`
//! draws the path of a region through the parts.

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
