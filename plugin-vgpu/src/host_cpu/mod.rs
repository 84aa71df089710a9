//! What the virtual GPU needs to know of the host's CPU. A file per architecture has the same items:
//!
//! - `PAGE`: a size that every page size of the architecture divides.
//! - `FloatEnvironment`: how floating-point numbers are rounded, and what a thread had before.
//! - `time_stamp`: a counter that runs at a constant rate.
//! - `publish_code`, `see_new_code`: what it takes to run code that was written as data.
//! - `stack_pointer`, `program_counter`, `latest_return_address`, `resume_at`: registers, in a signal handler.
//! - `attempt`: what the instruction that raised a signal was about to do.

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod architecture;

pub use architecture::*;

/// What an instruction that raised a signal was about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Read memory.
    Load,
    /// Write memory.
    Store,
    /// Access memory at an address that the CPU does not report.
    UnknownAddress,
    /// Run what is not code.
    Fetch,
    /// Divide an integer by zero.
    DivideByZero,
    /// Something that the CPU cannot do.
    Illegal,
}
