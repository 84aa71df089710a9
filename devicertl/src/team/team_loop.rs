//! The worksharing loop that a team, or a thread on its own, takes chunks of (`worksharing::dispatch`).

/// A loop being handed out, in iteration numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    pub(crate) lower: u64,
    pub(crate) increment: u64,
    /// Iterations.
    pub(crate) count: u64,
    pub(crate) chunk: u64,
    /// How often a thread has asked; of static loops, a position in the thread's own share.
    pub(crate) next: u64,
    /// `ordered`: iterations that have passed their ordered region.
    pub(crate) passed: u64,
    /// `ordered`, private copies: first iteration of the thread's chunk.
    pub(crate) ordered_first: u64,
    pub(crate) kind: Kind,
    pub(crate) ordered: bool,
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
        ordered_first: 0,
        kind: Kind::Static,
        ordered: false,
    };
}
