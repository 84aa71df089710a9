//! Faults of device code: why, where, and who waited meanwhile.

use std::time::Duration;

use plugin_api::SourceLocation;

/// Why a kernel ended abnormally.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// The device code trapped; the text is empty for a bare trap.
    Trap(String),
    /// An assertion of the program's failed.
    Assertion {
        /// Its text.
        condition: String,
        /// Its place, known even without debug information.
        location: Box<SourceLocation>,
    },
    /// An access to an address that is not the device's.
    WildAccess {
        /// The address.
        address: u64,
        /// Whether it was a store.
        write: bool,
    },
    /// The CPU's division error.
    Arithmetic,
    /// A GPU thread ran into its stack's guard page.
    StackOverflow,
    /// Every thread of a block waits.
    Deadlock,
    /// A block waited on memory for this long.
    NoProgress(Duration),
    /// Anything else.
    Other(String),
}

/// Where in the device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultLocation {
    /// Nobody knows.
    Unknown,
    /// An index into the manifest's sites.
    Site(u32),
    /// An instruction in the loaded object, and whether it is a return address.
    Code {
        /// Its address.
        pc: u64,
    },
}

/// A fault as the worker hands it on, before names and source lines are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Raised {
    /// Linear index of the thread at fault.
    pub thread: u16,
    /// Threads from that one on, of which one is at fault; 1 if it is known which.
    pub among: u16,
    /// Why.
    pub cause: Cause,
    /// Where.
    pub place: FaultLocation,
    /// For a deadlock: who waits where.
    pub waiting: Vec<WaitingGroup>,
}

/// Threads that wait at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingGroup {
    /// At what.
    pub at: String,
    /// Which threads, ascending.
    pub threads: Vec<u16>,
    /// Index into the manifest's sites.
    pub site: u32,
}
