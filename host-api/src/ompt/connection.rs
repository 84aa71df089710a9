//! How a tool's callbacks get here: LLVM's libomp 15 and later have `ompt_libomp_connect`, which calls back if there is a tool
//! that wants to hear of devices.

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::abi::{Callbacks, Data, GetCallback, GetTaskData, Lookup, StartToolResult};
use crate::host_library;

/// Whether there is a tool.
static ENABLED: AtomicBool = AtomicBool::new(false);

/// Whether the exported symbols (`exports.rs`) note who calls them: until it is known that there is no tool.
pub static NOTES_CALLERS: AtomicBool = AtomicBool::new(true);

/// The tool's callbacks.
static CALLBACKS: OnceLock<Callbacks> = OnceLock::new();

/// What libomp knows of tasks.
static TASKS: OnceLock<Tasks> = OnceLock::new();

#[derive(Clone, Copy)]
struct Tasks {
    task_data: Option<GetTaskData>,
    target_task_data: Option<GetTaskData>,
}

/// The tool's callbacks, if there is a tool.
pub(super) fn tool() -> Option<&'static Callbacks> {
    if !ENABLED.load(Ordering::Acquire) {
        return None;
    }
    CALLBACKS.get()
}

thread_local! {
    /// Where the program called the entry point that this thread is in.
    static CALLER: Cell<*const c_void> = const { Cell::new(std::ptr::null()) };
}

/// Connects to libomp, once. The tool may ask this library things: nothing may be locked.
pub fn connect() {
    static TRIED: AtomicBool = AtomicBool::new(false);
    if TRIED.swap(true, Ordering::Relaxed) {
        return;
    }
    connect_to_libomp();
    NOTES_CALLERS.store(ENABLED.load(Ordering::Relaxed), Ordering::Relaxed);
}

fn connect_to_libomp() {
    type Connect = unsafe extern "C" fn(*mut StartToolResult);
    // SAFETY: libomp's function of this name has this type.
    let Some(connect) = (unsafe { host_library::symbol::<Connect>(c"ompt_libomp_connect") }) else {
        return;
    };
    /// libomp keeps the pointer until it ends, and may write to what it points at; nobody else touches it.
    static mut RESULT: StartToolResult = StartToolResult {
        initialize,
        finalize,
        tool_data: 0,
    };
    // SAFETY: the structure stays, and is libomp's from here on.
    unsafe { connect(&raw mut RESULT) };
}

/// Called by libomp if there is a tool.
///
/// # Safety
/// `lookup` is libomp's.
unsafe extern "C" fn initialize(lookup: Lookup, _host: c_int, _data: *mut Data) -> c_int {
    // SAFETY: caller; the types are those of libomp's functions of these names.
    let (get_callback, tasks) = unsafe {
        let tasks = Tasks {
            task_data: function(lookup, c"ompt_get_task_data"),
            target_task_data: function(lookup, c"ompt_get_target_task_data"),
        };
        (function::<GetCallback>(lookup, c"ompt_get_callback"), tasks)
    };
    if let Some(get) = get_callback {
        TASKS.get_or_init(|| tasks);
        // SAFETY: libomp's `ompt_get_callback`.
        CALLBACKS.get_or_init(|| unsafe { Callbacks::get(get) });
        ENABLED.store(true, Ordering::Release);
    }
    0
}

/// Called by libomp when it ends, after the tool was told that all is over.
extern "C" fn finalize(_data: *mut Data) {
    NOTES_CALLERS.store(false, Ordering::Relaxed);
    ENABLED.store(false, Ordering::Release);
}

/// # Safety
/// `lookup` is libomp's, and `T` the type of its function called `name`.
unsafe fn function<T>(lookup: Lookup, name: &CStr) -> Option<T> {
    const { assert!(size_of::<T>() == size_of::<*const c_void>()) };
    // SAFETY: caller; the name is a C string.
    let address = unsafe { lookup(name.as_ptr()) };
    // SAFETY: a function of type `T` (caller), and `T` is pointer-sized.
    (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
}

/// The data of the calling thread's task, and of the target task it belongs to; null where there is none.
pub(super) fn task_data() -> (*mut Data, *mut Data) {
    // SAFETY: libomp's functions have no preconditions.
    let ask = |get: Option<GetTaskData>| get.map_or(std::ptr::null_mut(), |get| unsafe { get() });
    TASKS
        .get()
        .map_or((std::ptr::null_mut(), std::ptr::null_mut()), |tasks| {
            (ask(tasks.task_data), ask(tasks.target_task_data))
        })
}

/// Remembers where the program called an entry point; called by the exported symbols if there is a tool.
pub extern "C" fn note_caller(address: *const c_void) {
    // Threads that end may call in once more: then it does not matter.
    let _ended = CALLER.try_with(|caller| caller.set(address));
}

/// Where the program called the entry point that this thread is in.
pub(super) fn caller() -> *const c_void {
    CALLER.try_with(Cell::get).unwrap_or(std::ptr::null())
}
