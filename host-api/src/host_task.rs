//! The host OpenMP library (libomp), asked at run time: never linked, so that a program without it
//! works and its version does not matter.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

/// The functions of libomp used here; each may be absent.
struct HostLibrary {
    default_device: Option<extern "C" fn() -> i32>,
    global_thread: Option<extern "C" fn(*const c_void) -> i32>,
    wait_dependences: Option<WaitDependences>,
}

/// `__kmpc_omp_wait_deps(location, thread, count, list, noalias count, noalias list)`.
type WaitDependences = extern "C" fn(*const c_void, i32, i32, *const c_void, i32, *const c_void);

fn host_library() -> &'static HostLibrary {
    static LIBRARY: OnceLock<HostLibrary> = OnceLock::new();
    LIBRARY.get_or_init(|| HostLibrary {
        // SAFETY: the types are those of libomp's functions of these names.
        default_device: unsafe { symbol(c"omp_get_default_device") },
        // SAFETY: as above.
        global_thread: unsafe { symbol(c"__kmpc_global_thread_num") },
        // SAFETY: as above.
        wait_dependences: unsafe { symbol(c"__kmpc_omp_wait_deps") },
    })
}

/// # Safety
/// `T` is the type of the function called `name`.
unsafe fn symbol<T: Copy>(name: &CStr) -> Option<T> {
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

/// Dependences clang passes to `nowait` entry points, as libomp lays them out.
#[derive(Clone, Copy, Debug)]
pub struct Dependences {
    /// Number of items.
    pub count: i32,
    /// The items (`kmp_depend_info`).
    pub list: *const c_void,
    /// Number of items known not to alias.
    pub noalias_count: i32,
    /// Those.
    pub noalias_list: *const c_void,
}

/// Waits until the tasks the dependences name are done. Work that then runs to its end before the
/// entry point returns honours the dependences in both directions.
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
