//! The state of one resident block: which threads can run, wait or have ended, and what they wait for.
//!
//! A block belongs to one CPU worker, so there are no locks and no atomics here. This module knows nothing of
//! fibers, so there is no unsafe code. Threads are identified by their linear index.

mod random_order;
mod warp_form;

pub use warp_form::split;

use fastrand::Rng;
use vgpu_abi::artifact::Manifest;

use crate::barrier::{Arrival, BARRIERS, Barrier, Expected, MAX_WARPS};
use crate::ring::Ring;
use crate::warp::{Lanes, MAX_LANES, MIN_LANES, Operand, Results, Warp, WarpOp, lanes};
use random_order::RandomOrder;

/// Most threads per block.
pub const MAX_THREADS: u32 = (MAX_WARPS * MIN_LANES) as u32;

/// Scheduling decisions after which the worker polls. It checks whether the launch was stopped. It also runs
/// yielding and unstarted threads, which threads that release each other for ever would starve.
const POLL_INTERVAL: u32 = 4096;

/// How warps work. A property of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpKind {
    /// Lanes per warp: 32 or 64.
    pub size: u32,
    /// Whether hardware lanes run in lockstep: a lane cannot continue without the others of its warp.
    pub lockstep: bool,
}

impl WarpKind {
    /// The warps of a compiled image. `None` if the virtual GPU does not support them.
    pub fn of(manifest: &Manifest) -> Option<WarpKind> {
        let (size, lockstep) = (manifest.warp_size, manifest.lockstep);
        matches!(size, 32 | 64).then_some(WarpKind { size, lockstep })
    }

    /// Warp and lane of a thread.
    #[inline(always)]
    fn place(self, thread: u16) -> (usize, usize) {
        let thread = usize::from(thread);
        (
            thread >> self.size.trailing_zeros(),
            thread & (self.size as usize - 1),
        )
    }

    /// Polls in a row after which converging lanes no longer wait for the others of their warp. The block has
    /// never run out of threads meanwhile. That is a million scheduling decisions, some 20 ms. With lockstep it
    /// is some 20 s.
    fn polls_before_release(self) -> u32 {
        if self.lockstep { 256_000 } else { 256 }
    }
}

/// What the worker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Resume a thread whose wait is over.
    Resume(u16),
    /// Start the next thread.
    Start,
    /// Only threads that yielded can run.
    Idle,
    /// Every thread has ended.
    Done,
    /// Poll, then call [`Block::rotate`].
    Poll,
}

/// How a block without ready threads continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// A thread can run again.
    Continue,
    /// Only threads that wait on memory can run, and their last run made no progress.
    Spinning,
    /// No thread can ever run again.
    Deadlock,
}

/// The outcome of a synchronising call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The thread continues with this result.
    Done(u64),
    /// The thread waits. Its result will be in [`Block::result`].
    Wait,
}

/// A synchronising call that breaks a rule. The text names the rule.
pub type Misuse = String;

/// One resident block.
pub struct Block {
    warp_kind: WarpKind,
    /// From this thread on, every thread has its own fiber. Before it, every warp has one.
    scalar_from: u32,
    threads: u32,
    live: u32,
    next_thread: u32,
    ready: Ring,
    yielded: Ring,
    decisions: u32,
    /// What decides instead of the queue's order.
    order: Option<RandomOrder>,
    idle_rounds: u32,
    polls: u32,
    warps: Vec<Warp>,
    barriers: [Barrier; BARRIERS],
    /// The barriers that a thread has arrived at, a bit each.
    open: u64,
    results: Vec<Results>,
    sites: Vec<u32>,
}

impl Block {
    /// A block without threads.
    pub fn new() -> Block {
        Block {
            warp_kind: WarpKind {
                size: 32,
                lockstep: false,
            },
            scalar_from: 0,
            threads: 0,
            live: 0,
            next_thread: 0,
            ready: Ring::new(),
            yielded: Ring::new(),
            decisions: 0,
            order: None,
            idle_rounds: 0,
            polls: 0,
            warps: (0..MAX_WARPS).map(|_| Warp::new()).collect(),
            barriers: std::array::from_fn(|_| Barrier::new()),
            open: 0,
            results: vec![[0; MAX_LANES]; MAX_WARPS],
            sites: vec![0; MAX_THREADS as usize],
        }
    }

    /// Resets to a block of `threads` threads, none of which has started. The first `warps` whole warps run in
    /// warp form. The first `ended` threads have ended already. With `random` numbers, they decide who runs.
    pub fn reset(
        &mut self,
        threads: u32,
        warp_kind: WarpKind,
        warps: u32,
        ended: u32,
        random: Option<Rng>,
    ) {
        assert!((1..=MAX_THREADS).contains(&threads));
        assert!(matches!(warp_kind.size, 32 | 64));
        self.warp_kind = warp_kind;
        self.scalar_from = warps * warp_kind.size;
        self.threads = threads;
        self.live = threads;
        self.next_thread = 0;
        self.ready.clear();
        self.yielded.clear();
        (self.decisions, self.idle_rounds, self.polls) = (0, 0, 0);
        for barrier in lanes(self.open) {
            self.barriers[barrier].reset();
        }
        self.open = 0;
        for warp in 0..self.warp_count() {
            let first = warp as u32 * warp_kind.size;
            let size = warp_kind.size;
            self.warps[warp].reset(size, (threads - first).min(size));
        }
        (0..ended).for_each(|thread| self.exit(thread as u16));
        self.next_thread = ended;
        let kinds = (self.scalar_from, warp_kind.size);
        self.order = random.map(|rng| RandomOrder::new(rng, kinds, ended, threads));
    }

    /// Lanes per warp.
    pub fn warp_size(&self) -> u32 {
        self.warp_kind.size
    }

    /// Threads of the block.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// Threads that have not ended.
    pub fn live(&self) -> u32 {
        self.live
    }

    /// The lanes that a thread's last operation of its warp named, and that had ended or never had a thread.
    pub fn absent(&self, thread: u16) -> Lanes {
        let (warp, lane) = self.warp_kind.place(thread);
        self.warps[warp].absent(lane)
    }

    /// Warps of the block.
    pub fn warps(&self) -> &[Warp] {
        &self.warps[..self.warp_count()]
    }

    /// The named barriers.
    pub fn barriers(&self) -> &[Barrier] {
        &self.barriers
    }

    /// The site where a thread waits at a barrier, or yields.
    pub fn site(&self, thread: u16) -> u32 {
        self.sites[usize::from(thread)]
    }

    /// The fibers that wait on memory or could run, by their (first) thread.
    pub fn yielding(&self) -> impl Iterator<Item = u16> {
        self.ready.iter().chain(self.yielded.iter())
    }

    /// The result of a thread's completed wait.
    pub fn result(&self, thread: u16) -> u64 {
        let (warp, lane) = self.warp_kind.place(thread);
        self.results[warp][lane]
    }

    /// What the worker does next. Released threads run before unstarted ones, so that a warp stays in the CPU's
    /// caches while it exchanges data. Unstarted threads run before threads that yielded.
    pub fn next(&mut self) -> Next {
        self.decisions += 1;
        if self.decisions >= POLL_INTERVAL {
            return Next::Poll;
        }
        if self.order.is_some() {
            return self.next_at_random();
        }
        match self.ready.pop() {
            Some(thread) => Next::Resume(thread),
            None if self.next_thread < self.threads => Next::Start,
            None if self.live == 0 => Next::Done,
            None => Next::Idle,
        }
    }

    /// Makes yielding threads ready, and says whether an unstarted one should start. Converging lanes that have
    /// waited very long for others continue without them, which may be what those others wait for.
    pub fn rotate(&mut self) -> bool {
        self.decisions = 0;
        self.polls += 1;
        if self.polls >= self.warp_kind.polls_before_release() {
            self.polls = 0;
            self.release_one_converging_warp();
        }
        self.ready.append(&mut self.yielded);
        self.next_thread < self.threads
    }

    /// The next thread to start. In warp form, the first thread of the next warp.
    pub fn start(&mut self) -> u16 {
        let chosen = self.order.as_mut().and_then(RandomOrder::start);
        let thread = chosen.map_or(self.next_thread, u32::from);
        self.next_thread += match self.in_warp_form(thread as u16) {
            true => self.warp_kind.size,
            false => 1,
        };
        self.idle_rounds = 0;
        thread as u16
    }

    /// All threads have started.
    pub fn start_all(&mut self) {
        self.next_thread = self.threads;
    }

    /// Whether a barrier's count stands for the whole block.
    pub fn is_whole(&self, count: u32) -> bool {
        self.expected(count) == Expected::Block
    }

    /// Whether all warps can go on, none of which has lost a lane: `running` ones, which have not begun to wait, and
    /// those in the queue, which then leave it. Not if the order is a random one.
    pub fn all_others_are_ready(&mut self, running: u32) -> bool {
        let warps = self.warp_count();
        let all = self.order.is_none()
            && self.live == self.threads
            && self.open == 0
            && self.ready.len() + running as usize == warps;
        if all {
            self.ready.clear();
        }
        all
    }

    /// Whether a fiber whose thread or warp has ended should continue with the next unstarted one. The next one
    /// must be of the same kind.
    pub fn start_another(&self, in_warp_form: bool) -> bool {
        self.order.is_none()
            && self.ready.is_empty()
            && self.next_thread < self.threads
            && self.in_warp_form(self.next_thread as u16) == in_warp_form
    }

    /// Called when [`Block::next`] is [`Next::Idle`]. Yielding threads run again. If they made no progress last
    /// time, converging lanes continue without them. Lanes in lockstep do so only if they have waited long enough
    /// (`lockstep_expired`): hardware lanes could not, and the lane they wait for may itself wait for another
    /// block.
    pub fn idle(&mut self, lockstep_expired: bool) -> Idle {
        let rounds = self.idle_rounds;
        self.idle_rounds = rounds.saturating_add(1);
        self.polls = 0;
        let alone = lockstep_expired || !self.warp_kind.lockstep;
        if rounds > 0 && alone && self.release_one_converging_warp() {
            return Idle::Continue;
        }
        if !self.yielded.is_empty() {
            self.ready.append(&mut self.yielded);
            return if rounds > 0 {
                Idle::Spinning
            } else {
                Idle::Continue
            };
        }
        if rounds > 0 {
            Idle::Deadlock
        } else {
            self.idle(lockstep_expired)
        }
    }

    /// `thread` lets the others run.
    pub fn yield_thread(&mut self, thread: u16, site: u32) {
        self.sites[usize::from(thread)] = site;
        self.yielded.push(thread);
    }

    /// `thread` ends.
    pub fn exit(&mut self, thread: u16) {
        let (warp, lane) = self.warp_kind.place(thread);
        self.live -= 1;
        self.idle_rounds = 0;
        self.warps[warp].exit(lane);
        for id in lanes(self.open) {
            self.barriers[id].exit(warp, 1 << lane);
            self.close_if_complete(id);
        }
        while let Some(lanes) = self.warps[warp].completed_by_exit(&mut self.results[warp]) {
            self.release(warp, lanes);
        }
        self.converge_if_nobody_runs(warp, None);
    }

    /// `thread` arrives at barrier `id`. A `count` of 0 means the whole block. [`crate::barrier::reduction`]
    /// decodes the result of a completed reduction.
    pub fn barrier(
        &mut self,
        thread: u16,
        site: u32,
        id: u32,
        count: u32,
        arrival: Arrival,
    ) -> Result<Outcome, Misuse> {
        let (warp, lane) = self.warp_kind.place(thread);
        self.arrive(thread, (warp, 1 << lane), site, (id, count), arrival)
    }

    /// `arriving` lanes of a warp arrive at barrier `id` on the fiber of `thread`. Inlined, because barriers
    /// dominate many kernels, and most of this code disappears for the one kind of arrival that a caller has.
    #[inline(always)]
    fn arrive(
        &mut self,
        thread: u16,
        (warp, arriving): (usize, Lanes),
        site: u32,
        (id, count): (u32, u32),
        arrival: Arrival,
    ) -> Result<Outcome, Misuse> {
        let expected = self.expected(count);
        let warp_size = self.warp_size();
        let Some(barrier) = self.barriers.get_mut(id as usize) else {
            return Err(no_barrier(id));
        };
        match barrier.expected() {
            None => {
                barrier.open(expected, self.threads - self.live, warp_size);
                self.open |= 1 << id;
            }
            Some(open) if open == expected => {}
            Some(open) => return Err(mismatch(id, expected, open)),
        }
        barrier.arrive(thread, (warp, arriving), self.warps[warp].exited, arrival);
        if barrier.complete(self.threads) {
            let predicates = barrier.predicates().unwrap_or(0);
            if self.order.is_some() && arrival != Arrival::Arrive {
                self.close(id as usize, None);
                return Ok(Outcome::Wait);
            }
            self.close(id as usize, Some(thread));
            return Ok(Outcome::Done(predicates));
        }
        if arrival == Arrival::Arrive {
            return Ok(Outcome::Done(0));
        }
        self.sites[usize::from(thread)] = site;
        self.warps[warp].runnable &= !arriving;
        self.converge_if_nobody_runs(warp, None);
        Ok(Outcome::Wait)
    }

    /// `thread` arrives at a warp operation.
    pub fn warp_op(
        &mut self,
        thread: u16,
        site: u32,
        op: WarpOp,
        mask: Lanes,
        operand: Operand,
    ) -> Result<Outcome, Misuse> {
        let (warp, lane) = self.warp_kind.place(thread);
        if mask >> lane & 1 == 0 {
            return Err(format!(
                "lane {lane} executes {} with mask {mask:#010x}, which does not include it",
                op.mnemonic()
            ));
        }
        let results = &mut self.results[warp];
        if let Some(arrived) = self.warps[warp].arrive(lane, site, op, mask, operand, results) {
            self.release(warp, arrived & !(1 << lane));
            return Ok(Outcome::Done(self.results[warp][lane]));
        }
        self.converge_if_nobody_runs(warp, None);
        Ok(Outcome::Wait)
    }

    /// `thread` arrives at an operation of the lanes that converge there. `fallback` is its result if the
    /// operation gives it none.
    pub fn converge(
        &mut self,
        thread: u16,
        site: u32,
        op: WarpOp,
        operand: Operand,
        fallback: u64,
    ) -> Outcome {
        let (warp, lane) = self.warp_kind.place(thread);
        self.results[warp][lane] = fallback;
        self.warps[warp].converge(lane, site, op, operand);
        match self.converge_if_nobody_runs(warp, Some(lane)) {
            true => Outcome::Done(self.results[warp][lane]),
            false => Outcome::Wait,
        }
    }

    fn warp_count(&self) -> usize {
        self.threads.div_ceil(self.warp_size()) as usize
    }

    /// Programs write "the whole block" as no count, as the number of threads, or as that number rounded up to
    /// warps.
    #[inline(always)]
    fn expected(&self, count: u32) -> Expected {
        if count == 0
            || count == self.threads
            || count == self.threads.next_multiple_of(self.warp_size())
        {
            Expected::Block
        } else {
            Expected::Threads(count)
        }
    }

    fn close_if_complete(&mut self, id: usize) {
        if self.barriers[id].complete(self.threads) {
            self.close(id, None);
        }
    }

    /// Releases a barrier's waiters, except `running`, which has not begun to wait.
    fn close(&mut self, id: usize, running: Option<u16>) {
        let warp_kind = self.warp_kind;
        let barrier = &mut self.barriers[id];
        let predicates = barrier.predicates();
        for &thread in barrier.waiters() {
            if Some(thread) == running {
                continue;
            }
            let (warp, lane) = warp_kind.place(thread);
            self.warps[warp].runnable |= 1 << lane;
            if let Some(predicates) = predicates {
                self.results[warp][lane] = predicates;
            }
            self.ready.push(thread);
        }
        barrier.reset();
        self.open &= !(1 << id);
        self.idle_rounds = 0;
    }

    /// Ends the waits of lanes whose results are ready.
    fn release(&mut self, warp: usize, waiting: Lanes) {
        for lane in lanes(waiting) {
            self.ready
                .push((warp * self.warp_size() as usize + lane) as u16);
        }
        self.idle_rounds = 0;
    }

    /// Lets converging lanes continue if no other lane of the warp could join them. Gives whether lane `running`,
    /// which has not begun to wait, is one of them.
    #[inline(always)]
    fn converge_if_nobody_runs(&mut self, warp: usize, running: Option<usize>) -> bool {
        let state = &self.warps[warp];
        if state.runnable != 0 || state.converging == 0 {
            return false;
        }
        self.release_converged(warp, running)
    }

    fn release_one_converging_warp(&mut self) -> bool {
        let waiting = (0..self.warp_count()).find(|&warp| self.warps[warp].converging != 0);
        if let Some(warp) = waiting {
            self.release_converged(warp, None);
        }
        waiting.is_some()
    }

    fn release_converged(&mut self, warp: usize, running: Option<usize>) -> bool {
        let released = self.warps[warp].release_converged(&mut self.results[warp]);
        let own = running.map_or(0, |lane| 1 << lane);
        self.release(warp, released & !own);
        released & own != 0
    }
}

#[cold]
fn no_barrier(id: u32) -> Misuse {
    format!("barrier {id} does not exist (a block has {BARRIERS})")
}

#[cold]
fn mismatch(id: u32, wanted: Expected, open: Expected) -> Misuse {
    let text = |expected| match expected {
        Expected::Block => "the whole block".to_owned(),
        Expected::Threads(count) => format!("{count} threads"),
    };
    format!(
        "barrier {id} is used for {} while threads wait at it for {}",
        text(wanted),
        text(open)
    )
}
