//! Runs blocks whose threads never wait, or parts of them. The whole subgroups of a warp form run one after another, or
//! threads one by one, and all blocks of a range share one stack. A separate fiber for each block would cost more than
//! a block of a few iterations. Threads behind the last whole subgroup have fibers (`scheduler`).

use std::ptr;
use std::sync::atomic::Ordering;

use vgpu_abi::{SubgroupCall, ThreadContext, WarpEntryFn};

use crate::block_ranges::BlockRange;
use crate::engine::Form;
use crate::fault::Raised;
use crate::scheduler::{context, no_stack, set_current_thread};
use crate::signals;
use crate::sm::{BlockRun, Sm};

/// The work of a subgroup fiber.
struct Subgroups<'a> {
    sm: &'a Sm,
    /// Its block index is not used.
    run: &'a BlockRun<'a>,
    blocks: BlockRange,
}

/// Runs the whole subgroups or the threads of `blocks` to their ends, or abandons them when the launch has failed
/// elsewhere. The error is a fault and its block.
///
/// # Safety
/// As for [`crate::scheduler::run_block`]. The form of `run` is [`Form::Subgroups`] or [`Form::OneByOne`].
pub unsafe fn run(
    sm: &Sm,
    run: &BlockRun<'_>,
    blocks: BlockRange,
) -> Result<(), ([u32; 3], Box<Raised>)> {
    sm.run.set(ptr::from_ref(run).cast());
    // SAFETY: no fiber runs.
    let stacks = unsafe { sm.stacks() };
    let taken = match run.form {
        Form::OneByOne(_) => stacks.take(),
        _ => stacks.take_warp(),
    };
    let fiber = match taken {
        Ok(fiber) => fiber,
        Err(error) => return Err((blocks.first(), no_stack(0, &error))),
    };
    let subgroups = Subgroups { sm, run, blocks };
    // SAFETY: the stack was free. `subgroups` and the `Sm` outlive the fiber, which ends below.
    let begin = unsafe {
        let subgroups = ptr::from_ref(&subgroups).cast();
        stacks.prepare(fiber, run_subgroups, subgroups, fiber.into())
    };
    sm.suspended[0].set(begin);
    // SAFETY: this is the worker.
    unsafe { sm.resume(0) };
    // SAFETY: no fiber runs, and no switch leads back to this one.
    let stacks = unsafe { sm.stacks() };
    stacks.put(fiber);
    match signals::pending(sm) {
        None => Ok(()),
        // SAFETY: the fiber wrote its context before anything in it could fault.
        Some(raised) => Err((unsafe { (*stacks.context(fiber)).ctaid }, raised)),
    }
}

/// The main function of a subgroup fiber: runs all whole subgroups of its blocks.
///
/// # Safety
/// `subgroups` points at a [`Subgroups`]. The function is called on fiber `number` of its `Sm`.
unsafe extern "C" fn run_subgroups(subgroups: *const (), number: u64) -> ! {
    let fiber = number as u16;
    // SAFETY: the caller's contract.
    let (Subgroups { sm, run, blocks }, cx) = unsafe {
        let subgroups = &*subgroups.cast::<Subgroups<'_>>();
        (subgroups, subgroups.sm.stacks().context(fiber))
    };
    // Checks begin with each block.
    let most = if may_run_several(run) { u32::MAX } else { 1 };
    let mut blocks = blocks.clone();
    while let Some((ctaid, count)) = blocks.next_in_row(most) {
        run.begin_checks(sm, ctaid);
        let block = ThreadContext {
            ctaid,
            ..context(run, run.part.start as u16)
        };
        // SAFETY: `cx` is this fiber's own, and `run` describes the kernel.
        let ended = unsafe {
            cx.write(block);
            run_blocks(sm, run, cx, fiber, count)
        };
        if !ended {
            break;
        }
    }
    // SAFETY: this fiber keeps nothing that must be dropped.
    unsafe { sm.return_to_worker() }
}

/// The kernel, how many threads a subgroup has, and whether a call runs all subgroups of a block.
fn called(run: &BlockRun<'_>) -> (WarpEntryFn, u32, bool) {
    match run.form {
        Form::Subgroups {
            entry,
            width,
            loops,
            ..
        } => (entry, width, loops),
        Form::OneByOne(entry) => (entry, 1, true),
        _ => unreachable!("the form is `Form::Subgroups` or `Form::OneByOne`"),
    }
}

/// Whether a call may run more than one block.
fn may_run_several(run: &BlockRun<'_>) -> bool {
    let (_, width, loops) = called(run);
    loops && run.checks.is_none() && run.whole_subgroups(width) > run.part.start
}

/// Runs the whole subgroups of a block, and of the next ones along x, `blocks` in all. Gives whether they have ended;
/// else the launch has.
///
/// # Safety
/// `cx` is the context of `fiber`, on which this runs, and that of the first thread in `run`. `run` describes the
/// kernel. `blocks` is 1 unless `may_run_several`.
unsafe fn run_blocks(
    sm: &Sm,
    run: &BlockRun<'_>,
    cx: *mut ThreadContext,
    fiber: u16,
    blocks: u32,
) -> bool {
    let (entry, width, loops) = called(run);
    let goes_on = || !run.stop.load(Ordering::Relaxed);
    let (start, end) = (run.part.start, run.whole_subgroups(width));
    if loops && end > start && goes_on() {
        set_current_thread(sm, fiber, start as u16);
        let call = SubgroupCall {
            current: sm.current.as_ptr(),
            thread: sm.fiber_states[usize::from(fiber)].thread.as_ptr(),
            stop: run.stop.as_ptr().cast(),
            first: start,
            // SAFETY: the caller's contract.
            tid: unsafe { (*cx).tid },
            end,
            // SAFETY: as above.
            block: unsafe { (*cx).ctaid[0] },
            blocks,
        };
        // SAFETY: the caller's contract.
        unsafe { entry(cx, run.args, ptr::from_ref(&call) as u64) };
    } else {
        let lanes = u64::MAX >> (u64::BITS - width);
        for first in (start..end)
            .step_by(width as usize)
            .take_while(|_| goes_on())
        {
            set_current_thread(sm, fiber, first as u16);
            let own = context(run, first as u16);
            // SAFETY: the caller's contract. Compiled code leaves the rest as it is.
            unsafe {
                ((*cx).tid, (*cx).laneid, (*cx).warpid) = (own.tid, own.laneid, own.warpid);
                entry(cx, run.args, lanes);
            }
        }
    }
    goes_on()
}
