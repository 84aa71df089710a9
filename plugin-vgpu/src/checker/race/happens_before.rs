//! What orders accesses: barriers, what is released and acquired through memory, and the ends of kernels.

use std::collections::HashMap;

use vgpu_abi::AccessKind;

use super::Conflict;
use super::block_clock::{BlockClock, MAX_TIME};
use super::cells::{Cell, Past};
use super::releases::{Acquired, Moment, Releases};
use super::thread_set::ThreadSet;
use crate::block::MAX_THREADS;

/// Most blocks that have numbers of their own.
const MAX_BLOCKS: u64 = u32::MAX as u64;

/// A place where threads wait for each other: a named barrier, or a `syncwarp` of some lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meeting {
    /// A named barrier.
    Barrier(u32),
    /// Lanes of the warp that begins with this thread.
    Lanes(u16, u64),
}

/// Those who have come to a meeting.
#[derive(Default)]
struct Arrived {
    generation: u32,
    /// All of them.
    subjects: ThreadSet,
    /// Those who wait.
    knowers: ThreadSet,
}

/// What a thread knows through memory.
#[derive(Default)]
struct ThreadState {
    acquired: Acquired,
    /// What it has read from locations where something was released, which the next fence acquires.
    pending: Acquired,
    /// The block's time at its last releasing fence.
    fence: Option<u32>,
    /// The generation of the meeting that it has come to.
    generation: u32,
}

/// A launch.
struct LaunchSpan {
    /// The number of its first block.
    first: u32,
    blocks: u64,
    began: u64,
    ended: Option<u64>,
}

/// What orders the accesses of a device's kernels.
pub struct Order {
    releases: Releases,
    clock: BlockClock,
    threads: Vec<ThreadState>,
    /// Threads that have acquired something.
    holders: Vec<u16>,
    /// What all threads of the block have acquired.
    acquired: Acquired,
    meetings: HashMap<Meeting, Arrived>,
    launches: Vec<LaunchSpan>,
    /// How many of them have not ended.
    running: u32,
    /// The launch of the present block, and its number.
    launch: u32,
    block: u32,
    /// Lanes of a warp that are ordered without a barrier; 1 if none are.
    lockstep: u16,
    next_block: u64,
    events: u64,
}

impl Order {
    /// Nothing has happened yet.
    pub fn new() -> Order {
        Order {
            releases: Releases::default(),
            clock: BlockClock::default(),
            threads: (0..MAX_THREADS).map(|_| ThreadState::default()).collect(),
            holders: Vec::new(),
            acquired: Acquired::default(),
            meetings: HashMap::new(),
            launches: Vec::new(),
            running: 0,
            launch: 0,
            block: 0,
            lockstep: 1,
            next_block: 1,
            events: 0,
        }
    }

    /// A launch of so many blocks begins. Gives its number.
    pub fn launch(&mut self, blocks: u64) -> u32 {
        if self.running == 0 {
            // What ended kernels released orders nothing any more.
            self.releases.clear();
        }
        self.running += 1;
        self.events += 1;
        let first = self.next_block.min(MAX_BLOCKS) as u32;
        self.next_block += blocks;
        self.launches.push(LaunchSpan {
            first,
            blocks,
            began: self.events,
            ended: None,
        });
        self.launches.len() as u32 - 1
    }

    /// A launch has ended.
    pub fn end(&mut self, launch: u32) {
        self.running -= 1;
        self.events += 1;
        self.launches[launch as usize].ended = Some(self.events);
    }

    /// A block of a launch begins. In warps of `lockstep` lanes nothing needs a barrier.
    pub fn begin_block(&mut self, launch: u32, block: u64, lockstep: u16) {
        self.launch = launch;
        self.lockstep = lockstep;
        let number = u64::from(self.launches[launch as usize].first) + block;
        self.block = number.min(MAX_BLOCKS) as u32;
        self.clock.start();
        self.meetings.clear();
        self.acquired.clear();
        self.holders.clear();
        self.threads
            .iter_mut()
            .for_each(|thread| *thread = ThreadState::default());
    }

    /// Whether there are too many blocks, or a block's time is over: nothing is compared then.
    pub fn is_exhausted(&self) -> bool {
        self.clock.time() >= MAX_TIME || u64::from(self.block) >= MAX_BLOCKS
    }

    /// A fence of a thread.
    pub fn fence(&mut self, thread: u16, kind: AccessKind) {
        let state = &mut self.threads[usize::from(thread)];
        if kind.has(AccessKind::ACQUIRE) && !state.pending.is_empty() {
            if state.acquired.is_empty() {
                self.holders.push(thread);
            }
            let pending = std::mem::take(&mut state.pending);
            state.acquired.merge(&pending);
        }
        if kind.has(AccessKind::RELEASE) {
            state.fence = Some(self.clock.time());
            self.clock.tick();
        }
    }

    /// Threads come to a meeting; `wait`: they stay until the others have come.
    pub fn arrive(&mut self, meeting: Meeting, threads: &ThreadSet, first: u16, wait: bool) {
        let arrived = self.meetings.entry(meeting).or_default();
        arrived.subjects.add(threads);
        if wait {
            arrived.knowers.add(threads);
            for thread in (first..first + 64).filter(|&it| it < 1024 && threads.has(it)) {
                self.threads[usize::from(thread)].generation = arrived.generation;
            }
        }
    }

    /// `thread` goes on after a meeting. The first one to do so closes it. `live`: threads that have not ended.
    pub fn leave(&mut self, meeting: Meeting, thread: u16, live: u32) {
        let Some(arrived) = self.meetings.get_mut(&meeting) else {
            return;
        };
        if self.threads[usize::from(thread)].generation != arrived.generation {
            return;
        }
        arrived.generation += 1;
        let subjects = std::mem::take(&mut arrived.subjects);
        let knowers = std::mem::take(&mut arrived.knowers);
        self.meet(&knowers, &subjects, live);
    }

    /// `knowers` have waited for `subjects`.
    pub fn meet(&mut self, knowers: &ThreadSet, subjects: &ThreadSet, live: u32) {
        let everybody = knowers.count() >= live;
        self.clock.wait(knowers, subjects, everybody);
        if self.holders.is_empty() {
            return;
        }
        let mut together = Acquired::default();
        for &holder in self.holders.iter().filter(|&&it| subjects.has(it)) {
            together.merge(&self.threads[usize::from(holder)].acquired);
        }
        if everybody {
            self.acquired.merge(&together);
            for holder in self.holders.drain(..) {
                self.threads[usize::from(holder)].acquired.clear();
            }
        } else if !together.is_empty() {
            for thread in (0..MAX_THREADS as u16).filter(|&it| knowers.has(it)) {
                let state = &mut self.threads[usize::from(thread)];
                if state.acquired.is_empty() {
                    self.holders.push(thread);
                }
                state.acquired.merge(&together);
            }
        }
    }

    /// The moment of an access of a thread.
    pub fn now(&self, thread: u16) -> Moment {
        Moment {
            block: self.block,
            thread,
            time: self.clock.time(),
        }
    }

    /// A past access in a cell that races with the present one.
    #[inline]
    pub fn conflict(
        &self,
        now: Moment,
        present: Past,
        kind: AccessKind,
        cell: &Cell,
    ) -> Option<Conflict> {
        let both_atomic = |it: &Past| it.is_atomic() && present.is_atomic();
        let races = |it: &Past| {
            let moment = it.moment().filter(|_| !both_atomic(it))?;
            self.races(now, moment).then_some(moment)
        };
        let same = !kind.has(AccessKind::READ) && cell.write.writes_the_same(present);
        let write = Some(&cell.write).filter(|_| !same);
        let write = write
            .and_then(races)
            .map(|moment| (cell.write, moment, true));
        let found = write.or_else(|| {
            let mut reads = cell.reads.iter().filter(|_| kind.has(AccessKind::WRITE));
            reads.find_map(|read| Some((*read, races(read)?, false)))
        });
        let (past, moment, write) = found?;
        let (launch, block) = self.launch_of(moment.block)?;
        Some(Conflict {
            past,
            write,
            launch,
            block,
            thread: moment.thread,
        })
    }

    /// Whether nothing orders the present access and one at `moment`.
    #[inline]
    fn races(&self, now: Moment, moment: Moment) -> bool {
        let ordered = if moment.block == now.block {
            self.clock.knows(now.thread, moment.thread, moment.time)
                || now.thread / self.lockstep == moment.thread / self.lockstep && self.lockstep > 1
        } else {
            self.is_over(moment.block)
        };
        !ordered && !self.is_released(now.thread, moment)
    }

    /// Whether the launch of another block had ended when the present one began.
    fn is_over(&self, block: u32) -> bool {
        let present = &self.launches[self.launch as usize];
        if present.holds(block) {
            return false;
        }
        let other = self.launch_of(block);
        other.is_none_or(|(launch, _)| {
            let ended = self.launches[launch as usize].ended;
            ended.is_some_and(|ended| ended < present.began)
        })
    }

    /// Whether `thread` has acquired what comes after `moment`.
    fn is_released(&self, thread: u16, moment: Moment) -> bool {
        let own = &self.threads[usize::from(thread)].acquired;
        [own, &self.acquired]
            .into_iter()
            .any(|acquired| !acquired.is_empty() && self.releases.order(acquired, moment))
    }

    /// The launch of a block, and the block's index in it.
    fn launch_of(&self, block: u32) -> Option<(u32, u64)> {
        let behind = self.launches.partition_point(|it| it.first <= block);
        let launch = behind.checked_sub(1)?;
        let index = u64::from(block - self.launches[launch].first);
        Some((launch as u32, index))
    }

    /// An atomic read: what was released at the location is known from now on, or from the next fence on.
    pub fn acquire_at(&mut self, thread: u16, kind: AccessKind, address: u64) {
        let Some(prefix) = self
            .releases
            .so_far(address)
            .filter(|_| kind.has(AccessKind::READ))
        else {
            return;
        };
        let state = &mut self.threads[usize::from(thread)];
        if !kind.has(AccessKind::ACQUIRE) {
            return state.pending.add(prefix);
        }
        if state.acquired.is_empty() {
            self.holders.push(thread);
        }
        state.acquired.add(prefix);
    }

    /// An atomic write: it tells what its thread did before it, or before its last fence.
    pub fn release_at(&mut self, thread: u16, kind: AccessKind, address: u64) {
        let state = &self.threads[usize::from(thread)];
        let time = match kind.has(AccessKind::RELEASE) {
            true => Some(self.clock.time()),
            false => state.fence,
        };
        let Some(time) = time else {
            return;
        };
        let by = Moment {
            time,
            ..self.now(thread)
        };
        let everybody = (ThreadSet::all(), self.clock.all());
        let groups = self.clock.facts_of(thread);
        let groups = groups.map(|fact| (fact.subjects, fact.time));
        let groups = groups.chain(std::iter::once(everybody).filter(|(_, time)| *time > 0));
        let mut acquired = state.acquired.clone();
        acquired.merge(&self.acquired);
        self.releases.release(address, by, groups, &acquired);
        self.clock.tick();
    }
}

impl LaunchSpan {
    fn holds(&self, block: u32) -> bool {
        block
            .checked_sub(self.first)
            .is_some_and(|index| u64::from(index) < self.blocks)
    }
}
