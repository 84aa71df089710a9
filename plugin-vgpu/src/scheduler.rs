//! Runs one block on one multiprocessor: starts its threads, switches between those that wait.

use std::ptr;
use std::sync::atomic::Ordering;
use std::time::Instant;

use codegen::vgpu_abi::ThreadContext;

use crate::block::{Idle, Next};
use crate::deadlock;
use crate::fault::{self, Cause, Place, Raised};
use crate::sm::{BlockRun, Sm};

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
    unsafe { sm.block() }.reset(x * y * z, run.warp_kind);
    sm.run.set(ptr::from_ref(run).cast());
    let mut waiting = Waiting {
        since: None,
        rounds: 0,
    };
    let ending = loop {
        // SAFETY: no fiber runs.
        let thread = match unsafe { sm.block() }.next() {
            Next::Resume(thread) => Ok(thread),
            Next::Start => start(sm),
            Next::Done => return Ending::Finished,
            Next::Idle => match waiting.idle(sm, run) {
                Ok(()) => continue,
                Err(ending) => break ending,
            },
            Next::Pause if run.stop.load(Ordering::Relaxed) => break Ending::Stopped,
            // SAFETY: no fiber runs.
            Next::Pause if unsafe { sm.block() }.rotate() => start(sm),
            Next::Pause => continue,
        };
        let thread = match thread {
            Ok(thread) => thread,
            Err(raised) => break Ending::Faulted(raised),
        };
        // SAFETY: this is the worker.
        unsafe { sm.resume(thread) };
        if let Some(raised) = fault::pending(sm) {
            break Ending::Faulted(raised);
        }
    };
    // SAFETY: no fiber runs. Compiled code and engine calls keep nothing on a fiber's stack that would
    // have to be dropped at a switch or at a faulting access.
    unsafe { sm.stacks() }.put_all();
    ending
}

/// Prepares a fiber for the next unstarted thread.
fn start(sm: &Sm) -> Result<u16, Box<Raised>> {
    // SAFETY: no fiber runs.
    let (block, stacks) = unsafe { (sm.block(), sm.stacks()) };
    let thread = block.start();
    let fiber = stacks.take().map_err(|error| {
        let cause = Cause::Other(format!("no stack for another GPU thread: {error}"));
        Box::new(Raised {
            thread,
            cause,
            place: Place::Unknown,
            waiting: Vec::new(),
        })
    })?;
    let number = u64::from(fiber) << 16 | u64::from(thread);
    // SAFETY: the stack was free; the Sm outlives its fibers.
    let begin = unsafe { stacks.prepare(fiber, run_threads, ptr::from_ref(sm).cast(), number) };
    sm.suspended[usize::from(thread)].set(begin);
    Ok(thread)
}

/// A fiber's function: runs threads one after another for as long as none has to wait, so that a
/// kernel without synchronisation uses a single stack.
///
/// # Safety
/// Called on a fiber of the `Sm` that `sm` points at; `number` is as [`start`] made it.
unsafe extern "C" fn run_threads(sm: *const (), number: u64) -> ! {
    let (fiber, mut thread) = ((number >> 16) as u16, number as u16);
    // SAFETY: the caller's contract; the run outlives its block's fibers.
    let (sm, run, cx) = unsafe {
        let sm = &*sm.cast::<Sm>();
        (sm, &*sm.run.get(), sm.stacks().context(fiber))
    };
    loop {
        sm.current.set(thread);
        sm.fiber_states[usize::from(fiber)].thread.set(thread);
        // SAFETY: `cx` is this fiber's own; `run` describes the kernel.
        unsafe {
            cx.write(context(run, thread));
            (run.entry)(cx, run.args);
            sm.counters.executed((*cx).instructions);
        }
        // SAFETY: short use between switches.
        let block = unsafe { sm.block() };
        block.exit(thread);
        if !block.start_another() {
            // SAFETY: this runs on `fiber`, and the thread has ended.
            unsafe { leave(sm, fiber, thread) };
        }
        thread = block.start();
    }
}

/// Ends the calling fiber, whose thread has ended.
///
/// # Safety
/// As for [`Sm::wait`].
pub unsafe fn leave(sm: &Sm, fiber: u16, thread: u16) -> ! {
    // SAFETY: the caller's contract. Nobody switches to the fiber again, as its thread has ended.
    unsafe {
        sm.stacks().put(fiber);
        sm.wait(thread);
    }
    unreachable!("a thread that had ended was resumed")
}

fn context(run: &BlockRun<'_>, thread: u16) -> ThreadContext {
    let [x, y, _] = run.context.ntid;
    let linear = u32::from(thread);
    let tid = if linear < x {
        [linear, 0, 0]
    } else {
        [linear % x, linear / x % y, linear / x / y]
    };
    let size = run.warp_kind.size;
    ThreadContext {
        tid,
        laneid: linear & (size - 1),
        warpid: linear >> size.trailing_zeros(),
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
        match unsafe { sm.block() }.idle(self.long(run)) {
            Idle::Continue => {
                *self = Waiting {
                    since: None,
                    rounds: 0,
                };
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

    /// Whether lanes in lockstep have waited in vain for so long that they may go on alone.
    fn long(&self, run: &BlockRun<'_>) -> bool {
        self.since
            .is_some_and(|since| since.elapsed() > run.lockstep_patience)
    }

    fn spin(&mut self, sm: &Sm, run: &BlockRun<'_>) -> Result<(), Ending> {
        self.rounds = self.rounds.wrapping_add(1);
        if !self.rounds.is_multiple_of(SPINS_PER_YIELD) {
            return Ok(());
        }
        if run.stop.load(Ordering::Relaxed) {
            return Err(Ending::Stopped);
        }
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        if let Some(timeout) = run.timeout
            && waited > timeout
        {
            // SAFETY: no fiber runs.
            let raised = deadlock::report(unsafe { sm.block() }, Cause::NoProgress(timeout));
            return Err(Ending::Faulted(Box::new(raised)));
        }
        std::thread::yield_now();
        Ok(())
    }
}
