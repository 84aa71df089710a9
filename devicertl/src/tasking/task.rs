//! Explicit tasks. The thread that meets a task runs it there and then, which the standard allows for any task
//! (OpenMP 5.2, §12.5: a task "may be executed immediately"). Tasks that cannot be complete yet are in
//! [`incomplete_tasks`](crate::tasking::incomplete_tasks).
//!
//! What a program pays depends on what it has code for ([`StickyFlag`](crate::sticky_flag::StickyFlag)): where nothing asks which task a thread is in,
//! and no task can be incomplete, a task is memory, a call of its routine, and the memory's end. The optimiser sees all three in one
//! place, so that of a short task only its body is left.

use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};
use core::ffi::c_void;
use core::mem::MaybeUninit;

use crate::Ident;
use crate::arch;
use crate::memory::heap;
use crate::tasking::incomplete_tasks::{self, Dependence};
use crate::team::thread_state::{self, Kind, Node};

/// The head of clang's task structure (`kmp_task_t`); private variables follow it.
#[repr(C)]
#[derive(Debug)]
pub struct Task {
    /// References to shared variables, in the same block of memory.
    pub shareds: *mut c_void,
    routine: Option<Routine>,
    part: i32,
    /// Destructor thunk, if the flags say so.
    destructors: Option<Routine>,
    priority: *mut c_void,
    /// `taskloop` only: bounds, stride, whether this is the last.
    pub lower: u64,
    /// See `lower`.
    pub upper: u64,
    stride: i64,
    /// See `lower`.
    pub is_last: i32,
}

type Routine = unsafe extern "C" fn(i32, *mut Task) -> i32;

/// How far a task has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Not begun.
    Created,
    /// A thread is in it.
    Running,
    /// Its routine asked to be called once more: clang cuts untied tasks into parts at scheduling points.
    Again,
    /// Its routine has returned.
    Done,
}

/// What the runtime keeps before a task.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct Header {
    /// The thread's thread state that says it runs the task.
    pub node: MaybeUninit<Node>,
    /// Whether there is such a thing, of a task with a false `if`.
    has_node: bool,
    /// Of clang's structure with everything after it.
    pub bytes: usize,
    /// `kmp_tasking_flags`.
    pub flags: i32,
    /// How far it has come.
    pub stage: Stage,
    /// `detach`: see [`EVENT_OPEN`].
    pub event: AtomicU32,
    /// For [`incomplete_tasks`], which writes it before anything reads it.
    pub entry: MaybeUninit<incomplete_tasks::Entry>,
}

/// `kmp_tasking_flags`: `final`.
const FINAL: i32 = 0x2;
/// `kmp_tasking_flags`: there is a destructor thunk.
const DESTRUCTORS: i32 = 0x8;

/// Values of [`Header::event`]: not detachable, to be fulfilled, fulfilled.
const EVENT_NONE: u32 = 0;
const EVENT_OPEN: u32 = 1;
const EVENT_FULFILLED: u32 = 2;

impl Header {
    /// Whether an event keeps the task from being complete.
    #[inline(always)]
    pub fn is_detached(&self) -> bool {
        if !incomplete_tasks::DETACHED.get() {
            return false;
        }
        let open = self.event.load(Relaxed) == EVENT_OPEN;
        arch::fence_device();
        open
    }
}

/// Memory for a task of `bytes`.
#[inline(always)]
pub fn allocate(bytes: usize, flags: i32) -> *mut Task {
    let block = heap::need(size_of::<Header>() + bytes, heap::purpose!("a task")).cast::<Header>();
    // SAFETY: fresh memory, large enough. (Field by field: the whole would be written with the parts that need no value.)
    unsafe {
        (&raw mut (*block).has_node).write(false);
        (&raw mut (*block).bytes).write(bytes);
        (&raw mut (*block).flags).write(flags);
        (&raw mut (*block).stage).write(Stage::Created);
        (&raw mut (*block).event).write(AtomicU32::new(EVENT_NONE));
        block.add(1).cast()
    }
}

/// # Safety
/// A live task of [`allocate`].
#[inline(always)]
pub unsafe fn header_of(task: *mut Task) -> *mut Header {
    // SAFETY: `allocate` put it there.
    unsafe { task.cast::<Header>().sub(1) }
}

/// Whether a final task is running. What regions have begun inside of one is not final.
fn in_final() -> bool {
    // SAFETY: the node is this thread's own.
    thread_state::find_here(Kind::Task).is_some_and(|node| unsafe { (*node).is_final })
}

/// Whether the program needs to know which task a thread is in.
#[inline(always)]
fn has_node() -> bool {
    thread_state::OF_TASKS.is_possible() || incomplete_tasks::DETACHED.is_possible()
}

/// Says that the thread is in the task.
#[inline(never)]
unsafe fn begin_node(header: *mut Header) {
    // SAFETY: a live task; its node is in use until `end_node`.
    unsafe {
        // All tasks that a final task generates are final (OpenMP 5.2, §12.3).
        let is_final = (*header).flags & FINAL != 0 || in_final();
        thread_state::push_in((*header).node.as_mut_ptr(), Kind::Task, |node| {
            node.is_final = is_final;
        });
    }
}

#[inline(never)]
unsafe fn end_node(header: *mut Header) {
    // SAFETY: a task that has begun.
    unsafe { incomplete_tasks::orphan((*header).node.as_mut_ptr()) };
    thread_state::end_task();
}

/// Not inlined: openmp-opt takes every function whose address is known for a possible target of every indirect call, so there
/// are to be few such calls.
#[inline(never)]
unsafe fn destroy(thread: i32, task: *mut Task) {
    // SAFETY: a live task; clang fills the thunk in when the flags say so.
    unsafe {
        if let Some(destructors) = (*task).destructors {
            destructors(thread, task);
        }
    }
}

/// Runs a task from begin to end. What does not change while its code runs is read before, where the optimiser still knows it.
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

/// Runs a task's code where the program needs to know which task a thread is in. Not inlined, for [`destroy`]'s reason: such tasks
/// are not taken apart by the optimiser, and with a call through a pointer for each, openmp-opt took minutes for a file of tasks.
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
unsafe fn run_rest(thread: i32, task: *mut Task) {
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

/// Gives back a task.
///
/// # Safety
/// A live task that is not used again.
#[inline(always)]
pub unsafe fn release(task: *mut Task) {
    // SAFETY: the caller's promise.
    unsafe { arch::release(header_of(task).cast()) }
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
    let bytes = bytes.next_multiple_of(16);
    let task = allocate(bytes + shared_bytes, flags);
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
    incomplete_tasks::DETACHED.set();
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

/// Runs a task from begin to end, and ends its memory unless an event keeps it from being complete.
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
        if incomplete_tasks::DETACHED.get() && incomplete_tasks::must_wait(depends, count) {
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
    if incomplete_tasks::DETACHED.get() {
        incomplete_tasks::complete_children();
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
    if incomplete_tasks::DETACHED.get() {
        incomplete_tasks::advance();
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
    if incomplete_tasks::DETACHED.get() {
        // SAFETY: `count` dependences.
        unsafe { incomplete_tasks::wait_for(depends, count as usize) }
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
        if !incomplete_tasks::DETACHED.get() {
            return;
        }
        if no_wait == 0 {
            incomplete_tasks::wait_for(depends, count as usize);
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
    thread_state::find_here(Kind::Task).is_some().into()
}
