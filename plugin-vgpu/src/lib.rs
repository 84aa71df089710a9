//! The virtual GPU: a device whose multiprocessors are CPU threads and whose GPU threads are fibers. It runs the
//! NVPTX or AMDGCN bitcode of an image, which `codegen` compiles for the CPU.
//!
//! `docs/vgpu.md` describes what it emulates and how it reports faults.

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
compile_error!("the virtual GPU runs on Linux on x86-64 and 64-bit ARM");

mod abi;
mod address_limit;
mod arena;
mod barrier;
mod bench;
mod block;
mod block_ranges;
mod block_time;
mod captured_signal;
mod checker;
mod code_ranges;
mod compile;
mod config;
mod contention;
mod counters;
mod deadlock;
mod device;
mod dispatch;
mod endless_wait;
mod engine;
mod fat_ptx;
mod fault;
mod fault_in;
mod fiber;
mod form_choice;
mod grid;
mod grid_workspace;
mod heap;
mod host_access;
mod host_cpu;
mod host_ranges;
mod kernel;
mod kernel_groups;
mod later;
mod loader;
mod machine;
mod memory;
mod module;
mod motion;
mod pieces;
mod plugin;
mod printf;
mod quarantine;
mod regions;
mod reservations;
mod reserve;
mod ring;
mod runnable;
mod schedule;
mod scheduler;
mod short_launches;
mod signals;
mod sm;
mod spin_then_park;
mod stream;
mod stream_workers;
mod subgroups;
mod switch;
mod trial_clock;
mod unit_set;
mod warp;
mod window;
mod window_file;

pub use bench::{Figure, bench};
pub use config::Config;
pub use device::VirtualGpu;
pub use engine::Engine;
pub use module::VirtualModule;
pub use plugin::{Unavailable, plugin};
pub use schedule::Schedule;

#[cfg(test)]
mod tests;
