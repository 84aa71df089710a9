//! Explicit tasks. The thread that meets a task runs it at once, which the standard allows for any task (OpenMP 5.2,
//! §12.5: a task "may be executed immediately"). Tasks that cannot be complete yet are in
//! [`incomplete_tasks`](crate::tasking::incomplete_tasks).
//!
//! What a program pays depends on what it has code for ([`StickyFlag`](crate::sticky_flag::StickyFlag)). If nothing
//! asks which task a thread is in, and no task can be incomplete, then a task is an allocation, a call of its routine,
//! and the release of its memory. The optimiser sees all three in one place, and leaves only the body of a short task.

use core::ffi::c_void;

use crate::Ident;
use crate::arch;
use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};
use crate::tasking::dependence::Dependence;
use crate::tasking::execution::{begin_node, discard, end_node, has_node, in_final, run, run_rest};
use crate::tasking::task_structure::{
    COPIED_AT_ONCE, CurrentTask, DETACHED, EVENT_FULFILLED, EVENT_OPEN, Routine, Stage, Task,
    allocate, header_of, release,
};
use crate::tasking::{incomplete_tasks, scheduling};
use crate::team::thread_state;

/// Runs a task from begin to end, and frees its memory unless an event keeps it from being complete.
#[inline(always)]
unsafe fn complete(thread: i32, task: *mut Task, depends: *const Dependence, count: usize) {
    // SAFETY: a live task that has not begun, and its dependences.
    unsafe {
        run(thread, task);
        if (*header_of(task)).is_detached() {
            incomplete_tasks::add(header_of(task), depends, count);
        } else {
            release(task);
        }
    }
}

/// `task *(ident_t *, i32 thread, i32 flags, size_t bytes, size_t shareds, routine)`: makes a task: `bytes` with its
/// private variables, then its shared references (clang: every task construct, `emitTaskInit`; OpenMP 5.2, §12.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_alloc(
    _location: *const Ident,
    _thread: i32,
    flags: i32,
    bytes: usize,
    shared_bytes: usize,
    routine: Option<Routine>,
) -> *mut Task {
    let bytes = bytes.next_multiple_of(COPIED_AT_ONCE);
    let task = allocate(bytes + shared_bytes.next_multiple_of(COPIED_AT_ONCE), flags);
    // SAFETY: fresh; the head of the structure is there whatever its kind.
    unsafe {
        (*task).shareds = task.cast::<u8>().add(bytes).cast();
        (*task).routine = routine;
        (*task).part = 0;
    }
    task
}

/// The same with `i64 device`, for a `target nowait`; there is none inside a target region, so a task like any other
/// (clang: `emitTaskInit`; OpenMP 5.2, §13.8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_target_task_alloc(
    location: *const Ident,
    thread: i32,
    flags: i32,
    bytes: usize,
    shared_bytes: usize,
    routine: Option<Routine>,
    _device: i64,
) -> *mut Task {
    // SAFETY: the caller's promise.
    unsafe { __kmpc_omp_task_alloc(location, thread, flags, bytes, shared_bytes, routine) }
}

/// `affinity` clause: there is nothing to place (clang: `emitTaskInit`; OpenMP 5.2, §12.5.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_reg_task_with_affinity(
    _location: *const Ident,
    _thread: i32,
    _task: *mut Task,
    _count: i32,
    _list: *const c_void,
) -> i32 {
    0
}

/// `detach` clause: the event that completes the task, after its code has run (clang: `emitTaskInit`;
/// OpenMP 5.2, §12.5.2). The handle is the event's address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_allow_completion_event(
    _location: *const Ident,
    _thread: i32,
    task: *mut Task,
) -> *mut c_void {
    DETACHED.set();
    // SAFETY: a task of `__kmpc_omp_task_alloc`.
    unsafe {
        let event = &raw mut (*header_of(task)).event;
        (*event).store(EVENT_OPEN, Relaxed);
        event.cast()
    }
}

/// `omp_fulfill_event` (OpenMP 5.2, §18.11.1). Any thread may call it, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_fulfill_event(event: *const AtomicU32) {
    arch::fence_device();
    // SAFETY: a handle of `__kmpc_task_allow_completion_event`; the task lives until it is fulfilled.
    unsafe { (*event).store(EVENT_FULFILLED, Relaxed) }
}

/// `i32 (ident_t *, i32 thread, task *)`: runs a task (clang: `task` without `depend`, `emitTaskCall`; OpenMP 5.2,
/// §12.5). From within the task itself: the next part of an untied one (§12.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task(
    _location: *const Ident,
    thread: i32,
    task: *mut Task,
) -> i32 {
    // SAFETY: a task of `__kmpc_omp_task_alloc`.
    unsafe {
        let header = header_of(task);
        if (*header).stage == Stage::Running {
            (*header).stage = Stage::Again;
            return 0;
        }
        complete(thread, task, core::ptr::null(), 0);
    }
    0
}

/// `i32 (ident_t *, i32 thread, task *, i32 count, dependences *, i32 count, dependences *)`: runs a task, or puts it
/// off until what it depends on is complete (clang: `task depend(…)`, `emitTaskCall`; OpenMP 5.2, §15.9.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_with_deps(
    _location: *const Ident,
    thread: i32,
    task: *mut Task,
    count: i32,
    depends: *const Dependence,
    _noalias_count: i32,
    _noalias: *const Dependence,
) -> i32 {
    // SAFETY: a task of `__kmpc_omp_task_alloc`; `count` dependences.
    unsafe {
        let count = count as usize;
        if DETACHED.get() && incomplete_tasks::must_wait(depends, count) {
            incomplete_tasks::add(header_of(task), depends, count);
        } else {
            complete(thread, task, depends, count);
        }
    }
    0
}

/// `void (ident_t *, i32 thread, task *)`: begin of a task with a false `if`, which clang calls itself (`emitTaskCall`;
/// OpenMP 5.2, §3.4 and §12.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_begin_if0(
    _location: *const Ident,
    _thread: i32,
    task: *mut Task,
) {
    // SAFETY: a task of `__kmpc_omp_task_alloc`.
    unsafe {
        let header = header_of(task);
        (*header).has_node = has_node();
        if (*header).has_node {
            begin_node(header);
        }
        (*header).stage = Stage::Running;
    }
}

/// `void (ident_t *, i32 thread, task *)`: end of such a task (clang: `emitTaskCall`; OpenMP 5.2, §3.4 and §12.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_complete_if0(
    _location: *const Ident,
    thread: i32,
    task: *mut Task,
) {
    // SAFETY: a task of `__kmpc_omp_task_alloc` that has begun.
    unsafe {
        let header = header_of(task);
        if (*header).stage == Stage::Again {
            run_rest(thread, task);
        }
        if (*header).has_node {
            end_node(header);
        }
        discard(thread, task);
    }
}

/// `taskwait`: children that are not complete (clang: `emitTaskwaitCall`; OpenMP 5.2, §15.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_taskwait(_location: *const Ident, _thread: i32) -> i32 {
    if DETACHED.get() {
        scheduling::complete_children();
    }
    0
}

/// `taskyield` (clang: `emitTaskyieldCall`; OpenMP 5.2, §12.7).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_taskyield(
    _location: *const Ident,
    _thread: i32,
    _end: i32,
) -> i32 {
    if DETACHED.get() {
        scheduling::advance();
    }
    0
}

/// `void (ident_t *, i32 thread, i32 count, dependences *, i32 count, dependences *)`: `taskwait depend(…)` of older
/// clangs, and before a task with `depend` and a false `if` (clang: `emitTaskwaitCall`, `emitTaskCall`; OpenMP 5.2,
/// §15.5 and §15.9.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_wait_deps(
    _location: *const Ident,
    _thread: i32,
    count: i32,
    depends: *const Dependence,
    _noalias_count: i32,
    _noalias: *const Dependence,
) {
    if DETACHED.get() {
        // SAFETY: `count` dependences.
        unsafe { scheduling::wait_for(depends, count as usize) }
    }
}

/// `void (ident_t *, i32 thread, i32 count, dependences *, i32 count, dependences *, i32 nowait)`: `taskwait
/// depend(…)`, which `nowait` makes a task without code (clang 16 and later: `emitTaskwaitCall`; OpenMP 5.2, §15.5 and
/// §15.6).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_taskwait_deps_51(
    location: *const Ident,
    thread: i32,
    count: i32,
    depends: *const Dependence,
    _noalias_count: i32,
    _noalias: *const Dependence,
    no_wait: i32,
) {
    // SAFETY: `count` dependences; a task without a routine does nothing.
    unsafe {
        if !DETACHED.get() {
            return;
        }
        if no_wait == 0 {
            scheduling::wait_for(depends, count as usize);
        } else if incomplete_tasks::must_wait(depends, count as usize) {
            let task = __kmpc_omp_task_alloc(location, thread, 0, size_of::<Task>(), 0, None);
            incomplete_tasks::add(header_of(task), depends, count as usize);
        }
    }
}

/// `omp_in_final` (OpenMP 5.2, §18.5.3).
#[unsafe(no_mangle)]
pub extern "C" fn omp_in_final() -> i32 {
    thread_state::OF_TASKS.set();
    in_final().into()
}

/// `omp_in_explicit_task` (OpenMP 5.2, §18.5.2).
#[unsafe(no_mangle)]
pub extern "C" fn omp_in_explicit_task() -> i32 {
    thread_state::OF_TASKS.set();
    thread_state::find_here::<CurrentTask>().is_some().into()
}
