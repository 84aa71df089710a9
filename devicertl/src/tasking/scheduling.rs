//! Task scheduling points: where a thread brings its incomplete tasks to completion.

use crate::arch;
use crate::tasking::dependence::Dependence;
use crate::tasking::execution;
use crate::tasking::incomplete_tasks::{current_task, entry_of, list, remove, search};
use crate::tasking::task_structure::{DETACHED, Entry, Header, Stage};

/// Whether an entry can be taken on: complete, or free to run.
unsafe fn is_ready(header: *mut Header) -> bool {
    // SAFETY: an entry of the list, as are those before it.
    unsafe {
        match (*header).stage {
            Stage::Done => !(*header).is_detached(),
            Stage::Created => {
                let entry = &*entry_of(header);
                search(|earlier| {
                    let other = &*entry_of(earlier);
                    if earlier == header {
                        return Some(true);
                    }
                    (other.parent == entry.parent
                        && other.conflicts(entry.depends, entry.depend_count))
                    .then_some(false)
                })
                .unwrap_or(true)
            }
            Stage::Running | Stage::Again => false,
        }
    }
}

/// Takes one task a step further. Returns whether there was one to take.
#[inline(never)]
pub fn advance() -> bool {
    if list().is_none() {
        return false;
    }
    // SAFETY: entries are live until removed; one that ran stays in the list until it is complete.
    unsafe {
        let Some(header) = search(|header| is_ready(header).then_some(header)) else {
            return false;
        };
        if (*header).stage == Stage::Created {
            execution::run(arch::thread_id() as i32, header.add(1).cast());
        }
        if !(*header).is_detached() {
            remove(header);
        }
    }
    true
}

/// Runs until no entry is `awaited`. A task that the thread is in right now is not waited for.
fn complete(awaited: impl Fn(&Entry) -> bool) {
    if list().is_none() {
        return;
    }
    // SAFETY: entries are live.
    while search(|header| unsafe {
        let idle = matches!((*header).stage, Stage::Created | Stage::Done);
        (idle && awaited(&*entry_of(header))).then_some(())
    })
    .is_some()
    {
        if !advance() {
            arch::pause();
        }
    }
}

/// Completes all tasks of the region: at barriers and at the end of the region.
#[inline(always)]
pub fn complete_all() {
    if DETACHED.get() {
        complete_listed();
    }
}

#[cold]
#[inline(never)]
fn complete_listed() {
    complete(|_| true);
}

/// Children of the current task: `taskwait`.
#[inline(never)]
pub fn complete_children() {
    let parent = current_task();
    complete(|entry| entry.parent == parent);
}

/// Those met since the list's count was `number`: `taskgroup`.
#[inline(never)]
pub fn complete_since(number: u64) {
    complete(|entry| entry.number >= number);
}

/// Children of the current task with dependences that conflict: `taskwait depend(…)`.
///
/// # Safety
/// `count` live dependences.
#[inline(never)]
pub unsafe fn wait_for(depends: *const Dependence, count: usize) {
    let parent = current_task();
    // SAFETY: the caller's promise.
    complete(|entry| unsafe { entry.parent == parent && entry.conflicts(depends, count) });
}
