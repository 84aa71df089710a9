//! What orders the accesses of a block with others: barriers, what is released and acquired through memory, and the
//! ends of kernels.

use vgpu_abi::{AccessKind, TaskEvent};

use super::block_clock::{BlockClock, MAX_TIME};
use super::horizon::Horizon;
use super::launches::Launches;
use super::releases::{Acquired, Moment, Releases};
use super::tasks::{Announced, Tasks, Wait};
use super::thread_set::ThreadSet;
use crate::block::MAX_THREADS;

/// A place where threads wait for each other: a named barrier, or a `syncwarp` of some lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// A named barrier.
    Barrier(u32),
    /// Lanes of the warp that begins with this thread.
    Lanes(u16, u64),
}

/// Why two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing orders them.
    Nothing,
    /// Volatile accesses of a warp, which order nothing between its lanes.
    Exchange,
    /// Critical regions or locks of two teams: they exclude the threads of one contention group, so of one team
    /// (OpenMP 5.2, §15.2 and §18.9).
    Exclusion,
}

/// Those who have come to a meeting since it was closed last.
struct Arrived {
    meeting: Meeting,
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
}

/// What orders the accesses of a device's kernels.
pub struct Order {
    releases: Releases,
    clock: BlockClock,
    /// The present block's explicit tasks.
    pub tasks: Tasks,
    threads: Vec<ThreadState>,
    /// Whether any of them has changed in the present block.
    used: bool,
    /// Threads that have acquired something.
    holders: Vec<u16>,
    /// What all threads of the block have acquired.
    acquired: Acquired,
    /// Few: a block has some barriers, and a warp some masks.
    meetings: Vec<Arrived>,
    /// What the present block comes after.
    horizon: Horizon,
    /// Whether a thread of the block has made a fence.
    fenced: bool,
    /// Lanes of a warp that are ordered without a barrier; 1 if none are.
    lockstep: u16,
    /// The newest launch of which a block has begun.
    newest: Option<u32>,
}

impl Default for Order {
    fn default() -> Order {
        Order {
            releases: Releases::default(),
            clock: BlockClock::default(),
            tasks: Tasks::default(),
            threads: (0..MAX_THREADS).map(|_| ThreadState::default()).collect(),
            used: false,
            holders: Vec::new(),
            acquired: Acquired::default(),
            meetings: Vec::new(),
            horizon: Horizon::default(),
            fenced: false,
            lockstep: 1,
            newest: None,
        }
    }
}

impl Order {
    /// A block of so many threads begins. In warps of `lockstep` lanes nothing needs a barrier.
    pub fn begin_block(
        &mut self,
        launches: &Launches,
        (launch, block): (u32, u64),
        threads: u16,
        lockstep: u16,
    ) {
        if self.newest.is_none_or(|newest| launch > newest) {
            self.newest = Some(launch);
            if launches.is_alone(launch) {
                // What ended kernels released orders nothing any more.
                self.releases.clear();
            }
        }
        self.horizon = launches.horizon(launch, block);
        self.lockstep = lockstep;
        self.tasks.begin_block(threads);
        self.fenced = false;
        self.clock.start();
        self.meetings.clear();
        self.acquired.clear();
        self.holders.clear();
        if std::mem::take(&mut self.used) {
            self.threads
                .iter_mut()
                .for_each(|thread| *thread = ThreadState::default());
        }
    }

    /// Whether there are too many blocks, or a block's time is over: nothing is compared then.
    pub fn is_exhausted(&self) -> bool {
        self.clock.time() >= MAX_TIME || Launches::is_exhausted(self.horizon.block)
    }

    /// What all accesses of the present block come after.
    pub fn horizon(&self) -> Horizon {
        let apart = match self.releases.is_empty() {
            true => self.horizon.apart,
            false => (0, 0),
        };
        Horizon {
            all: self.clock.all(),
            apart,
            ..self.horizon
        }
    }

    /// The present block and its time.
    pub fn now(&self) -> (u32, u32) {
        (self.horizon.block, self.clock.time())
    }

    /// Whether atomic accesses of a kind may order something.
    pub fn concerns(&self, kind: AccessKind) -> bool {
        let orders = kind.has(AccessKind::ACQUIRE) || kind.has(AccessKind::RELEASE);
        kind.has(AccessKind::ATOMIC) && (orders || self.fenced || !self.releases.is_empty())
    }

    /// What a thread does with explicit tasks.
    pub fn task(&mut self, thread: u16, event: TaskEvent, of: &Announced) {
        if let Some(Wait { knowers, subjects }) = self.tasks.announce(thread, event, of) {
            self.wait(&knowers, &subjects, false);
        }
    }

    /// A fence of a thread.
    pub fn fence(&mut self, thread: u16, kind: AccessKind) {
        let thread = self.tasks.who(thread);
        self.used = true;
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
            self.fenced = true;
            self.clock.tick();
        }
    }

    /// Threads come to a meeting; `wait`: they stay until the others have come.
    pub fn arrive(&mut self, meeting: Meeting, threads: &ThreadSet, wait: bool) {
        let known = self.meetings.iter().position(|it| it.meeting == meeting);
        let index = known.unwrap_or_else(|| {
            self.meetings.push(Arrived {
                meeting,
                subjects: ThreadSet::default(),
                knowers: ThreadSet::default(),
            });
            self.meetings.len() - 1
        });
        let ended = self.tasks.end_before_barrier(threads);
        let arrived = &mut self.meetings[index];
        arrived.subjects.add(&ended);
        arrived.subjects.add(threads);
        if wait {
            arrived.knowers.add(threads);
        }
    }

    /// `thread` goes on after a meeting. The first one to do so closes it, so that the others have come to none.
    /// `live`: threads that have not ended.
    pub fn leave(&mut self, meeting: Meeting, thread: u16, live: u32) {
        let mut meetings = self.meetings.iter();
        let open = meetings.position(|it| it.meeting == meeting && it.knowers.has(thread));
        if let Some(open) = open {
            let Arrived {
                subjects, knowers, ..
            } = self.meetings.swap_remove(open);
            self.wait(&knowers, &subjects, knowers.count() >= live);
        }
    }

    /// Threads have waited for each other; `live` threads of the block have not ended.
    pub fn meet(&mut self, threads: &ThreadSet, live: u32) {
        let mut subjects = self.tasks.end_before_barrier(threads);
        subjects.add(threads);
        self.wait(threads, &subjects, threads.count() >= live);
    }

    /// `knowers` have waited for `subjects`. `everybody`: these are all that have not ended.
    fn wait(&mut self, knowers: &ThreadSet, subjects: &ThreadSet, everybody: bool) {
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
            self.used = true;
            for thread in (0..MAX_THREADS as u16).filter(|&it| knowers.has(it)) {
                let state = &mut self.threads[usize::from(thread)];
                if state.acquired.is_empty() {
                    self.holders.push(thread);
                }
                state.acquired.merge(&together);
            }
        }
    }

    /// The memory at an address is a lock.
    pub fn is_lock(&mut self, address: u64) {
        self.releases.is_lock(address);
    }

    /// Why nothing orders an access of a thread now and one at `moment`; `None` if something does.
    pub fn races(&self, launches: &Launches, thread: u16, moment: Moment) -> Option<Cause> {
        let is_own = moment.block == self.horizon.block;
        let ordered = if is_own {
            self.clock.knows(thread, moment.thread, moment.time)
                || self.is_lockstep(thread, moment.thread)
        } else {
            launches.orders(moment.block, self.horizon.block)
        };
        if ordered || self.is_released(thread, moment, is_own) {
            return None;
        }
        let excluded = !is_own && self.is_released(thread, moment, true);
        Some(match excluded {
            true => Cause::Exclusion,
            false => Cause::Nothing,
        })
    }

    /// Whether two threads are lanes of a warp whose lanes need no barrier. Tasks are no lanes.
    fn is_lockstep(&self, one: u16, other: u16) -> bool {
        self.lockstep > 1
            && one / self.lockstep == other / self.lockstep
            && !self.tasks.is_task(one.max(other))
    }

    /// Whether `thread` has acquired what comes after `moment`. `locks`: whether locks order it.
    fn is_released(&self, thread: u16, moment: Moment, locks: bool) -> bool {
        let own = &self.threads[usize::from(thread)].acquired;
        [own, &self.acquired]
            .into_iter()
            .any(|acquired| !acquired.is_empty() && self.releases.order(acquired, moment, locks))
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
        self.used = true;
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
        let state = &mut self.threads[usize::from(thread)];
        let time = match kind.has(AccessKind::RELEASE) {
            true => Some(self.clock.time()),
            false => state.fence,
        };
        let Some(time) = time else {
            return;
        };
        let by = Moment {
            block: self.horizon.block,
            thread,
            time,
        };
        let everybody = (ThreadSet::all(), self.clock.all());
        let groups = self.clock.facts_of(thread);
        let groups = groups.map(|fact| (fact.subjects, fact.time));
        let groups = groups.chain(std::iter::once(everybody).filter(|(_, time)| *time > 0));
        self.releases.reduce(&mut state.acquired);
        self.releases.reduce(&mut self.acquired);
        let mut acquired = state.acquired.clone();
        acquired.merge(&self.acquired);
        self.releases.release(address, by, groups, &acquired);
        self.clock.tick();
    }
}
