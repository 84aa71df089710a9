//! The worksharing loop that a team, or a thread on its own, takes chunks of (`worksharing::dispatch`).

use core::ptr::null_mut;

/// A loop being handed out, in iteration numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    pub(crate) lower: u64,
    pub(crate) increment: u64,
    /// Iterations.
    pub(crate) count: u64,
    pub(crate) chunk: u64,
    /// How often a thread has asked; of static loops of a thread on its own, a position in its share.
    pub(crate) next: u64,
    /// `ordered`: iterations that have passed their ordered region.
    pub(crate) passed: u64,
    /// Static and ordered loops of a team: a position for each thread, on the heap.
    pub(crate) positions: *mut Position,
    pub(crate) kind: Kind,
    pub(crate) ordered: bool,
    /// Threads that need their positions no more.
    pub(crate) left: u32,
}

/// Where a thread of a team is in its loop.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// Static schedules: a position in the thread's own share.
    pub(crate) next: u64,
    /// `ordered`: first iteration of the thread's chunk.
    pub(crate) ordered_first: u64,
}

impl Position {
    /// Before the first chunk.
    pub(crate) const START: Position = Position {
        next: 0,
        ordered_first: 0,
    };
}

/// How chunks are cut.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Static,
    StaticChunked,
    Dynamic,
    Guided,
}

impl Loop {
    /// No iterations.
    pub const EMPTY: Loop = Loop {
        lower: 0,
        increment: 1,
        count: 0,
        chunk: 1,
        next: 0,
        passed: 0,
        positions: null_mut(),
        kind: Kind::Static,
        ordered: false,
        left: 0,
    };
}
