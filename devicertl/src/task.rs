//! Tasks. All are undeferred: the thread that meets a task runs it there and then, which the standard
//! allows (OpenMP 5.2, §12.5) and which satisfies every dependence, `taskwait` and `taskgroup`.

use core::ffi::c_void;

use crate::Ident;
use crate::arch;
use crate::nest::Nest;
use crate::private::{self, Kind};

/// The head of clang's task structure; private variables follow it.
#[repr(C)]
#[derive(Debug)]
pub struct Task {
    shareds: *mut c_void,
    routine: Routine,
    part: i32,
    /// Destructor thunk, if the flags say so.
    destructors: Option<Routine>,
    priority: *mut c_void,
    /// `taskloop` only: bounds, stride, whether this is the last.
    lower: u64,
    upper: u64,
    stride: i64,
    is_last: i32,
}

type Routine = unsafe extern "C" fn(i32, *mut Task) -> i32;
/// Copies a task's private variables: `(to, from, is last)`.
type Duplicate = unsafe extern "C" fn(*mut Task, *mut Task, i32);

/// What the runtime keeps before a task.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Header {
    bytes: usize,
    flags: i32,
}

/// `kmp_tasking_flags`: `final`.
const FINAL: i32 = 0x2;
/// `kmp_tasking_flags`: there is a destructor thunk.
const DESTRUCTORS: i32 = 0x8;

fn allocate(header: Header) -> *mut Task {
    let block = arch::allocate(size_of::<Header>() + header.bytes).cast::<Header>();
    if block.is_null() {
        arch::trap(c"out of device heap: no memory for a task");
    }
    // SAFETY: fresh memory, large enough.
    unsafe {
        block.write(header);
        block.add(1).cast()
    }
}

unsafe fn header_of(task: *mut Task) -> *mut Header {
    // SAFETY: `allocate` put it there.
    unsafe { task.cast::<Header>().sub(1) }
}

unsafe fn finish(thread: i32, task: *mut Task) {
    // SAFETY: a live task of `allocate`; clang fills the thunk in when the flags say so.
    unsafe {
        let header = header_of(task);
        if (*header).flags & DESTRUCTORS != 0
            && let Some(destructors) = (*task).destructors
        {
            destructors(thread, task);
        }
        arch::release(header.cast());
    }
}

unsafe fn run(thread: i32, task: *mut Task) {
    // SAFETY: a live task, whose routine takes it.
    unsafe {
        let is_final = (*header_of(task)).flags & FINAL != 0;
        if is_final {
            private::push(Kind::FinalTask, |_| ());
        }
        ((*task).routine)(thread, task);
        if is_final {
            private::pop();
        }
    }
}

/// Makes a task: `bytes` with its private variables, then its shared references.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_alloc(
    _location: *const Ident,
    _thread: i32,
    flags: i32,
    bytes: usize,
    shared_bytes: usize,
    routine: Routine,
) -> *mut Task {
    let bytes = bytes.next_multiple_of(16);
    let task = allocate(Header {
        bytes: bytes + shared_bytes,
        flags,
    });
    // SAFETY: fresh; the head of the structure is there whatever its kind.
    unsafe {
        (*task).shareds = task.cast::<u8>().add(bytes).cast();
        (*task).routine = routine;
        (*task).part = 0;
    }
    task
}

/// Makes a task for a `target nowait`; there is none inside a target region, so a task like any other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_target_task_alloc(
    location: *const Ident,
    thread: i32,
    flags: i32,
    bytes: usize,
    shared_bytes: usize,
    routine: Routine,
    _device: i64,
) -> *mut Task {
    // SAFETY: the caller's promise.
    unsafe { __kmpc_omp_task_alloc(location, thread, flags, bytes, shared_bytes, routine) }
}

/// Runs a task.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task(
    _location: *const Ident,
    thread: i32,
    task: *mut Task,
) -> i32 {
    // SAFETY: a task of `__kmpc_omp_task_alloc`.
    unsafe {
        run(thread, task);
        finish(thread, task);
    }
    0
}

/// Runs a task; what it depends on has run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_with_deps(
    location: *const Ident,
    thread: i32,
    task: *mut Task,
    _count: i32,
    _depends: *mut c_void,
    _noalias_count: i32,
    _noalias: *mut c_void,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { __kmpc_omp_task(location, thread, task) }
}

/// Begin of a task with a false `if`, which clang calls itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_begin_if0(
    _location: *const Ident,
    _thread: i32,
    task: *mut Task,
) {
    // SAFETY: a task of `__kmpc_omp_task_alloc`.
    if unsafe { (*header_of(task)).flags } & FINAL != 0 {
        private::push(Kind::FinalTask, |_| ());
    }
}

/// End of such a task.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_complete_if0(
    _location: *const Ident,
    thread: i32,
    task: *mut Task,
) {
    // SAFETY: a task of `__kmpc_omp_task_alloc`.
    unsafe {
        if (*header_of(task)).flags & FINAL != 0 {
            private::pop();
        }
        finish(thread, task);
    }
}

/// Whether a final task is running. Tasks of a region do not outlive it, so only this region counts.
#[unsafe(no_mangle)]
pub extern "C" fn omp_in_final() -> i32 {
    (Nest::load().has_private() && private::find_here(Kind::FinalTask).is_some()).into()
}

/// `taskloop`: one task with all iterations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskloop(
    _location: *const Ident,
    thread: i32,
    task: *mut Task,
    _condition: i32,
    _lower: *const u64,
    _upper: *const u64,
    _stride: i64,
    _no_group: i32,
    _schedule: i32,
    _grain: u64,
    duplicate: Option<Duplicate>,
) {
    // clang has put the bounds into the task already; `_lower` and `_upper` point there.
    // SAFETY: a task of `__kmpc_omp_task_alloc`, made for a taskloop.
    unsafe {
        (*task).is_last = 1;
        if let Some(duplicate) = duplicate {
            // The function that copies private variables also readies those that are not copied.
            let copy = allocate(*header_of(task));
            let bytes = (*header_of(task)).bytes;
            copy.cast::<u8>()
                .copy_from_nonoverlapping(task.cast(), bytes);
            let shift = (copy as usize).wrapping_sub(task as usize);
            (*copy).shareds = ((*task).shareds as usize).wrapping_add(shift) as *mut c_void;
            duplicate(copy, task, 1);
            run(thread, copy);
            finish(thread, copy);
        } else {
            run(thread, task);
        }
        finish(thread, task);
    }
}

/// `taskloop` with the `strict` modifier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskloop_5(
    location: *const Ident,
    thread: i32,
    task: *mut Task,
    condition: i32,
    lower: *const u64,
    upper: *const u64,
    stride: i64,
    no_group: i32,
    schedule: i32,
    grain: u64,
    _modifier: i32,
    duplicate: Option<Duplicate>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        __kmpc_taskloop(
            location, thread, task, condition, lower, upper, stride, no_group, schedule, grain,
            duplicate,
        );
    }
}

/// `taskwait`: all tasks have run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_taskwait(_location: *const Ident, _thread: i32) -> i32 {
    0
}

/// `taskyield`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_taskyield(
    _location: *const Ident,
    _thread: i32,
    _end: i32,
) -> i32 {
    0
}

/// `taskwait depend(...)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_wait_deps(
    _location: *const Ident,
    _thread: i32,
    _count: i32,
    _depends: *mut c_void,
    _noalias_count: i32,
    _noalias: *mut c_void,
) {
}

/// `taskwait depend(...) nowait`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_taskwait_deps_51(
    _location: *const Ident,
    _thread: i32,
    _count: i32,
    _depends: *mut c_void,
    _noalias_count: i32,
    _noalias: *mut c_void,
    _nowait: i32,
) {
}

/// `taskgroup`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskgroup(_location: *const Ident, _thread: i32) {}

/// End of `taskgroup`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_taskgroup(_location: *const Ident, _thread: i32) {}

/// `task_reduction`: tasks run one after the other in their thread, so they may use the variable itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskred_init(
    _thread: i32,
    _count: i32,
    data: *mut c_void,
) -> *mut c_void {
    data
}

/// `reduction(task, ...)`: each thread's tasks use the thread's private copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskred_modifier_init(
    _location: *const Ident,
    _thread: i32,
    _is_loop: i32,
    _count: i32,
    data: *mut c_void,
) -> *mut c_void {
    data
}

/// Ends it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_modifier_fini(
    _location: *const Ident,
    _thread: i32,
    _is_loop: i32,
) {
}

/// The variable a task reduces into: the one it names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_get_th_data(
    _thread: i32,
    _group: *mut c_void,
    item: *mut c_void,
) -> *mut c_void {
    item
}
