//! The connection to libomp that provides a tool's callbacks. LLVM's libomp 15 and later have `ompt_libomp_connect`,
//! which calls back if there is a tool that registered for device events.

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::abi::{Callbacks, Data, GetCallback, GetTaskData, Lookup, StartToolResult};
use crate::host_library;

/// Whether there is a tool.
static ENABLED: AtomicBool = AtomicBool::new(false);

/// Whether the exported symbols (`entry/exports/mod.rs`) store their callers: true until it is known that there is
/// no tool.
pub static NOTES_CALLERS: AtomicBool = AtomicBool::new(true);

/// The tool's callbacks.
static CALLBACKS: OnceLock<Callbacks> = OnceLock::new();

/// libomp's functions for the data of tasks.
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

/// Connects to libomp, once. The tool may call this library meanwhile, so the caller must hold no lock.
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
    /// libomp keeps the pointer until it ends and may write to the structure. Nobody else uses it.
    static mut RESULT: StartToolResult = StartToolResult {
        initialize,
        finalize,
        tool_data: 0,
    };
    // SAFETY: the structure is static and only libomp uses it from here on.
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

/// Called by libomp when it ends, after it has finalised the tool.
extern "C" fn finalize(_data: *mut Data) {
    NOTES_CALLERS.store(false, Ordering::Relaxed);
    ENABLED.store(false, Ordering::Release);
}

/// A function of libomp's.
///
/// # Safety
/// `lookup` is libomp's, and `T` the type of its function called `name`.
pub unsafe fn function<T>(lookup: Lookup, name: &CStr) -> Option<T> {
    const { assert!(size_of::<T>() == size_of::<*const c_void>()) };
    // SAFETY: caller; the name is a C string.
    let address = unsafe { lookup(name.as_ptr()) };
    // SAFETY: a function of type `T` (caller), and `T` is pointer-sized.
    (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
}

/// The data of the calling thread's task and of its target task; null if there is none.
pub(super) fn task_data() -> (*mut Data, *mut Data) {
    // SAFETY: libomp's functions have no preconditions.
    let ask = |get: Option<GetTaskData>| get.map_or(std::ptr::null_mut(), |get| unsafe { get() });
    TASKS
        .get()
        .map_or((std::ptr::null_mut(), std::ptr::null_mut()), |tasks| {
            (ask(tasks.task_data), ask(tasks.target_task_data))
        })
}

/// Stores where the program called an entry point. The exported symbols call it if there is a tool.
pub extern "C" fn note_caller(address: *const c_void) {
    // A thread that ends may call an entry point once more. Then the caller does not matter.
    let _ended = CALLER.try_with(|caller| caller.set(address));
}

/// Where the program called the entry point that this thread is in.
pub(super) fn caller() -> *const c_void {
    CALLER.try_with(Cell::get).unwrap_or(std::ptr::null())
}
