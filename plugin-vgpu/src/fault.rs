//! Faults of device code: the cause, the location and the threads that waited.

use std::time::Duration;

use plugin_api::SourceLocation;
use vgpu_abi::artifact::Site;

/// Why a kernel failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// The device code trapped. The text is empty for a trap without a message.
    Trap(String),
    /// An assertion of the program failed.
    Assertion {
        /// The condition's text.
        condition: String,
        /// Where it is. Known even without debug information.
        location: Box<SourceLocation>,
    },
    /// An access to an address outside device memory.
    WildAccess {
        /// The address.
        address: u64,
        /// Whether it was a store.
        write: bool,
    },
    /// A division error that the CPU detected.
    Arithmetic,
    /// A GPU thread reached the guard page of its stack.
    StackOverflow,
    /// Every thread of a block waits for another.
    Deadlock,
    /// A block waited on memory for this long.
    NoProgress(Duration),
    /// A barrier, or an operation of the warp, was used against its rules.
    Misuse(String),
    /// Anything else.
    Other(String),
}

/// A location in the device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultLocation {
    /// Not known.
    Unknown,
    /// A source location: an index into the manifest's sites.
    Site(u32),
    /// An instruction in the loaded object.
    Code {
        /// Its address.
        pc: u64,
        /// A call further out. It has the line if the instruction is in a function that has none.
        caller: Option<u64>,
    },
}

/// The source location of a site, if it is known.
pub fn location_of(sites: &[Site], index: u32) -> Option<SourceLocation> {
    let Site {
        file,
        line,
        column,
        function,
    } = sites.get(index as usize)?.clone();
    (line != 0).then_some(SourceLocation {
        file,
        line,
        column,
        function,
    })
}

/// A fault as a worker reports it, before kernel names and source lines are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Raised {
    /// Linear index of the thread at fault.
    pub thread: u16,
    /// How many threads, from that one on, may be at fault. 1 if the thread is known.
    pub thread_count: u16,
    /// The cause.
    pub cause: Cause,
    /// The location.
    pub place: FaultLocation,
    /// For a deadlock: which threads wait where.
    pub waiting: Vec<WaitingGroup>,
}

/// Threads that wait at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingGroup {
    /// The operation that they wait at.
    pub at: String,
    /// The threads, in ascending order.
    pub threads: Vec<u16>,
    /// Index into the manifest's sites.
    pub site: u32,
}
