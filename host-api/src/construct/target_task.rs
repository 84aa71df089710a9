//! Target tasks made by the runtime, like those that clang makes for constructs with `nowait`.

use crate::host_library::{Dependences, TargetTask, host_library};

/// The code of a task.
pub type Body = Box<dyn FnOnce()>;

/// A tied task. libomp itself makes target tasks untied.
const TIED: i32 = 1;

/// Makes a task of `body`, which libomp runs after its dependences. Returns the body if there is no libomp.
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
    let sizes = (size_of::<TargetTask>(), size_of::<*mut Body>());
    let task = allocate(location, thread, TIED, sizes.0, sizes.1, run, device.into());
    // SAFETY: the task has storage for one pointer, and nobody else has the task yet.
    unsafe {
        (*task)
            .shareds
            .cast::<*mut Body>()
            .write(Box::into_raw(Box::new(body)))
    };
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

extern "C" fn run(_thread: i32, task: *mut TargetTask) -> i32 {
    // SAFETY: `spawn` stored a body there, and a task runs once.
    let body = unsafe { Box::from_raw((*task).shareds.cast::<*mut Body>().read()) };
    body();
    0
}
