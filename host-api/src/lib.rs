//! The host runtime: `libomptarget.so`. Programs that clang compiled with `--offload-arch` call it to run their target
//! regions on a device.
//!
//! The parts, from the top down; a part knows only those below it:
//!
//! - `entry`: the entry points. They turn what clang passes into safe types.
//! - `launch`: kernel launches.
//! - `construct`: what constructs do, on data and with the device.
//! - `runtime`: the state of the process; finds the devices.
//! - `check`: the checker's host side.
//! - `device`: devices, loaded programs, registered libraries.
//! - `mapping`: mapping tables and map items.
//! - `recording`, `trace`, `ompt`: what is recorded, and what tools hear.
//! - `report`: errors and other messages.
//!
//! `docs/host-runtime.md` draws the path of a region through the parts.

pub mod abi;
mod check;
mod construct;
pub mod device;
mod entry;
pub mod environment;
mod fork;
mod host_library;
mod host_memory;
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
