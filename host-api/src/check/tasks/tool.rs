//! The OMPT tool that this library is while races are looked for.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use super::dependences::Use;
use super::task::{Done, Task};
use crate::ompt::{Data, Endpoint, Lookup, StartToolResult, function};

/// `ompt_set_callback_t`.
type SetCallback = unsafe extern "C" fn(c_int, *const c_void) -> c_int;

/// The flag of a task whose parent waits for it.
const UNDEFERRED: c_int = 0x0800_0000;

/// `ompt_task_status_t`: a task has ended, or was cancelled.
const COMPLETE: c_int = 1;
const CANCEL: c_int = 3;
/// The thread has waited for tasks that `depend` clauses of a `taskwait`, or of a construct without a task, name.
const TASKWAIT_COMPLETE: c_int = 8;

/// `ompt_sync_region_t`.
const TASKWAIT: c_int = 5;
const TASKGROUP: c_int = 6;
const REDUCTION: c_int = 7;

/// `ompt_dependence_t`.
#[repr(C)]
struct Dependence {
    variable: Data,
    kind: c_int,
}

/// What libomp is to call.
pub fn tool() -> *mut StartToolResult {
    /// libomp keeps the pointer until it ends. Nobody else uses it.
    static mut RESULT: StartToolResult = StartToolResult {
        initialize,
        finalize,
        tool_data: 0,
    };
    &raw mut RESULT
}

/// # Safety
/// `lookup` is libomp's.
unsafe extern "C" fn initialize(lookup: Lookup, _host: c_int, _data: *mut Data) -> c_int {
    // SAFETY: caller; the type is that of libomp's function of this name.
    let Some(set) = (unsafe { function::<SetCallback>(lookup, c"ompt_set_callback") }) else {
        return 0;
    };
    let callbacks: [(c_int, *const c_void); 7] = [
        (3, parallel_begin as *const c_void),
        (4, parallel_end as *const c_void),
        (5, task_create as *const c_void),
        (6, task_schedule as *const c_void),
        (7, implicit_task as *const c_void),
        (18, dependences as *const c_void),
        (23, sync_region as *const c_void),
    ];
    for (code, function) in callbacks {
        // SAFETY: the callback of that number has that function's type (`omp-tools.h`).
        unsafe { set(code, function) };
    }
    1
}

extern "C" fn finalize(_data: *mut Data) {}

/// What an OMPT word holds: a reference that it owns.
///
/// # Safety
/// The word is null, 0 or filled by [`keep`] with a `T`, and nobody takes it meanwhile.
unsafe fn held<T>(word: *mut Data) -> Option<Arc<T>> {
    // SAFETY: caller.
    let address = unsafe { word.as_ref() }.filter(|address| **address != 0)?;
    let pointer = *address as *const T;
    // SAFETY: caller: the word owns one count of it.
    unsafe {
        Arc::increment_strong_count(pointer);
        Some(Arc::from_raw(pointer))
    }
}

/// Fills a word.
///
/// # Safety
/// The word is null or writable.
unsafe fn keep<T>(word: *mut Data, value: Arc<T>) {
    if !word.is_null() {
        // SAFETY: caller.
        unsafe { word.write(Arc::into_raw(value) as Data) };
    }
}

/// Empties a word.
///
/// # Safety
/// As [`held`].
unsafe fn release<T>(word: *mut Data) {
    // SAFETY: caller.
    if let Some(value) = unsafe { held::<T>(word) } {
        // SAFETY: the word owned a count, which goes.
        unsafe {
            word.write(0);
            Arc::decrement_strong_count(Arc::as_ptr(&value));
        }
    }
}

/// The task of a word. One that began before this library was asked is an initial task.
///
/// # Safety
/// As [`held`], with a task.
unsafe fn task(word: *mut Data) -> Arc<Task> {
    // SAFETY: caller.
    unsafe { held(word) }.unwrap_or_else(|| {
        let task = Task::initial();
        // SAFETY: caller.
        unsafe { keep(word, task.clone()) };
        task
    })
}

unsafe extern "C" fn parallel_begin(
    _task: *mut Data,
    _frame: *const c_void,
    parallel: *mut Data,
    _threads: c_uint,
    _flags: c_int,
    _code: *const c_void,
) {
    // SAFETY: libomp's word.
    unsafe { keep(parallel, Arc::new(Done::default())) };
}

unsafe extern "C" fn parallel_end(
    parallel: *mut Data,
    _task: *mut Data,
    _flags: c_int,
    _code: *const c_void,
) {
    // SAFETY: libomp's word, filled by `parallel_begin`.
    unsafe { release::<Done>(parallel) };
}

unsafe extern "C" fn implicit_task(
    endpoint: c_int,
    parallel: *mut Data,
    word: *mut Data,
    _threads: c_uint,
    _index: c_uint,
    _flags: c_int,
) {
    if endpoint == Endpoint::Begin as c_int {
        // SAFETY: libomp's words: a parallel region's is filled by `parallel_begin`.
        let region = unsafe { held::<Done>(parallel) };
        let task = Task::implicit(region.unwrap_or_default());
        task.run();
        // SAFETY: as above.
        unsafe { keep(word, task) };
    } else {
        // SAFETY: filled above.
        unsafe { release::<Task>(word) };
    }
}

unsafe extern "C" fn task_create(
    parent: *mut Data,
    _frame: *const c_void,
    word: *mut Data,
    flags: c_int,
    _dependences: c_int,
    _code: *const c_void,
) {
    if parent.is_null() {
        // An initial task.
        return;
    }
    // SAFETY: libomp's words of tasks.
    unsafe { keep(word, task(parent).child(flags & UNDEFERRED != 0)) };
}

unsafe extern "C" fn dependences(word: *mut Data, list: *const Dependence, count: c_int) {
    // SAFETY: libomp's words of tasks.
    let Some(task) = (unsafe { held::<Task>(word) }) else {
        return;
    };
    if list.is_null() {
        return;
    }
    // SAFETY: libomp's list.
    let all = unsafe { std::slice::from_raw_parts(list, usize::try_from(count).unwrap_or(0)) };
    for Dependence { variable, kind } in all {
        let using = match kind {
            1 => Use::Reads,
            2 | 3 => Use::Writes,
            4 => Use::Excludes,
            7 => Use::Joins,
            _ => continue,
        };
        task.depends(*variable, using);
    }
}

unsafe extern "C" fn task_schedule(prior: *mut Data, status: c_int, next: *mut Data) {
    // SAFETY: libomp's words of tasks.
    let (ended, following) = unsafe { (held::<Task>(prior), held::<Task>(next)) };
    match (status, ended) {
        (COMPLETE | CANCEL, Some(task)) => {
            task.complete(following.as_ref());
            // SAFETY: as above; nobody asks for the task any more.
            unsafe { release::<Task>(prior) };
        }
        (TASKWAIT_COMPLETE, Some(task)) => {
            task.learn_from_predecessors();
            // SAFETY: as above.
            unsafe { release::<Task>(prior) };
        }
        _ => {}
    }
    if let Some(task) = following {
        task.run();
    }
}

unsafe extern "C" fn sync_region(
    kind: c_int,
    endpoint: c_int,
    _parallel: *mut Data,
    word: *mut Data,
    _code: *const c_void,
) {
    // SAFETY: libomp's words of tasks.
    let Some(task) = (unsafe { held::<Task>(word) }) else {
        return;
    };
    let begins = endpoint == Endpoint::Begin as c_int;
    match kind {
        TASKGROUP if begins => task.begin_group(),
        TASKGROUP => task.end_group(),
        _ if begins => {}
        TASKWAIT => task.waited_for_children(),
        REDUCTION => {}
        _ => task.waited_for_region(),
    }
}
