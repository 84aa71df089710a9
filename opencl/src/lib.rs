//! OpenCL's runtime interface, a front end beside `host-api`, on the same plugins. The ICD loader finds it as
//! `libomptarget-opencl.so` (`library/`).
//!
//! The parts, from the top down; a part knows only those below it:
//!
//! - `dispatch`: the table of entry points.
//! - [`entry`]: the entry points, one file per family. They turn raw arguments into safe types.
//! - `kernel`, `program`: kernels, their arguments, what programs become.
//! - `compile`: from source to code.
//! - `queue`: queues, their order, events. `scheduler` runs commands, `completion` says how far they are.
//! - `memory`, `image`, `rectangle`, `sampler`, `context`, `device`, `platform`: what their names say.
//! - `handle`: what programs hold of objects.
//! - `query`, `codes`, `message`: answers, errors, words for the user.

#![allow(non_snake_case)] // Entry points have OpenCL's names.

mod codes;
mod command_buffer;
mod compile;
mod completion;
mod context;
mod device;
mod dispatch;
pub mod entry;
mod handle;
mod image;
mod kernel;
mod memory;
mod message;
mod platform;
mod program;
mod query;
mod queue;
mod rectangle;
mod sampler;
mod scheduler;
