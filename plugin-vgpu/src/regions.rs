//! Runs blocks of kernels whose warp form runs by regions (`vgpu_abi::RegionCall`): all warps of a block, and all
//! blocks of a range, on one stack.
//!
//! Nearly always all warps of a block come to the same barrier. Then the code goes on with the next region for all
//! of them, and the block's state ([`crate::block`]) is not even looked at. Where warps are at different barriers,
//! or some of their lanes have ended, that state decides who goes on, as it does for fibers, and regions run for
//! one warp at a time.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::Ordering;

use fastrand::Rng;
use vgpu_abi::{ENDED, RegionCall, ThreadContext, WarpEntryFn, WarpFrame};

use crate::barrier::{Arrival, BARRIERS};
use crate::block::{Block, Next, Outcome};
use crate::block_ranges::BlockRange;
use crate::checker::Actor;
use crate::engine::Form;
use crate::fault::{Cause, Raised};
use crate::fiber::warp_fiber;
use crate::scheduler::{self, Ending, Waiting, context, no_stack};
use crate::signals;
use crate::sm::{BlockRun, Sm};
use crate::switch::switch;
use crate::warp;

/// The work of the fiber.
struct Regions<'a> {
    sm: &'a Sm,
    /// Its block index is not used.
    run: &'a BlockRun<'a>,
    blocks: BlockRange,
    frames: *mut WarpFrame,
    /// Whether the fiber has ended.
    done: Cell<bool>,
}

/// Runs blocks to their ends, or abandons them when the launch has failed elsewhere. The error is a fault and its
/// block.
///
/// # Safety
/// As for [`scheduler::run_block`]. The form of `run` is [`Form::Regions`].
pub unsafe fn run(
    sm: &Sm,
    run: &BlockRun<'_>,
    blocks: BlockRange,
) -> Result<(), ([u32; 3], Box<Raised>)> {
    // SAFETY: the caller's contract.
    let ended = unsafe { run_on_fiber(sm, run, blocks) };
    sm.block_of_regions.set(None);
    ended
}

/// # Safety
/// As for [`run`].
unsafe fn run_on_fiber(
    sm: &Sm,
    run: &BlockRun<'_>,
    blocks: BlockRange,
) -> Result<(), ([u32; 3], Box<Raised>)> {
    sm.run.set(ptr::from_ref(run).cast());
    // SAFETY: no fiber runs.
    let stacks = unsafe { sm.stacks() };
    let first = blocks.first();
    let block = || sm.block_of_regions.get().unwrap_or(first);
    let (fiber, frames) = match stacks.for_regions() {
        Ok(found) => found,
        Err(error) => return Err((first, no_stack(0, &error))),
    };
    let work = Regions {
        sm,
        run,
        blocks,
        frames,
        done: Cell::new(false),
    };
    // SAFETY: nobody uses the stack. `work` and the `Sm` outlive the fiber, which nobody resumes after this function.
    let begin =
        unsafe { stacks.prepare(fiber, run_blocks, ptr::from_ref(&work).cast(), fiber.into()) };
    sm.suspended[0].set(begin);
    let mut waiting = Waiting::new();
    let mut thread = 0;
    loop {
        // SAFETY: this is the worker.
        unsafe { sm.resume_at(thread, 0) };
        if let Some(raised) = signals::pending(sm) {
            return Err((block(), raised));
        }
        if work.done.get() {
            return Ok(());
        }
        thread = match scheduler::next_thread(sm, run, block(), &mut waiting) {
            Ok(Next::Resume(thread)) => thread,
            // SAFETY: no fiber runs.
            Ok(_) => unsafe { sm.block() }.start(),
            Err(Ending::Faulted(raised)) => return Err((block(), raised)),
            Err(Ending::Finished | Ending::Stopped) => return Ok(()),
        };
    }
}

/// The main function of the fiber.
///
/// # Safety
/// `work` points at a [`Regions`]. The function is called on fiber `number` of its `Sm`.
unsafe extern "C" fn run_blocks(work: *const (), number: u64) -> ! {
    // SAFETY: the caller's contract.
    let work = unsafe { &*work.cast::<Regions<'_>>() };
    let warps = Warps::new(work, number as u16);
    warps.prepare();
    for ctaid in work.blocks.clone() {
        if work.run.stop.load(Ordering::Relaxed) {
            break;
        }
        warps.begin(ctaid);
        let ended = match work.run.order.of_block(ctaid) {
            None => warps.run_together(),
            Some(random) => {
                warps.reset(Some(random));
                !warps.run_apart(0)
            }
        };
        if !ended {
            break;
        }
    }
    work.done.set(true);
    // SAFETY: this fiber keeps nothing that must be dropped.
    unsafe { work.sm.return_to_worker() }
}

/// The warps of a block.
struct Warps<'a> {
    sm: &'a Sm,
    run: &'a BlockRun<'a>,
    entry: WarpEntryFn,
    /// The context of the first warp. It is not read.
    context: *mut ThreadContext,
    frames: *mut WarpFrame,
    /// Bytes of a frame.
    frame: u32,
    count: u32,
}

impl<'a> Warps<'a> {
    fn new(work: &Regions<'a>, fiber: u16) -> Warps<'a> {
        let Form::Regions { entry, frame } = work.run.form else {
            unreachable!("the form is `Form::Regions`");
        };
        Warps {
            sm: work.sm,
            run: work.run,
            entry,
            // SAFETY: short use between switches.
            context: unsafe { work.sm.stacks() }.context(fiber),
            frames: work.frames,
            frame,
            count: work.run.threads().div_ceil(work.run.warp_kind.size),
        }
    }

    fn frame(&self, warp: u32) -> *mut WarpFrame {
        // SAFETY: the frames of `count` warps, at most `MAX_FRAME` bytes each, fit where `Stacks::for_regions` has
        // placed them.
        unsafe { self.frames.byte_add((warp * self.frame) as usize) }
    }

    /// The frame of a warp, which is not running.
    fn at(&self, warp: u32) -> &WarpFrame {
        // SAFETY: `prepare` has written it, and the reference is not kept across a call of the kernel.
        unsafe { &*self.frame(warp) }
    }

    fn first_thread(&self, warp: u32) -> u16 {
        (warp * self.run.warp_kind.size) as u16
    }

    #[expect(clippy::mut_from_ref, reason = "as for `Sm::block`")]
    fn block(&self) -> &mut Block {
        // SAFETY: the reference is used at once, between switches.
        unsafe { self.sm.block() }
    }

    /// Writes what is the same for all blocks.
    fn prepare(&self) {
        self.reset(None);
        for warp in 0..self.count {
            let first = self.first_thread(warp);
            let existing = self.block().live_lanes(first);
            let frame = WarpFrame {
                context: context(self.run, first),
                existing,
                lanes: 0,
                elsewhere: 0,
                site: 0,
                id: 0,
                count: 0,
                region: 0,
            };
            // SAFETY: see `frame`.
            unsafe { self.frame(warp).write(frame) };
            let fiber = warp_fiber(warp as u16);
            self.sm.fiber_states[usize::from(fiber)].thread.set(first);
        }
    }

    /// Prepares for a block.
    fn begin(&self, ctaid: [u32; 3]) {
        self.sm.block_of_regions.set(Some(ctaid));
        self.run.begin_checks(self.sm, ctaid);
        for warp in 0..self.count {
            let frame = self.frame(warp);
            // SAFETY: see `frame`; no reference to it is in use.
            unsafe {
                (*frame).context.ctaid = ctaid;
                (*frame).region = 0;
            }
        }
    }

    /// Makes the block's state that of a block whose warps have not started.
    fn reset(&self, random: Option<Rng>) {
        let (threads, kind) = (self.run.threads(), self.run.warp_kind);
        self.block().reset(threads, kind, self.count, 0, random);
    }

    /// Runs a region for some warps. `on`: and the next ones, as long as all warps are together.
    fn call(&self, region: u32, from: u32, to: u32, on: bool) {
        let mut call = RegionCall {
            frames: self.frames,
            current: self.sm.current.as_ptr(),
            region,
            from,
            to,
            whole: if on { self.run.threads() } else { 0 },
            further: 0,
            stop: self.run.stop.as_ptr().cast(),
        };
        (from..to).for_each(|warp| self.announce_leaving(warp));
        // SAFETY: the form's contract: the warps are where the region begins. `run` describes the kernel.
        unsafe { (self.entry)(self.context, self.run.args, ptr::from_mut(&mut call) as u64) };
        let regions = 1 + u64::from(call.further);
        self.sm
            .counters
            .switched_times(regions * u64::from(to - from));
        (from..to).for_each(|warp| self.announce_arrival(warp));
    }

    /// Tells the checker that a warp has come to a barrier.
    fn announce_arrival(&self, warp: u32) {
        let Some(checks) = self.run.checks else {
            return;
        };
        let frame = self.at(warp);
        if frame.region != ENDED {
            let barrier = (frame.site, frame.id);
            checks.come_to_barrier(self.sm.index, self.actor(warp), barrier, frame.lanes, true);
        }
    }

    /// Tells the checker that a warp goes on after a barrier.
    fn announce_leaving(&self, warp: u32) {
        let Some(checks) = self.run.checks else {
            return;
        };
        let frame = self.at(warp);
        if frame.region != 0 {
            let lane = warp::lanes(frame.lanes).next().unwrap_or(0);
            let (actor, live) = (self.actor(warp).lane(lane), self.block().live());
            checks.leave_barrier(self.sm.index, actor, (frame.id, frame.count), live);
        }
    }

    /// A warp's first thread, for the checker.
    fn actor(&self, warp: u32) -> Actor {
        Actor {
            block: self.at(warp).context.ctaid,
            thread: self.first_thread(warp),
        }
    }

    /// Runs the block while its warps are together, and apart where they are not. Gives whether it has ended; else the
    /// launch has.
    fn run_together(&self) -> bool {
        while !self.run.stop.load(Ordering::Relaxed) {
            self.call_all();
            if self.have_ended() {
                return true;
            }
            if !self.are_together() {
                self.reset(None);
                self.block().start_all();
                let ready = (0..self.count).fold(0, |ready, warp| ready | self.arrive(warp));
                if !self.run_apart(ready) {
                    return true;
                }
            }
        }
        false
    }

    /// Runs the next region of all warps. It may not be the same: the last warp may lack threads, and be a version of
    /// the code for that.
    fn call_all(&self) {
        let mut from = 0;
        while from < self.count {
            let region = self.at(from).region;
            let same = |&warp: &u32| self.at(warp).region == region;
            let to = from + (from..self.count).take_while(same).count() as u32;
            // The checker hears of every barrier.
            let on = to - from == self.count && self.run.checks.is_none();
            self.call(region, from, to, on);
            from = to;
        }
    }

    fn have_ended(&self) -> bool {
        (0..self.count).all(|warp| self.at(warp).region == ENDED)
    }

    /// Whether all lanes of all warps have come to one barrier of the whole block.
    fn are_together(&self) -> bool {
        let first = self.at(0);
        let barrier = (first.id, first.count);
        let known = first.id < BARRIERS as u32 && self.block().is_whole(first.count);
        known
            && (0..self.count).all(|warp| {
                let frame = self.at(warp);
                let complete = frame.lanes == frame.existing && frame.elsewhere == 0;
                frame.region != ENDED && complete && barrier == (frame.id, frame.count)
            })
    }

    /// A warp has run: it has come to a barrier, or has ended. Gives its bit if it goes on without waiting.
    fn arrive(&self, warp: u32) -> u64 {
        let (first, frame) = (self.first_thread(warp), self.at(warp));
        let block = self.block();
        if frame.region == ENDED {
            block.end_lanes(first, block.live_lanes(first));
            return 0;
        }
        let (barrier, lanes) = ((frame.id, frame.count), (frame.lanes, frame.elsewhere));
        match block.warp_barrier(first, frame.site, barrier, lanes, Arrival::Sync) {
            Ok(Outcome::Done(_)) => 1 << warp,
            Ok(Outcome::Wait) => 0,
            // SAFETY: this is the fiber that the worker resumed.
            Err(misuse) => unsafe { self.sm.raise(first, frame.site, Cause::Misuse(misuse)) },
        }
    }

    /// Runs warps one by one, those of the mask `ready` first. Gives whether all of them can go on together again; else
    /// the block has ended.
    fn run_apart(&self, mut ready: u64) -> bool {
        while !self.block().all_others_are_ready(ready.count_ones()) {
            let warp = match ready {
                0 => match self.next() {
                    Some(thread) => u32::from(thread) / self.run.warp_kind.size,
                    None => return false,
                },
                _ => ready.trailing_zeros(),
            };
            ready &= !(1 << warp);
            self.call(self.at(warp).region, warp, warp + 1, false);
            ready |= self.arrive(warp);
        }
        true
    }

    /// The next thread that can run, the first of a warp; `None` if all have ended.
    fn next(&self) -> Option<u16> {
        match self.block().next() {
            Next::Resume(thread) => Some(thread),
            Next::Start => Some(self.block().start()),
            Next::Done => None,
            Next::Idle | Next::Poll => {
                let own = self.sm.suspended[0].as_ptr();
                // SAFETY: the worker was suspended when it resumed this fiber. No reference is in use.
                unsafe { switch(own, self.sm.worker.get()) };
                Some(self.sm.current.get())
            }
        }
    }
}
