//! What is recorded: something that took place on a device, from when to when.

use std::sync::Arc;
use std::time::Instant;

/// What a span is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A construct of the program, with everything it does.
    Construct,
    /// A device image becoming a loaded module; includes compiling it if need be.
    Load,
    /// A part of that.
    Stage,
    /// A kernel.
    Kernel,
    /// A copy from the host to a device.
    ToDevice,
    /// A copy from a device to the host.
    ToHost,
    /// A copy from device memory to device memory.
    OnDevice,
}

/// Something that has ended.
#[derive(Clone, Debug)]
pub struct Event {
    /// What it is about.
    pub kind: Kind,
    /// Of the kernel, the item or the part of a load.
    pub name: Arc<str>,
    /// Where the construct is that it belongs to; empty outside of constructs.
    pub location: Arc<str>,
    /// The device, by number.
    pub device: usize,
    /// Bytes copied or loaded.
    pub bytes: u64,
    /// When it began.
    pub begin: Instant,
    /// When it ended.
    pub end: Instant,
}

/// An event with the thread it happened on.
pub struct Recorded {
    /// The event.
    pub event: Event,
    /// The system's number of the thread.
    pub thread: i32,
}
