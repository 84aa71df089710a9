//! Target tasks that the runtime itself makes, as clang makes those of constructs with `nowait`.

use std::ffi::c_void;

use crate::host_library::{Dependences, host_library};

/// What a task does.
pub type Body = Box<dyn FnOnce()>;

/// The beginning of libomp's `kmp_task_t`, and its size.
#[repr(C)]
pub struct Task {
    /// The task's own storage.
    shareds: *mut *mut Body,
    rest: [u64; 4],
}

/// A task's code: `(thread, task)`.
pub type Entry = extern "C" fn(i32, *mut Task) -> i32;
/// `__kmpc_omp_target_task_alloc(location, thread, flags, task size, storage size, entry, device)`.
pub type Allocate = extern "C" fn(*const c_void, i32, i32, usize, usize, Entry, i64) -> *mut Task;
/// `__kmpc_omp_task_with_deps(location, thread, task, count, list, noalias count, noalias list)`.
pub type Enqueue =
    extern "C" fn(*const c_void, i32, *mut Task, i32, *const c_void, i32, *const c_void) -> i32;

/// The task is tied; libomp makes target tasks untied itself.
const TIED: i32 = 1;

/// Makes a task of `body` for libomp to run after what it depends on. Gives the body back if there is no libomp.
pub fn spawn(device: i32, dependences: Dependences, body: Body) -> Result<(), Body> {
    let library = host_library();
    let (Some(thread), Some(allocate), Some(enqueue)) = (
        library.global_thread,
        library.allocate_target_task,
        library.enqueue_task,
    ) else {
        return Err(body);
    };
    let (location, thread) = (std::ptr::null(), thread(std::ptr::null()));
    let sizes = (size_of::<Task>(), size_of::<*mut Body>());
    let task = allocate(location, thread, TIED, sizes.0, sizes.1, run, device.into());
    // SAFETY: the task was made with storage for one pointer, and nobody else has it yet.
    unsafe { (*task).shareds.write(Box::into_raw(Box::new(body))) };
    enqueue(
        location,
        thread,
        task,
        dependences.count,
        dependences.list,
        dependences.noalias_count,
        dependences.noalias_list,
    );
    Ok(())
}

extern "C" fn run(_thread: i32, task: *mut Task) -> i32 {
    // SAFETY: `spawn` left a body there, and a task is run once.
    let body = unsafe { Box::from_raw((*task).shareds.read()) };
    body();
    0
}
