//! Runs one block on one multiprocessor: starts its threads, switches between those that wait.

use std::sync::atomic::Ordering;
use std::time::Instant;

use codegen::vgpu_abi::ThreadContext;

use crate::block::{Idle, MAX_THREADS, Next};
use crate::deadlock;
use crate::fault::{self, Cause, Place, Raised};
use crate::fiber::{self, FiberYielder};
use crate::sm::{BlockRun, Sm};
use crate::warp::WARP_SIZE;

/// Switches after which the block looks whether its launch has failed elsewhere.
const STOP_INTERVAL: u64 = 4096;

/// Rounds of fruitless waiting on memory after which the worker offers its CPU to others, which may
/// be what the block waits for.
const SPINS_PER_YIELD: u32 = 64;

/// How a block ended.
pub enum Ending {
    /// Every thread ended.
    Finished,
    /// The launch failed elsewhere, so the block was given up.
    Stopped,
    /// A thread of it faulted.
    Faulted(Box<Raised>),
}

/// Runs a block to its end.
///
/// # Safety
/// `run` describes a loaded kernel and parameters it accepts; the calling thread was prepared by
/// [`fault::enter`] with this `sm`.
pub unsafe fn run_block(sm: &Sm, run: &BlockRun<'_>) -> Ending {
    let [x, y, z] = run.context.ntid;
    // SAFETY: no fiber runs.
    unsafe { sm.block() }.reset(x * y * z);
    let mut fiber_of = [0; MAX_THREADS as usize];
    let mut waiting = Waiting { since: None, rounds: 0 };
    let ending = loop {
        // SAFETY: no fiber runs.
        let fiber = match unsafe { sm.block() }.next() {
            Next::Resume(thread) => fiber_of[usize::from(thread)],
            // SAFETY: `fiber_of` and `run` outlive the block's fibers.
            Next::Start => match unsafe { start(sm, run, fiber_of.as_mut_ptr()) } {
                Ok(fiber) => fiber,
                Err(raised) => break Ending::Faulted(raised),
            },
            Next::Done => return Ending::Finished,
            Next::Idle => match waiting.idle(sm, run) {
                Ok(()) => continue,
                Err(ending) => break ending,
            },
        };
        if let Some(raised) = switch(sm, fiber) {
            break Ending::Faulted(raised);
        }
        if sm.switches.get() % STOP_INTERVAL == 0 && run.stop.load(Ordering::Relaxed) {
            break Ending::Stopped;
        }
    };
    // SAFETY: no fiber runs; compiled code and engine calls keep nothing on a fiber's stack that would
    // have to be dropped at a switch or at a faulting access.
    unsafe { sm.fibers().abandon_all() };
    ending
}

/// Goes on with `fiber` until it waits or ends; returns the fault if there was one.
fn switch(sm: &Sm, fiber: u16) -> Option<Box<Raised>> {
    sm.switches.set(sm.switches.get() + 1);
    sm.current.set(fiber);
    // SAFETY: no reference to the fibers outlives this statement.
    let coroutine: *mut _ = unsafe { sm.fibers() }.coroutine(fiber);
    sm.in_fiber.set(true);
    // SAFETY: the fiber was prepared; engine calls made on it do not touch coroutines.
    let ended = unsafe { fiber::resume(coroutine) };
    sm.in_fiber.set(false);
    if ended {
        if let Some(signal) = sm.signal.take() {
            return Some(Box::new(fault::raised_by_signal(sm, signal)));
        }
        // SAFETY: no fiber runs.
        unsafe { sm.fibers() }.put(fiber);
        return None;
    }
    if sm.exited.take() {
        // SAFETY: no fiber runs, and compiled code keeps nothing on its stack that must be dropped.
        unsafe { sm.fibers().reset(fiber) };
        return None;
    }
    sm.raised.take()
}

/// Prepares a fiber that runs the next unstarted thread.
///
/// # Safety
/// `run` and `fiber_of` outlive the fiber.
unsafe fn start(sm: &Sm, run: &BlockRun<'_>, fiber_of: *mut u16) -> Result<u16, Box<Raised>> {
    // SAFETY: no fiber runs.
    let fibers = unsafe { sm.fibers() };
    let fiber = fibers.take().map_err(|error| {
        let cause = Cause::Other(format!("no stack for another GPU thread: {error} (vm.max_map_count?)"));
        Box::new(Raised { thread: 0, cause, place: Place::Unknown, waiting: Vec::new() })
    })?;
    let frame = fibers.frame(fiber);
    let (sm, run): (*const Sm, *const BlockRun<'_>) = (sm, run);
    // SAFETY: the caller's contract; `sm` outlives its fibers.
    unsafe { fibers.prepare(fiber, move |yielder| run_threads(&*sm, &*run, fiber, frame, fiber_of, yielder)) };
    Ok(fiber)
}

/// A fiber's function: runs threads one after another for as long as none has to wait, so that a
/// kernel without synchronisation uses a single stack.
///
/// # Safety
/// The pointers come from [`start`], and this runs on `fiber`.
unsafe fn run_threads(
    sm: &Sm,
    run: &BlockRun<'_>,
    fiber: u16,
    frame: *mut fiber::Frame,
    fiber_of: *mut u16,
    yielder: &FiberYielder,
) {
    loop {
        // SAFETY: short use between switches.
        let thread = unsafe { sm.block() }.start();
        // SAFETY: `frame` is this fiber's own, `fiber_of` has an entry per thread.
        unsafe {
            fiber_of.add(usize::from(thread)).write(fiber);
            (&raw mut (*frame).context).write(context(sm, run, thread));
            (*frame).yielder.set(yielder);
            (*frame).thread.set(thread);
            (run.entry)(&raw mut (*frame).context, run.args);
        }
        // SAFETY: short use between switches.
        let block = unsafe { sm.block() };
        block.exit(thread);
        if !block.start_another() {
            return;
        }
    }
}

fn context(sm: &Sm, run: &BlockRun<'_>, thread: u16) -> ThreadContext {
    let [x, y, _] = run.context.ntid;
    let linear = u32::from(thread);
    let tid = if x == u32::from(u16::MAX) || linear < x { [linear, 0, 0] } else { [linear % x, linear / x % y, linear / x / y] };
    ThreadContext {
        tid,
        laneid: linear % WARP_SIZE as u32,
        warpid: linear / WARP_SIZE as u32,
        engine: sm as *const Sm as u64,
        ..run.context
    }
}

/// How long the block has been waiting on memory.
struct Waiting {
    since: Option<Instant>,
    rounds: u32,
}

impl Waiting {
    /// Nothing can run but threads that yielded: finds out how to go on.
    fn idle(&mut self, sm: &Sm, run: &BlockRun<'_>) -> Result<(), Ending> {
        // SAFETY: no fiber runs.
        match unsafe { sm.block() }.idle() {
            Idle::Continue => {
                *self = Waiting { since: None, rounds: 0 };
                Ok(())
            }
            Idle::Spinning => self.spin(sm, run),
            Idle::Deadlock => {
                // SAFETY: no fiber runs.
                let raised = deadlock::report(unsafe { sm.block() }, Cause::Deadlock);
                Err(Ending::Faulted(Box::new(raised)))
            }
        }
    }

    fn spin(&mut self, sm: &Sm, run: &BlockRun<'_>) -> Result<(), Ending> {
        self.rounds = self.rounds.wrapping_add(1);
        if self.rounds % SPINS_PER_YIELD != 0 {
            return Ok(());
        }
        if run.stop.load(Ordering::Relaxed) {
            return Err(Ending::Stopped);
        }
        if let Some(timeout) = run.timeout
            && self.since.get_or_insert_with(Instant::now).elapsed() > timeout
        {
            // SAFETY: no fiber runs.
            let raised = deadlock::report(unsafe { sm.block() }, Cause::NoProgress(timeout));
            return Err(Ending::Faulted(Box::new(raised)));
        }
        std::thread::yield_now();
        Ok(())
    }
}
