//! The numbers of operations that engine functions take.

/// Shuffle modes of `vgpu_shfl`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    /// `shfl.sync.up`
    Up = 0,
    /// `shfl.sync.down`
    Down = 1,
    /// `shfl.sync.bfly`
    Bfly = 2,
    /// `shfl.sync.idx`
    Idx = 3,
}

/// Vote modes of `vgpu_vote`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteMode {
    /// `vote.sync.all`
    All = 0,
    /// `vote.sync.any`
    Any = 1,
    /// `vote.sync.uni`
    Uni = 2,
    /// `vote.sync.ballot`
    Ballot = 3,
}

/// Operations of `vgpu_redux` (`redux.sync`).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduxOp {
    /// Sum.
    Add = 0,
    /// Unsigned minimum.
    Umin = 1,
    /// Unsigned maximum.
    Umax = 2,
    /// Signed minimum.
    Smin = 3,
    /// Signed maximum.
    Smax = 4,
    /// Bitwise and.
    And = 5,
    /// Bitwise or.
    Or = 6,
    /// Bitwise exclusive or.
    Xor = 7,
}

/// Operations of `vgpu_wave`. The lanes that arrive at the call together take part. `value`, `lane` and `fallback` are
/// the call's arguments.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveOp {
    /// Waits for the others.
    Sync = 0,
    /// The lanes whose value is not 0.
    Ballot = 1,
    /// The value of the first lane.
    First = 2,
    /// The value of lane `lane`, or `fallback` if that lane takes no part.
    Gather = 3,
    /// The value of the highest lane whose `lane` names this one, or `fallback` if there is none.
    Scatter = 4,
}

/// `vgpu_wave` with this plus a [`ReduxOp`] reduces 64-bit values.
pub const WAVE_REDUX: u32 = 16;

/// Modes of `vgpu_barrier_reduce` (`barrier.red`).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierReduce {
    /// Number of threads whose predicate holds.
    Popc = 0,
    /// Whether all hold.
    And = 1,
    /// Whether any holds.
    Or = 2,
}
