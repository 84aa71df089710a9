//! Races: accesses to the same memory, one of them a write, by threads that nothing orders.
//!
//! What orders two accesses: barriers and `syncwarp` (`block_clock`), atomic operations that acquire what others have
//! released, with fences or by themselves (`releases`), and the end of a kernel before another one begins (`launches`).
//! Two atomic operations do not race. The memory model is that of C11 as PTX has it (PTX ISA, "Memory Consistency
//! Model"); the treatment of fences follows ThreadSanitizer's.
//!
//! There is one multiprocessor while races are looked for, so accesses come one after the other, and its thread alone
//! notes them (`detector`). A warp's accesses are compared as rows (`row`, `lanes`) with the rows of each segment of
//! memory (`segment`). Only what these comparisons cannot settle is looked at thread by thread.

mod block_clock;
mod detector;
mod happens_before;
mod lanes;
mod launches;
mod memory;
mod passed;
mod releases;
mod row;
mod segment;
mod thread_set;
mod work;

use std::sync::Arc;

use parking_lot::Mutex;
use vgpu_abi::AccessKind;

use super::launch::Access;
use crate::arena::Span;
use crate::warp;
pub use detector::Detector;
pub use happens_before::{Cause, Meeting, Order};
use lanes::Strided;
pub use lanes::runs;
use launches::Launches;
use memory::Memory;
pub use passed::{Passed, TransferRace};
use releases::Moment;
use row::{Row, Threads};
use segment::Horizon;
pub use thread_set::ThreadSet;
pub use work::{Begun, Timeline};

/// A past access that nothing orders with the present one.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// The thread of the present access.
    pub present: u16,
    /// Where in the code of its launch the past access is.
    pub site: u32,
    /// Whether it was a write.
    pub write: bool,
    /// Whether it was atomic.
    pub atomic: bool,
    /// Why it races.
    pub cause: Cause,
    /// Number of its launch.
    pub launch: u32,
    /// Its block, by its index in the launch.
    pub block: u64,
    /// Its thread.
    pub thread: u16,
}

/// The accesses of a device's kernels, and their order.
#[derive(Default)]
pub struct Races {
    memory: Memory,
    /// What orders them.
    pub order: Order,
    launches: Arc<Mutex<Launches>>,
    /// Where blocks have their shared memory, one after the other.
    shared: Option<Span>,
    /// What the access that was noted last races with.
    found: Vec<Conflict>,
}

impl Races {
    /// Memory has another owner: past accesses to it do not matter.
    pub fn forget(&mut self, span: Span) {
        self.memory.forget(span);
    }

    /// A block begins, with shared memory of its own. In warps of `lockstep` lanes nothing needs a barrier.
    pub fn begin_block(&mut self, launch: u32, block: u64, lockstep: u16, shared: Span) {
        self.shared = Some(shared);
        let launches = self.launches.lock();
        self.order.begin_block(&launches, launch, block, lockstep);
    }

    /// An access of a thread of the present block. Gives the past accesses that it races with.
    pub fn access(&mut self, thread: u16, access: &Access) -> &[Conflict] {
        self.found.clear();
        self.one(thread, access);
        &self.found
    }

    /// The same access of each thread in `lanes`, counted from `first`; each at `stride` bytes from the one before.
    pub fn lanes(&mut self, first: u16, access: &Access, lanes: u64, stride: i64) -> &[Conflict] {
        self.found.clear();
        if self.order.concerns(access.kind) {
            self.each(first, access, lanes, |lane| {
                address_of(access, lane, stride)
            });
        } else {
            self.run(first, access, lanes, stride);
        }
        &self.found
    }

    fn each(&mut self, first: u16, access: &Access, lanes: u64, address: impl Fn(usize) -> u64) {
        for lane in warp::lanes(lanes) {
            let address = address(lane);
            self.one(first + lane as u16, &Access { address, ..*access });
        }
    }

    /// Lanes whose access orders nothing.
    fn run(&mut self, first: u16, access: &Access, lanes: u64, stride: i64) {
        if lanes == 0 || access.kind.has(AccessKind::ORDER) || self.order.is_exhausted() {
            return;
        }
        let last = first + 63 - lanes.leading_zeros() as u16;
        let next = first + lanes.trailing_zeros() as u16;
        let same = stride == 0 && next != last;
        if same && access.kind.0 & (WRITE.0 | ATOMIC.0) != WRITE.0 {
            self.range(access, Threads::together(next, last));
        } else if same {
            // They race with each other, unless they write the same. Two are as many as all.
            self.range(access, Threads::one(next));
            self.range(access, Threads::one(last));
        } else if let Some(strided) =
            Strided::new(first, (access.address, access.size), lanes, stride)
        {
            let row = self.row(access, Threads::one(first));
            let horizon = self.horizon(access.address);
            let (first, last) = strided.bounds();
            self.memory.prefetch(first, last);
            strided.each_row(|segment, threads, bytes| {
                self.note(segment, &row.by(threads).of(bytes), &horizon);
            });
        } else {
            for lane in warp::lanes(lanes) {
                let address = address_of(access, lane, stride);
                let access = Access { address, ..*access };
                self.range(&access, Threads::one(first + lane as u16));
            }
        }
    }

    fn one(&mut self, thread: u16, access: &Access) {
        let Access { kind, address, .. } = *access;
        let orders = self.order.concerns(kind);
        if orders {
            self.order.acquire_at(thread, kind, address);
        }
        if !kind.has(AccessKind::ORDER) && !self.order.is_exhausted() {
            self.range(access, Threads::one(thread));
        }
        if orders && kind.has(WRITE) {
            self.order.release_at(thread, kind, address);
        }
    }

    /// Threads access the same bytes.
    fn range(&mut self, access: &Access, threads: Threads) {
        let row = self.row(access, threads);
        let horizon = self.horizon(access.address);
        for (segment, bytes) in memory::pieces(access.address, access.size) {
            self.note(segment, &row.of(bytes), &horizon);
        }
    }

    fn row(&self, access: &Access, threads: Threads) -> Row {
        let Access {
            site, kind, value, ..
        } = *access;
        Row::new(self.order.now(), threads, site, kind, value)
    }

    /// What accesses of the present block to an address come after.
    fn horizon(&self, address: u64) -> Horizon {
        let mut horizon = self.order.horizon();
        if self.shared.is_some_and(|it| it.contains(address, 1)) {
            // Another block's shared memory was another memory.
            horizon.settled = u32::MAX;
        }
        horizon
    }

    /// Compares a row with those of its segment, and adds it to them.
    #[inline]
    fn note(&mut self, segment: u64, row: &Row, horizon: &Horizon) {
        let segment = self.memory.segment(segment);
        let verdict = segment.compare(row, horizon);
        if verdict.suspect {
            let suspects = segment.suspects(row, horizon);
            let launches = self.launches.lock();
            let order = &self.order;
            let races = |present, past| order.races(&launches, present, past);
            look_closer(suspects, row, races, &launches, &mut self.found);
        }
        if !verdict.known {
            segment.note(row, horizon);
        }
    }
}

/// Looks for races of a row with old ones, thread by thread.
#[cold]
fn look_closer<'a>(
    suspects: impl Iterator<Item = (&'a Row, u64)>,
    row: &Row,
    races: impl Fn(u16, Moment) -> Option<Cause>,
    launches: &Launches,
    found: &mut Vec<Conflict>,
) {
    let mut reported = 0;
    for (old, bytes) in suspects {
        let pairs = lanes::pairs(old.threads, row.threads, bytes & !reported);
        let mut racing = pairs.filter_map(|(past, present)| {
            let moment = Moment {
                block: old.block,
                thread: past,
                time: old.time,
            };
            Some((past, present, races(present, moment)?))
        });
        let Some((thread, present, cause)) = racing.next() else {
            continue;
        };
        let Some((launch, block)) = launches.of(old.block) else {
            continue;
        };
        reported |= bytes;
        found.push(Conflict {
            present,
            site: old.site(),
            write: old.writes(),
            atomic: old.is_atomic(),
            cause: match old.is_exchange(row) {
                true => Cause::Exchange,
                false => cause,
            },
            launch,
            block,
            thread,
        });
    }
}

const WRITE: AccessKind = AccessKind::WRITE;
const ATOMIC: AccessKind = AccessKind::ATOMIC;

/// Where a lane accesses memory.
fn address_of(access: &Access, lane: usize, stride: i64) -> u64 {
    let distance = (lane as i64).wrapping_mul(stride);
    access.address.wrapping_add(distance as u64)
}

#[cfg(test)]
mod tests;
