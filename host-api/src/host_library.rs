//! The host OpenMP library (libomp). It is looked up at run time and never linked, so a program works without it and
//! with any version of it.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

/// The functions of libomp that this library uses; each may be absent.
pub struct HostLibrary {
    default_device: Option<extern "C" fn() -> i32>,
    /// The calling thread's global number.
    pub global_thread: Option<extern "C" fn(*const c_void) -> i32>,
    /// Makes a target task.
    pub allocate_target_task: Option<AllocateTargetTask>,
    /// Enqueues a task to run after its dependences.
    pub enqueue_task: Option<EnqueueTask>,
    wait_dependences: Option<WaitDependences>,
    allocate_task: Option<AllocateTask>,
    begin_undeferred: Option<extern "C" fn(*const c_void, i32, *mut TargetTask)>,
    complete_undeferred: Option<extern "C" fn(*const c_void, i32, *mut TargetTask)>,
    has_task_team: Option<extern "C" fn(i32) -> bool>,
    async_handle: Option<extern "C" fn(i32) -> *mut *mut c_void>,
    waiting_time: Option<extern "C" fn() -> i32>,
    set_waiting_time: Option<extern "C" fn(i32)>,
}

/// The beginning of libomp's `kmp_task_t`, and its size.
#[repr(C)]
pub struct TargetTask {
    /// The storage that the task was allocated with.
    pub shareds: *mut c_void,
    rest: [u64; 4],
}

/// A task's code: `(thread, task)`.
pub type TaskEntry = extern "C" fn(i32, *mut TargetTask) -> i32;
/// `__kmpc_omp_target_task_alloc(location, thread, flags, task size, storage size, entry, device)`.
pub type AllocateTargetTask =
    extern "C" fn(*const c_void, i32, i32, usize, usize, TaskEntry, i64) -> *mut TargetTask;
/// `__kmpc_omp_task_with_deps(location, thread, task, count, list, noalias count, noalias list)`.
pub type EnqueueTask = extern "C" fn(
    *const c_void,
    i32,
    *mut TargetTask,
    i32,
    *const c_void,
    i32,
    *const c_void,
) -> i32;

/// `__kmpc_omp_task_alloc(location, thread, flags, task size, storage size, entry)`.
type AllocateTask =
    extern "C" fn(*const c_void, i32, i32, usize, usize, TaskEntry) -> *mut TargetTask;

/// `__kmpc_omp_wait_deps(location, thread, count, list, noalias count, noalias list)`.
type WaitDependences = extern "C" fn(*const c_void, i32, i32, *const c_void, i32, *const c_void);

/// The functions of libomp in this process.
pub fn host_library() -> &'static HostLibrary {
    static LIBRARY: OnceLock<HostLibrary> = OnceLock::new();
    LIBRARY.get_or_init(|| HostLibrary {
        // SAFETY: the types are those of libomp's functions of these names.
        default_device: unsafe { symbol(c"omp_get_default_device") },
        // SAFETY: as above.
        global_thread: unsafe { symbol(c"__kmpc_global_thread_num") },
        // SAFETY: as above.
        allocate_target_task: unsafe { symbol(c"__kmpc_omp_target_task_alloc") },
        // SAFETY: as above.
        enqueue_task: unsafe { symbol(c"__kmpc_omp_task_with_deps") },
        // SAFETY: as above.
        wait_dependences: unsafe { symbol(c"__kmpc_omp_wait_deps") },
        // SAFETY: as above.
        allocate_task: unsafe { symbol(c"__kmpc_omp_task_alloc") },
        // SAFETY: as above.
        begin_undeferred: unsafe { symbol(c"__kmpc_omp_task_begin_if0") },
        // SAFETY: as above.
        complete_undeferred: unsafe { symbol(c"__kmpc_omp_task_complete_if0") },
        // SAFETY: as above.
        has_task_team: unsafe { symbol(c"__kmpc_omp_has_task_team") },
        // SAFETY: as above.
        async_handle: unsafe { symbol(c"__kmpc_omp_get_target_async_handle_ptr") },
        // SAFETY: as above.
        waiting_time: unsafe { symbol(c"kmp_get_blocktime") },
        // SAFETY: as above.
        set_waiting_time: unsafe { symbol(c"kmp_set_blocktime") },
    })
}

/// A function of the process, by its name.
///
/// # Safety
/// `T` is the type of the function called `name`.
pub unsafe fn symbol<T: Copy>(name: &CStr) -> Option<T> {
    const { assert!(size_of::<T>() == size_of::<*mut c_void>()) };
    // SAFETY: looking a name up in the process has no preconditions.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if address.is_null() {
        return None;
    }
    // SAFETY: a function of type `T` lies there (caller), and `T` is pointer-sized.
    Some(unsafe { std::mem::transmute_copy(&address) })
}

/// The default device of the calling thread (`omp_set_default_device`, `OMP_DEFAULT_DEVICE`).
pub fn default_device() -> Option<i32> {
    host_library().default_device.map(|function| function())
}

/// Milliseconds for which libomp's threads look for work before they sleep, if the user says nothing.
const USUAL_WAITING_TIME: i32 = 200;
/// The same beside a device that runs on the host's CPUs. It is many times what waking a thread takes.
const SHORT_WAITING_TIME: i32 = 1;

/// Lets the threads of parallel regions that the calling thread begins from now on sleep soon after them, as a device
/// wants the CPUs. What the user has chosen (`KMP_BLOCKTIME`, `OMP_WAIT_POLICY`, `kmp_set_blocktime`) stays.
pub fn share_cpus() {
    let library = host_library();
    let (Some(get), Some(set)) = (library.waiting_time, library.set_waiting_time) else {
        return;
    };
    let is_chosen = std::env::var_os("KMP_BLOCKTIME").is_some_and(|value| !value.is_empty());
    if !is_chosen && get() == USUAL_WAITING_TIME {
        set(SHORT_WAITING_TIME);
    }
}

/// The word in a task that holds the handle of its construct in flight.
#[derive(Clone, Copy, Debug)]
pub struct TaskHandle(NonNull<*mut c_void>);

impl TaskHandle {
    /// The handle at `pointer`; `None` if that is null.
    ///
    /// # Safety
    /// A pointer that is not null stays valid for the task's life.
    pub unsafe fn new(pointer: *mut *mut c_void) -> Option<TaskHandle> {
        NonNull::new(pointer).map(TaskHandle)
    }

    /// The value of the handle.
    pub fn get(self) -> *mut c_void {
        // SAFETY: `TaskHandle::new`; the task is executed by this thread alone.
        unsafe { self.0.read() }
    }

    /// Sets the handle. Null means that the task does not wait any more.
    pub fn set(self, value: *const c_void) {
        // SAFETY: as in `get`.
        unsafe { self.0.write(value.cast_mut()) };
    }
}

/// The handle of the target task that the calling thread runs, if libomp lets the task wait.
///
/// libomp gives a waiting task to its threads again. That is sound only where hidden helper threads execute target
/// tasks. A task that the encountering thread executes at once does not count among its parent's tasks, so nobody would
/// wait for it.
pub fn task_handle() -> Option<TaskHandle> {
    let library = host_library();
    let thread = library.global_thread?(std::ptr::null());
    if !(1..=hidden_helpers()).contains(&thread) || !library.has_task_team?(thread) {
        return None;
    }
    // SAFETY: libomp's handles lie in their tasks.
    let handle = unsafe { TaskHandle::new(library.async_handle?(thread)) };
    handle.filter(|handle| handle.get().is_null())
}

/// Lets the helper threads find tasks anywhere in each other's queues. The calling thread is one of them.
///
/// A task that waits keeps the locks of its `mutexinoutset` dependences. libomp looks for tasks at the ends of queues
/// only. Where the tasks there want such a lock, it never finds the one that holds it, and all of them wait for ever.
/// libomp looks into whole queues of other threads once a thread of the team has made an untied task
/// (`tt_untied_task_encountered` in its `kmp_tasking.cpp`). Target tasks are untied, but other teams make them. So this
/// makes one, which does nothing and is complete at once. It takes less than a microsecond.
pub fn search_whole_queues() {
    /// Untied.
    const FLAGS: i32 = 0;
    extern "C" fn nothing(_thread: i32, _task: *mut TargetTask) -> i32 {
        0
    }
    let library = host_library();
    let (Some(thread), Some(allocate), Some(begin), Some(complete)) = (
        library.global_thread,
        library.allocate_task,
        library.begin_undeferred,
        library.complete_undeferred,
    ) else {
        return;
    };
    let (location, thread) = (std::ptr::null(), thread(std::ptr::null()));
    let task = allocate(location, thread, FLAGS, size_of::<TargetTask>(), 0, nothing);
    begin(location, thread, task);
    complete(location, thread, task);
}

/// The number of libomp's threads that execute target tasks: its hidden helpers but the one that leads them.
pub fn task_helpers() -> usize {
    (hidden_helpers() - 1).max(0) as usize
}

/// The number of libomp's hidden helper threads. They have the first global numbers after the initial thread.
fn hidden_helpers() -> i32 {
    static HELPERS: OnceLock<i32> = OnceLock::new();
    *HELPERS.get_or_init(|| hidden_helpers_by(|name| std::env::var(name).ok()))
}

/// The number of hidden helper threads, as environment variables say.
fn hidden_helpers_by(variable: impl Fn(&str) -> Option<String>) -> i32 {
    /// Unless the environment says otherwise.
    const DEFAULT: i32 = 8;
    let off = [
        "0", "false", "no", "off", "disabled", ".false.", ".f.", "f", "n",
    ];
    let used = variable("LIBOMP_USE_HIDDEN_HELPER_TASK").unwrap_or_default();
    if off.contains(&used.trim().to_ascii_lowercase().as_str()) {
        return 0;
    }
    let count = variable("LIBOMP_NUM_HIDDEN_HELPER_THREADS");
    match count.and_then(|count| count.trim().parse().ok()) {
        None => DEFAULT,
        Some(0) => 0,
        // libomp adds the thread that leads them. It is one of the default number.
        Some(count) => count + 1,
    }
}

/// Dependences that clang passes to `nowait` entry points, in libomp's layout.
#[derive(Clone, Copy, Debug)]
pub struct Dependences {
    /// Number of items.
    pub count: i32,
    /// The items (`kmp_depend_info`).
    pub list: *const c_void,
    /// Number of items that are known not to alias.
    pub noalias_count: i32,
    /// Those.
    pub noalias_list: *const c_void,
}

/// Waits for the tasks that the dependences name. Work that completes before the entry point returns then honours the
/// dependences in both directions.
pub fn wait_for(dependences: Dependences) {
    if dependences.count <= 0 && dependences.noalias_count <= 0 {
        return;
    }
    let library = host_library();
    if let (Some(thread), Some(wait)) = (library.global_thread, library.wait_dependences) {
        wait(
            std::ptr::null(),
            thread(std::ptr::null()),
            dependences.count.max(0),
            dependences.list,
            dependences.noalias_count.max(0),
            dependences.noalias_list,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_as_the_environment_says() {
        let of = |used: Option<&str>, count: Option<&str>| {
            hidden_helpers_by(|name| {
                let value = if name.contains("NUM") { count } else { used };
                value.map(str::to_owned)
            })
        };
        assert_eq!(of(None, None), 8);
        assert_eq!(of(Some("1"), Some("3")), 4);
        assert_eq!(of(Some(" FALSE"), Some("3")), 0);
        assert_eq!(of(None, Some("0")), 0);
    }
}
