//! Runs a block whose threads never wait: strip after strip of its warp form, on one stack.

use std::ptr;
use std::sync::atomic::Ordering;

use crate::engine::Form;
use crate::fault;
use crate::scheduler::{Ending, begin_with, context, no_stack};
use crate::sm::Sm;

/// Runs a block to its end.
///
/// # Safety
/// As for [`crate::scheduler::run_block`]; the form of what `sm` runs is [`Form::Strips`].
pub unsafe fn run(sm: &Sm) -> Ending {
    // SAFETY: no fiber runs.
    let stacks = unsafe { sm.stacks() };
    let fiber = match stacks.take_warp() {
        Ok(fiber) => fiber,
        Err(error) => return Ending::Faulted(no_stack(0, &error)),
    };
    // SAFETY: the stack was free; the Sm outlives its fibers.
    let begin =
        unsafe { stacks.prepare(fiber, run_strips, ptr::from_ref(sm).cast(), fiber.into()) };
    sm.suspended[0].set(begin);
    // SAFETY: this is the worker.
    unsafe { sm.resume(0) };
    // SAFETY: no fiber runs, and nobody goes on with this one.
    unsafe { sm.stacks() }.put(fiber);
    match fault::pending(sm) {
        None => Ending::Finished,
        Some(raised) => Ending::Faulted(raised),
    }
}

/// A fiber's function: runs all strips of a block.
///
/// # Safety
/// Called on fiber `number` of the `Sm` that `sm` points at.
unsafe extern "C" fn run_strips(sm: *const (), number: u64) -> ! {
    let fiber = number as u16;
    // SAFETY: the caller's contract; the run outlives its block's fibers.
    let (sm, run, cx) = unsafe {
        let sm = &*sm.cast::<Sm>();
        (sm, &*sm.run.get(), sm.stacks().context(fiber))
    };
    if let Form::Strips { entry, width } = run.form {
        let [x, y, z] = run.context.ntid;
        let threads = x * y * z;
        for first in (0..threads).step_by(width as usize) {
            if run.stop.load(Ordering::Relaxed) {
                break;
            }
            let lanes = u64::MAX >> (u64::BITS - (threads - first).min(width));
            begin_with(sm, fiber, first as u16);
            // SAFETY: `cx` is this fiber's own; `run` describes the kernel.
            unsafe {
                cx.write(context(run, first as u16));
                entry(cx, run.args, lanes);
            }
        }
    }
    // SAFETY: this fiber keeps nothing that must be dropped.
    unsafe { sm.give_up() }
}
