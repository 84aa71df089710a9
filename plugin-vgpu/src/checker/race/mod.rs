//! Races: accesses to the same memory, one of them a write, by threads that nothing orders.
//!
//! What orders two accesses: barriers and `syncwarp` (`block_clock`), explicit tasks and who waits for them (`tasks`),
//! atomic operations that acquire what others have released, with fences or by themselves (`releases`), and the end of
//! a kernel before another one begins (`launches`). Two atomic operations do not race. The memory model is that of C11
//! as PTX has it (PTX ISA, "Memory Consistency Model"); the treatment of fences follows ThreadSanitizer's.
//!
//! There is one multiprocessor while races are looked for, so accesses come one after the other, and its thread alone
//! notes them (`detector`). A warp's accesses are compared as rows (`row`, `lanes`) with the rows of each segment of
//! memory (`segment`). Only what these comparisons cannot settle is looked at thread by thread.

mod block_clock;
mod comparison;
mod detector;
mod happens_before;
mod horizon;
mod lanes;
mod launches;
mod memory;
mod more_rows;
mod passed;
mod probe;
mod releases;
mod row;
mod segment;
mod tasks;
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
use horizon::Horizon;
use lanes::Strided;
use launches::Launches;
use memory::Memory;
pub use passed::{Passed, TransferRace};
use probe::Probe;
use releases::Moment;
use row::{Event, Row, Threads};
pub use tasks::Announced;
pub use thread_set::ThreadSet;
pub use work::{Begun, Timeline};

/// A past access that nothing orders with the present one.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// The thread of the present access, or the number of its explicit task.
    pub present: u16,
    /// The first byte that it shares with the past one.
    pub address: u64,
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
    /// Its thread, or the number of its explicit task.
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

    /// A block of so many threads begins, with shared memory of its own. In warps of `lockstep` lanes nothing needs a
    /// barrier.
    pub fn begin_block(&mut self, number: (u32, u64), threads: u16, lockstep: u16, shared: Span) {
        self.shared = Some(shared);
        let launches = self.launches.lock();
        self.order.begin_block(&launches, number, threads, lockstep);
    }

    /// An access of a thread of the present block. Gives the past accesses that it races with.
    pub fn access(&mut self, thread: u16, access: &Access) -> &[Conflict] {
        self.found.clear();
        self.one(self.order.tasks.who(thread), access);
        &self.found
    }

    /// The same access of each thread in `lanes`, counted from `first`; each at `stride` bytes from the one before.
    pub fn lanes(&mut self, first: u16, access: &Access, lanes: u64, stride: i64) -> &[Conflict] {
        self.found.clear();
        if self.order.concerns(access.kind) {
            self.each(first, access, lanes, |lane| {
                address_of(access, lane, stride)
            });
        } else if self.compares(access.kind) && lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            let probe = self.probe(first, access, address_of(access, lane, stride));
            self.run(first, access, lanes, stride, &probe);
        }
        &self.found
    }

    /// The same of reads that order nothing, where lanes so many behind these read the same. The last of them are
    /// `last` behind.
    pub fn repeated(
        &mut self,
        first: u16,
        access: &Access,
        lanes: u64,
        stride: i64,
        last: u16,
    ) -> &[Conflict] {
        self.found.clear();
        if self.compares(access.kind) && lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            let probe = self.probe(first, access, address_of(access, lane, stride));
            match Strided::new(first, (access.address, access.size), lanes, stride) {
                Some(strided) => strided.each_row(|segment, threads, bytes| {
                    let threads = threads.and_behind(last);
                    self.note(segment, &probe.event.by(threads).of(bytes), &probe);
                }),
                None => {
                    self.run(first, access, lanes, stride, &probe);
                    self.run(first + last, access, lanes, stride, &probe);
                }
            }
        }
        &self.found
    }

    /// The same where each lane has an address of its own.
    pub fn gather(
        &mut self,
        first: u16,
        access: &Access,
        lanes: u64,
        addresses: &[u64],
    ) -> &[Conflict] {
        self.found.clear();
        if self.order.concerns(access.kind) {
            self.each(first, access, lanes, |lane| addresses[lane]);
        } else if self.compares(access.kind) && lanes != 0 {
            let address = addresses[lanes.trailing_zeros() as usize];
            let mut probe = self.probe(first, access, address);
            warp::lanes(lanes).for_each(|lane| self.memory.prefetch(addresses[lane]));
            for (lane, run, stride) in lanes::runs(lanes, access.size, addresses) {
                let address = addresses[lane];
                if self.is_own_memory(address) != probe.horizon.is_own_memory() {
                    probe = self.probe(first, access, address);
                }
                if run.is_power_of_two() {
                    let event = probe.event.by(Threads::one(first + lane as u16));
                    self.range((address, access.size), event, &probe);
                } else {
                    let address = address.wrapping_sub((lane as i64 * stride) as u64);
                    self.run(first, &Access { address, ..*access }, run, stride, &probe);
                }
            }
        }
        &self.found
    }

    fn each(&mut self, first: u16, access: &Access, lanes: u64, address: impl Fn(usize) -> u64) {
        for lane in warp::lanes(lanes) {
            let address = address(lane);
            self.one(first + lane as u16, &Access { address, ..*access });
        }
    }

    /// Whether accesses of a kind, which order nothing, are compared.
    fn compares(&self, kind: AccessKind) -> bool {
        !kind.has(AccessKind::ORDER) && !self.order.is_exhausted()
    }

    /// Lanes whose access orders nothing.
    fn run(&mut self, first: u16, access: &Access, lanes: u64, stride: i64, probe: &Probe) {
        let (low, high) = (lanes.trailing_zeros(), 63 - lanes.leading_zeros());
        let (next, last) = (first + low as u16, first + high as u16);
        let event = probe.event;
        let bytes = (access.address, access.size);
        let same = stride == 0 && next != last;
        if same && access.kind.0 & (WRITE.0 | ATOMIC.0) != WRITE.0 {
            self.range(bytes, event.by(Threads::together(next, last)), probe);
        } else if same {
            // They race with each other, unless they write the same. Two are as many as all.
            self.range(bytes, event.by(Threads::one(next)), probe);
            self.range(bytes, event.by(Threads::one(last)), probe);
        } else if let Some(strided) = Strided::new(first, bytes, lanes, stride) {
            let (first, last) = strided.bounds();
            (first..=last)
                .step_by(row::SEGMENT as usize)
                .for_each(|segment| self.memory.prefetch(segment));
            strided.each_row(|segment, threads, bytes| {
                self.note(segment, &event.by(threads).of(bytes), probe);
            });
        } else {
            warp::lanes(lanes)
                .for_each(|lane| self.memory.prefetch(address_of(access, lane, stride)));
            for lane in warp::lanes(lanes) {
                let bytes = (address_of(access, lane, stride), access.size);
                let event = event.by(Threads::one(first + lane as u16));
                self.range(bytes, event, probe);
            }
        }
    }

    fn one(&mut self, thread: u16, access: &Access) {
        let Access { kind, address, .. } = *access;
        let orders = self.order.concerns(kind);
        if orders {
            self.order.acquire_at(thread, kind, address);
        }
        if self.compares(kind) {
            let probe = self.probe(thread, access, address);
            self.range((address, access.size), probe.event, &probe);
        }
        if orders && kind.has(WRITE) {
            self.order.release_at(thread, kind, address);
        }
    }

    /// Threads access the same bytes.
    #[inline]
    fn range(&mut self, (address, size): (u64, u64), event: Event, probe: &Probe) {
        let within = address % row::SEGMENT;
        if size - 1 < row::SEGMENT - within {
            let bytes = u64::MAX >> (row::SEGMENT - size) << within;
            return self.note(address - within, &event.of(bytes), probe);
        }
        for (segment, bytes) in memory::pieces(address, size) {
            self.note(segment, &event.of(bytes), probe);
        }
    }

    /// An access to memory like that at an address.
    #[inline]
    fn probe(&self, thread: u16, access: &Access, address: u64) -> Probe {
        let Access {
            site, kind, value, ..
        } = *access;
        let event = Event::new(self.order.now(), Threads::one(thread), site, kind, value);
        let horizon = self.order.horizon();
        match self.is_own_memory(address) {
            true => Probe::new(event, horizon.of_own_memory()),
            false => Probe::new(event, horizon),
        }
    }

    /// Whether memory is the present block's alone.
    #[inline]
    fn is_own_memory(&self, address: u64) -> bool {
        self.shared
            .is_some_and(|shared| shared.contains(address, 1))
    }

    /// Compares a row with those of its segment, and adds it to them.
    #[inline(always)]
    fn note(&mut self, address: u64, row: &Row, probe: &Probe) {
        if !self.memory.segment(address).note_at_once(row, probe) {
            self.note_slowly(address, *row, &probe.horizon);
        }
    }

    /// The row comes by value, so that those that are noted at once are nowhere in memory.
    #[inline(never)]
    fn note_slowly(&mut self, address: u64, row: Row, horizon: &Horizon) {
        let row = &row;
        let segment = self.memory.segment(address);
        let verdict = segment.compare(row, horizon);
        if verdict.suspect {
            let suspects = segment.suspects(row, horizon);
            let launches = self.launches.lock();
            let place = (address, row);
            let order = &self.order;
            let races = |present, past| order.races(&launches, present, past);
            look_closer(place, suspects, races, &launches, &mut self.found);
        }
        if !verdict.known {
            segment.note(row, horizon);
        }
    }
}

/// Looks for races of a row of a segment with old ones, thread by thread.
#[cold]
fn look_closer(
    (segment, row): (u64, &Row),
    suspects: impl Iterator<Item = (Event, u64)>,
    races: impl Fn(u16, Moment) -> Option<Cause>,
    launches: &Launches,
    found: &mut Vec<Conflict>,
) {
    let mut reported = 0;
    for (old, bytes) in suspects {
        let threads = { row.event }.threads();
        let pairs = lanes::pairs(old.threads(), threads, bytes & !reported);
        let mut racing = pairs.filter_map(|(past, present, byte)| {
            let moment = Moment {
                block: old.block(),
                thread: past,
                time: old.time(),
            };
            Some((past, present, byte, races(present, moment)?))
        });
        let Some((thread, present, byte, cause)) = racing.next() else {
            continue;
        };
        let Some((launch, block)) = launches.of(old.block()) else {
            continue;
        };
        reported |= bytes;
        found.push(Conflict {
            present,
            address: segment + u64::from(byte),
            site: old.site(),
            write: old.writes(),
            atomic: old.is_atomic(),
            cause: match old.is_exchange(&{ row.event }) {
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
