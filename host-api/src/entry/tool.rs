//! libomp's question for a tool (OMPT; OpenMP 5.2, §19.2.1).

use std::ffi::{c_char, c_uint};

use crate::check::{tasks, wanted};
use crate::ompt::StartToolResult;

/// Answers that this library is a tool while races are looked for. Otherwise the next library is asked.
///
/// # Safety
/// The caller is libomp.
pub unsafe extern "C" fn ompt_start_tool(
    version: c_uint,
    runtime: *const c_char,
) -> *mut StartToolResult {
    if wanted().race {
        return tasks::tool();
    }
    type Start = unsafe extern "C" fn(c_uint, *const c_char) -> *mut StartToolResult;
    // SAFETY: looking a name up has no preconditions.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"ompt_start_tool".as_ptr()) };
    if next.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: OMPT's function of this name has this type.
    let next: Start = unsafe { std::mem::transmute(next) };
    // SAFETY: the caller's arguments.
    unsafe { next(version, runtime) }
}
