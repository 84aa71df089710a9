//! Running a task.

use crate::tasking::incomplete_tasks;
use crate::tasking::task_structure::{
    CurrentTask, DESTRUCTORS, DETACHED, FINAL, Header, Stage, Task, header_of, release,
};
use crate::team::thread_state;

/// Whether a final task is running. Regions that began inside it do not count.
pub(super) fn in_final() -> bool {
    // SAFETY: the node is this thread's own.
    thread_state::find_here::<CurrentTask>().is_some_and(|node| unsafe { (*node).payload.is_final })
}

/// Whether the program needs to know which task a thread is in.
#[inline(always)]
pub(super) fn has_node() -> bool {
    thread_state::OF_TASKS.is_possible() || DETACHED.is_possible()
}

/// Says that the thread is in the task.
#[inline(never)]
pub(super) unsafe fn begin_node(header: *mut Header) {
    // SAFETY: a live task; its node is in use until `end_node`.
    unsafe {
        // All tasks that a final task generates are final (OpenMP 5.2, §12.3).
        let is_final = (*header).flags & FINAL != 0 || in_final();
        thread_state::push_in((*header).node.as_mut_ptr(), CurrentTask { is_final });
    }
}

#[inline(never)]
pub(super) unsafe fn end_node(header: *mut Header) {
    // SAFETY: a task that has begun.
    unsafe { incomplete_tasks::orphan((*header).node.as_mut_ptr()) };
    thread_state::end_task();
}

/// Runs a task from begin to end. What does not change while its code runs is read before, where the optimiser still
/// knows it.
///
/// # Safety
/// A live task that has not begun.
#[inline(always)]
pub unsafe fn run(thread: i32, task: *mut Task) {
    // SAFETY: the caller's promise.
    unsafe {
        let header = header_of(task);
        let flags = (*header).flags;
        if has_node() {
            run_in_node(thread, task);
        } else {
            run_routine(thread, task);
        }
        (*header).stage = Stage::Done;
        if flags & DESTRUCTORS != 0 {
            destroy(thread, task);
        }
    }
}

/// Runs a task's code where the program needs to know which task a thread is in. It is not inlined, for [`destroy`]'s
/// reason: the optimiser cannot simplify such tasks anyway, and with an indirect call for each, openmp-opt took minutes
/// for a file of tasks.
#[inline(never)]
unsafe fn run_in_node(thread: i32, task: *mut Task) {
    // SAFETY: a live task that has not begun.
    unsafe {
        let header = header_of(task);
        begin_node(header);
        run_routine(thread, task);
        end_node(header);
    }
}

/// The parts after the first of a task that clang's code has begun to run. Not inlined, for [`destroy`]'s reason.
#[inline(never)]
pub(super) unsafe fn run_rest(thread: i32, task: *mut Task) {
    // SAFETY: a live task.
    unsafe { run_routine(thread, task) }
}

/// Calls the routine of a task, and again for each part that it is cut into.
#[inline(always)]
unsafe fn run_routine(thread: i32, task: *mut Task) {
    // SAFETY: a live task, whose routine takes it.
    unsafe {
        let header = header_of(task);
        let Some(routine) = (*task).routine else {
            return;
        };
        loop {
            (*header).stage = Stage::Running;
            routine(thread, task);
            if (*header).stage != Stage::Again {
                break;
            }
        }
    }
}

/// Gives back a task after its destructors.
///
/// # Safety
/// As for [`release`].
pub unsafe fn discard(thread: i32, task: *mut Task) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*header_of(task)).flags & DESTRUCTORS != 0 {
            destroy(thread, task);
        }
        release(task);
    }
}

/// Not inlined: openmp-opt takes every function whose address is known for a possible target of every indirect call, so
/// there should be few such calls.
#[inline(never)]
unsafe fn destroy(thread: i32, task: *mut Task) {
    // SAFETY: a live task; clang fills the thunk in when the flags say so.
    unsafe {
        if let Some(destructors) = (*task).destructors {
            destructors(thread, task);
        }
    }
}
