//! Runs one block on one multiprocessor. It starts the block's threads and switches between them.

use std::ptr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use plugin_api::Error;
use vgpu_abi::ThreadContext;

use crate::block::{Idle, Next};
use crate::deadlock;
use crate::engine::Form;
use crate::fault::{Cause, FaultLocation, Raised};
use crate::reserve;
use crate::signals;
use crate::sm::{BlockRun, Sm};
use crate::switch::Main;

/// How long a worker yields for a block that waits on memory, before it sleeps between looks.
const YIELD_LIMIT: Duration = Duration::from_micros(200);

/// Rounds of waiting on memory without progress after which the worker yields its CPU. The block may wait for
/// whoever needs that CPU.
const SPINS_PER_YIELD: u32 = 64;

/// How long the worker of a block naps that has waited for longer than threads spin. The worker that the block waits
/// for has probably lost its CPU to others. Yielding again and again would cost this one its share of the CPU, which
/// the block needs later.
const NAP: Duration = Duration::from_micros(20);

/// How a block ended.
pub enum Ending {
    /// Every thread ended.
    Finished,
    /// The launch failed elsewhere, so the block was abandoned.
    Stopped,
    /// A thread of the block faulted.
    Faulted(Box<Raised>),
}

/// Runs a block, or the part of it that `run` names, to its end; of a form of subgroups, the threads behind the last
/// whole one.
///
/// # Safety
/// `run` describes a loaded kernel and parameters that it accepts. [`signals::enter`] has prepared the calling
/// thread with this `sm`.
pub unsafe fn run_block(sm: &Sm, run: &BlockRun<'_>) -> Ending {
    let (threads, size) = (run.part.end, run.warp_kind.size);
    sm.run.set(ptr::from_ref(run).cast());
    let mut ended = run.part.start;
    let warps = match run.form {
        Form::Threads(_) => 0,
        Form::Warps { last: None, .. } => threads.div_ceil(size),
        Form::Warps { last: Some(_), .. } => threads.div_ceil(size) - 1,
        Form::OneByOne(_) => unreachable!("`subgroups` runs these"),
        Form::Regions { .. } => unreachable!("`regions` runs these"),
        Form::Subgroups { width, .. } => {
            ended = run.whole_subgroups(width);
            0
        }
    };
    // SAFETY: no fiber runs.
    let block = unsafe { sm.block() };
    let random = run.order.of_block(run.context.ctaid);
    block.reset(threads, run.warp_kind, warps, ended, random);
    run.begin_checks(sm, run.context.ctaid);
    let mut waiting = Waiting::new();
    let ending = loop {
        let thread = match next_thread(sm, run, run.context.ctaid, &mut waiting) {
            Ok(Next::Resume(thread)) => Ok(thread),
            Ok(_) => start(sm),
            Err(Ending::Finished) => return Ending::Finished,
            Err(ending) => break ending,
        };
        let thread = match thread {
            Ok(thread) => thread,
            Err(raised) => break Ending::Faulted(raised),
        };
        // SAFETY: this is the worker.
        unsafe { sm.resume(thread) };
        if let Some(raised) = signals::pending(sm) {
            break Ending::Faulted(raised);
        }
    };
    // SAFETY: no fiber runs. Compiled code and engine calls own nothing that would have to be dropped at a switch
    // or at a faulting access.
    unsafe { sm.stacks() }.put_all();
    ending
}

/// What the worker of a block does next: [`Next::Resume`] or [`Next::Start`]. The error is how the block has ended.
pub fn next_thread(
    sm: &Sm,
    run: &BlockRun<'_>,
    block: [u32; 3],
    waiting: &mut Waiting,
) -> Result<Next, Ending> {
    loop {
        // SAFETY: no fiber runs.
        let state = unsafe { sm.block() };
        match state.next() {
            next @ (Next::Resume(_) | Next::Start) => return Ok(next),
            Next::Done => return Err(Ending::Finished),
            Next::Idle => waiting.idle(sm, run, block)?,
            Next::Poll if run.stop.load(Ordering::Relaxed) => return Err(Ending::Stopped),
            Next::Poll if state.rotate() => return Ok(Next::Start),
            Next::Poll => {}
        }
    }
}

/// Prepares a fiber for the next thread that has not started, or for the next warp in warp form.
fn start(sm: &Sm) -> Result<u16, Box<Raised>> {
    // SAFETY: no fiber runs.
    let (block, stacks) = unsafe { (sm.block(), sm.stacks()) };
    let thread = block.start();
    let (fiber, main): (_, Main) = match block.in_warp_form(thread) {
        true => (stacks.take_warp(), run_warps),
        false => (stacks.take(), run_threads),
    };
    let fiber = fiber.map_err(|error| no_stack(thread, &error))?;
    let number = u64::from(fiber) << 16 | u64::from(thread);
    // SAFETY: the stack was free; the Sm outlives its fibers.
    let begin = unsafe { stacks.prepare(fiber, main, ptr::from_ref(sm).cast(), number) };
    sm.suspended[usize::from(thread)].set(begin);
    Ok(thread)
}

/// The fault of a thread that gets no stack.
pub fn no_stack(thread: u16, error: &Error) -> Box<Raised> {
    Box::new(Raised {
        thread,
        thread_count: 1,
        cause: Cause::Other(format!("no stack for another GPU thread: {error}")),
        place: FaultLocation::Unknown,
        waiting: Vec::new(),
    })
}

/// The main function of a thread fiber. It runs threads one after another as long as none of them waits, so that
/// a kernel without synchronisation uses a single stack.
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
    let (Form::Threads(entry)
    | Form::Warps {
        last: Some(entry), ..
    }
    | Form::Subgroups { rest: entry, .. }) = run.form
    else {
        unreachable!("threads are run thread by thread");
    };
    loop {
        set_current_thread(sm, fiber, thread);
        // SAFETY: `cx` is this fiber's own; `run` describes the kernel.
        unsafe {
            cx.write(context(run, thread));
            entry(cx, run.args);
            sm.counters.executed((*cx).instructions);
        }
        // SAFETY: short use between switches.
        let block = unsafe { sm.block() };
        block.exit(thread);
        if !block.start_another(false) {
            // SAFETY: this runs on `fiber`, and the thread has ended.
            unsafe { exit_fiber(sm, fiber, thread) };
        }
        thread = block.start();
    }
}

/// The main function of a warp fiber: as [`run_threads`], for warps in warp form.
///
/// # Safety
/// As for [`run_threads`].
unsafe extern "C" fn run_warps(sm: *const (), number: u64) -> ! {
    let (fiber, mut first) = ((number >> 16) as u16, number as u16);
    // SAFETY: the caller's contract; the run outlives its block's fibers.
    let (sm, run, cx) = unsafe {
        let sm = &*sm.cast::<Sm>();
        (sm, &*sm.run.get(), sm.stacks().context(fiber))
    };
    let Form::Warps { entry, .. } = run.form else {
        unreachable!("warps are run warp by warp");
    };
    loop {
        set_current_thread(sm, fiber, first);
        // SAFETY: short use between switches.
        let lanes = unsafe { sm.block() }.live_lanes(first);
        // SAFETY: `cx` is this fiber's own; `run` describes the kernel.
        unsafe {
            cx.write(context(run, first));
            entry(cx, run.args, lanes);
        }
        // SAFETY: short use between switches.
        let block = unsafe { sm.block() };
        block.end_lanes(first, block.live_lanes(first));
        if !block.start_another(true) {
            // SAFETY: this runs on `fiber`, and all lanes have ended.
            unsafe { exit_fiber(sm, fiber, first) };
        }
        first = block.start();
    }
}

/// Notes that `fiber` now runs `thread`, or the lanes that begin with it.
pub fn set_current_thread(sm: &Sm, fiber: u16, thread: u16) {
    sm.current.set(thread);
    let state = &sm.fiber_states[usize::from(fiber)];
    state.thread.set(thread);
    state.lane.set(0);
}

/// Ends the calling fiber, whose thread has ended.
///
/// # Safety
/// As for [`Sm::wait`].
pub unsafe fn exit_fiber(sm: &Sm, fiber: u16, thread: u16) -> ! {
    // SAFETY: the caller's contract. No switch leads back to the fiber, as its thread has ended.
    unsafe {
        sm.stacks().put(fiber);
        sm.wait(thread);
    }
    unreachable!("a thread that had ended was resumed")
}

/// The context of a thread.
pub fn context(run: &BlockRun<'_>, thread: u16) -> ThreadContext {
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
pub struct Waiting {
    since: Option<Instant>,
    rounds: u32,
    /// How often it has called for workers.
    calls: u32,
}

impl Waiting {
    /// It has not waited yet.
    pub fn new() -> Waiting {
        Waiting {
            since: None,
            rounds: 0,
            calls: 0,
        }
    }

    /// Only threads that yielded can run. Decides how to continue.
    fn idle(&mut self, sm: &Sm, run: &BlockRun<'_>, block: [u32; 3]) -> Result<(), Ending> {
        // SAFETY: no fiber runs.
        match unsafe { sm.block() }.idle(self.lockstep_expired(run)) {
            Idle::Continue => {
                *self = Waiting::new();
                Ok(())
            }
            Idle::Spinning => self.spin(sm, run, block),
            Idle::Deadlock => {
                // SAFETY: no fiber runs.
                let raised = deadlock::report(unsafe { sm.block() }, Cause::Deadlock);
                Err(Ending::Faulted(Box::new(raised)))
            }
        }
    }

    /// Whether lanes in lockstep have waited so long that they may continue without the others.
    fn lockstep_expired(&self, run: &BlockRun<'_>) -> bool {
        self.since
            .is_some_and(|since| since.elapsed() > run.lockstep_timeout)
    }

    fn spin(&mut self, sm: &Sm, run: &BlockRun<'_>, block: [u32; 3]) -> Result<(), Ending> {
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
        if let Some(endless) = run.endless_wait {
            // SAFETY: no fiber runs.
            let waiting = || deadlock::report(unsafe { sm.block() }, Cause::NoProgress(waited));
            endless.check(block, waited, waiting);
        }
        // In a random order there is one multiprocessor, so that a seed means one order.
        if waited > reserve::PATIENCE * (self.calls + 1) && !run.order.is_random() {
            self.calls += 1;
            run.reserve.call();
        }
        match waited > YIELD_LIMIT {
            true => std::thread::sleep(NAP),
            false => std::thread::yield_now(),
        }
        Ok(())
    }
}
