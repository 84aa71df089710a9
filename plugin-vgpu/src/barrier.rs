//! The sixteen named barriers of a block (`barrier.sync`, `barrier.arrive`, `barrier.red`).
//!
//! Counts are in threads. Threads that have ended count as arrived at a barrier of the whole block. At a barrier
//! with a count, hardware counts whole warps: the ended lanes of a warp count as soon as one of its lanes has
//! arrived. That is why the PTX ISA demands a multiple of the warp size. Any other count is of live threads only.

use vgpu_abi::BarrierReduce;

use crate::warp::{Lanes, MIN_LANES};

/// Barriers per block.
pub const BARRIERS: usize = 16;

/// Most warps per block, for the smallest warp size.
pub const MAX_WARPS: usize = 32;

/// How many arrivals end a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Every thread of the block.
    Block,
    /// This many threads.
    Threads(u32),
}

/// What a thread, or a warp in warp form, does at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Waits.
    Sync,
    /// Continues without waiting.
    Arrive,
    /// Waits and gets a reduction of all predicates. This many of its own predicates hold.
    Reduce(u32),
}

/// One barrier.
pub struct Barrier {
    expected: Option<Expected>,
    arrived: u32,
    /// Ended threads that count as arrived.
    credit: u32,
    /// Whether the ended lanes of a warp count once one of its lanes has arrived.
    counts_warps: bool,
    /// Lanes that have arrived, per warp.
    lanes: [Lanes; MAX_WARPS],
    /// Warps with a lane that has arrived.
    warps: u64,
    waiters: Vec<u16>,
    holds: u32,
    predicates: u32,
}

impl Barrier {
    /// An unused barrier.
    pub fn new() -> Barrier {
        Barrier {
            expected: None,
            arrived: 0,
            credit: 0,
            counts_warps: false,
            lanes: [0; MAX_WARPS],
            warps: 0,
            waiters: Vec::with_capacity(MAX_WARPS * MIN_LANES),
            holds: 0,
            predicates: 0,
        }
    }

    /// Whether a thread has arrived since the barrier last opened.
    pub fn in_use(&self) -> bool {
        self.expected.is_some()
    }

    /// The count that threads have named since the barrier last opened.
    #[inline(always)]
    pub fn expected(&self) -> Option<Expected> {
        self.expected
    }

    /// Threads that count as arrived.
    #[inline(always)]
    pub fn arrived(&self) -> u32 {
        self.arrived + self.credit
    }

    /// Lanes of `warp` that have arrived.
    pub fn arrived_lanes(&self, warp: usize) -> Lanes {
        self.lanes[warp]
    }

    /// The fibers that wait, by their (first) thread, in order of arrival.
    pub fn waiters(&self) -> &[u16] {
        &self.waiters
    }

    /// Starts a wait for `expected` threads of a block. `exited` of its threads have ended already.
    #[inline(always)]
    pub fn open(&mut self, expected: Expected, exited: u32, warp_size: u32) {
        self.expected = Some(expected);
        self.counts_warps =
            matches!(expected, Expected::Threads(count) if count.is_multiple_of(warp_size));
        self.credit = if expected == Expected::Block {
            exited
        } else {
            0
        };
    }

    /// `lanes` of `warp` arrive on the fiber of `thread`. `exited` are the ended lanes of the warp.
    #[inline(always)]
    pub fn arrive(
        &mut self,
        thread: u16,
        (warp, lanes): (usize, Lanes),
        exited: Lanes,
        arrival: Arrival,
    ) {
        if self.warps >> warp & 1 == 0 {
            self.warps |= 1 << warp;
            if self.counts_warps {
                self.credit += exited.count_ones();
            }
        }
        self.lanes[warp] |= lanes;
        self.arrived += lanes.count_ones();
        match arrival {
            Arrival::Arrive => return,
            Arrival::Sync => {}
            Arrival::Reduce(holds) => {
                self.predicates += lanes.count_ones();
                self.holds += holds;
            }
        }
        self.waiters.push(thread);
    }

    /// `lanes` of `warp` end.
    pub fn exit(&mut self, warp: usize, lanes: Lanes) {
        let uncounted = lanes & !self.lanes[warp];
        let counts = match self.expected {
            Some(Expected::Block) => true,
            Some(Expected::Threads(_)) => self.counts_warps && self.warps >> warp & 1 != 0,
            None => false,
        };
        if counts {
            self.credit += uncounted.count_ones();
        }
    }

    /// Whether all expected threads have arrived. `threads` is the size of the block.
    #[inline(always)]
    pub fn complete(&self, threads: u32) -> bool {
        match self.expected {
            Some(Expected::Block) => self.arrived() >= threads,
            Some(Expected::Threads(count)) => self.arrived() >= count,
            None => false,
        }
    }

    /// The predicates so far, for [`reduction`]. `None` if no thread reduces.
    pub fn predicates(&self) -> Option<u64> {
        (self.predicates > 0).then(|| u64::from(self.holds) << 32 | u64::from(self.predicates))
    }

    /// Resets the barrier to its unused state.
    pub fn reset(&mut self) {
        for warp in crate::warp::lanes(self.warps) {
            self.lanes[warp] = 0;
        }
        self.expected = None;
        (
            self.arrived,
            self.credit,
            self.warps,
            self.holds,
            self.predicates,
        ) = (0, 0, 0, 0, 0);
        self.waiters.clear();
    }
}

/// The result of a reduction by `mode` over the barrier's [`Barrier::predicates`].
pub fn reduction(mode: BarrierReduce, predicates: u64) -> u32 {
    let (holds, total) = ((predicates >> 32) as u32, predicates as u32);
    match mode {
        BarrierReduce::Popc => holds,
        BarrierReduce::And => u32::from(holds == total),
        BarrierReduce::Or => u32::from(holds != 0),
    }
}
