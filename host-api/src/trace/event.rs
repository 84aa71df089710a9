//! Recorded events: activities on a device with their begin and end.

use std::sync::Arc;
use std::time::Instant;

/// The kind of an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A construct of the program, with all it does.
    Construct,
    /// Loading a device image, including its compilation.
    Load,
    /// A stage of a load.
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

/// An activity that has ended.
#[derive(Clone, Debug)]
pub struct Event {
    /// What it is about.
    pub kind: Kind,
    /// Name of the kernel, of the item or of the stage.
    pub name: Arc<str>,
    /// Location of the construct that it belongs to; empty outside of constructs.
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

/// An event with its thread.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The event.
    pub event: Event,
    /// The system's number of the thread.
    pub thread: i32,
}

impl Recorded {
    /// An event of the calling thread.
    pub fn here(event: Event) -> Recorded {
        // SAFETY: gettid has no preconditions.
        let thread = unsafe { libc::gettid() };
        Recorded { event, thread }
    }
}
