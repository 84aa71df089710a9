//! `interop` constructs (OpenMP 5.2, 14.1).
//!
//! A device offers an interop object if it has a foreign runtime (CUDA, HIP, …) to hand out. The
//! virtual GPU has none, so every object is `omp_interop_none`, which is what the specification
//! gives where nothing can be initialised; the queries say so.

use std::ffi::{CStr, c_char, c_void};

use crate::abi::Ident;
use crate::host_task::{Dependences, wait_for};

/// `omp_irc_empty`: the object is `omp_interop_none`.
const EMPTY: i32 = -1;
/// `omp_irc_other`.
const OTHER: i32 = -6;
/// The entry points' answer for an object that cannot be used.
const FAILED: i32 = -1;

/// `dep_pack_t` of the entry points of clang 22.
#[repr(C)]
#[derive(Debug)]
pub struct DependencePack {
    count: i32,
    noalias_count: i32,
    list: *const c_void,
    noalias_list: *const c_void,
}

/// # Safety
/// `pack` is null or a pack clang generated.
unsafe fn wait_for_pack(pack: *const DependencePack) {
    if pack.is_null() {
        return;
    }
    // SAFETY: caller.
    let pack = unsafe { &*pack };
    wait_for(Dependences {
        count: pack.count,
        list: pack.list,
        noalias_count: pack.noalias_count,
        noalias_list: pack.noalias_list,
    });
}

fn wait_for_list(count: i32, list: *const c_void) {
    wait_for(Dependences {
        count,
        list,
        noalias_count: 0,
        noalias_list: std::ptr::null(),
    });
}

/// `interop init`, clang 22.
///
/// # Safety
/// `dependences` is null or a pack clang generated.
pub unsafe extern "C" fn __tgt_interop_get(
    _location: *const Ident,
    _kind: i32,
    _device: i64,
    _preferences: i32,
    _preferred: *const c_void,
    _context: *const c_void,
    dependences: *const DependencePack,
) -> *mut c_void {
    // SAFETY: caller.
    unsafe { wait_for_pack(dependences) };
    std::ptr::null_mut()
}

/// `interop use`, clang 22.
///
/// # Safety
/// As [`__tgt_interop_get`].
pub unsafe extern "C" fn __tgt_interop_use60(
    _location: *const Ident,
    _object: *mut c_void,
    _context: *const c_void,
    dependences: *const DependencePack,
) -> i32 {
    // SAFETY: caller.
    unsafe { wait_for_pack(dependences) };
    FAILED
}

/// `interop destroy`, clang 22.
///
/// # Safety
/// As [`__tgt_interop_get`].
pub unsafe extern "C" fn __tgt_interop_release(
    _location: *const Ident,
    _object: *mut c_void,
    _context: *const c_void,
    dependences: *const DependencePack,
) -> i32 {
    // SAFETY: caller.
    unsafe { wait_for_pack(dependences) };
    FAILED
}

/// `interop init`, clang 21 and older.
///
/// # Safety
/// `object` is writable.
pub unsafe extern "C" fn __tgt_interop_init(
    _location: *const Ident,
    _thread: i32,
    object: *mut *mut c_void,
    _kind: i32,
    _device: i32,
    count: i32,
    list: *const c_void,
    _nowait: i32,
) {
    wait_for_list(count, list);
    // SAFETY: caller.
    unsafe { *object = std::ptr::null_mut() };
}

/// `interop use`, clang 21 and older.
pub extern "C" fn __tgt_interop_use(
    _location: *const Ident,
    _thread: i32,
    _object: *mut *mut c_void,
    _device: i32,
    count: i32,
    list: *const c_void,
    _nowait: i32,
) {
    wait_for_list(count, list);
}

/// `interop destroy`, clang 21 and older.
///
/// # Safety
/// `object` is writable.
pub unsafe extern "C" fn __tgt_interop_destroy(
    _location: *const Ident,
    _thread: i32,
    object: *mut *mut c_void,
    _device: i32,
    count: i32,
    list: *const c_void,
    _nowait: i32,
) {
    wait_for_list(count, list);
    // SAFETY: caller.
    unsafe { *object = std::ptr::null_mut() };
}

/// Nothing is ever pending on an interop object.
pub extern "C" fn __tgt_target_sync(
    _location: *const Ident,
    _thread: i32,
    _task: *mut c_void,
    _event: *mut c_void,
) -> i32 {
    0
}

/// # Safety
/// `code` is null or writable.
unsafe fn say_empty(code: *mut i32) {
    if !code.is_null() {
        // SAFETY: caller.
        unsafe { *code = EMPTY };
    }
}

/// An integer property.
///
/// # Safety
/// `code` is null or writable.
pub unsafe extern "C" fn omp_get_interop_int(
    _object: *const c_void,
    _property: i32,
    code: *mut i32,
) -> isize {
    // SAFETY: caller.
    unsafe { say_empty(code) };
    0
}

/// A pointer property.
///
/// # Safety
/// `code` is null or writable.
pub unsafe extern "C" fn omp_get_interop_ptr(
    _object: *const c_void,
    _property: i32,
    code: *mut i32,
) -> *mut c_void {
    // SAFETY: caller.
    unsafe { say_empty(code) };
    std::ptr::null_mut()
}

/// A string property.
///
/// # Safety
/// `code` is null or writable.
pub unsafe extern "C" fn omp_get_interop_str(
    _object: *const c_void,
    _property: i32,
    code: *mut i32,
) -> *const c_char {
    // SAFETY: caller.
    unsafe { say_empty(code) };
    std::ptr::null()
}

/// Names and types of the properties OpenMP defines, from `omp_ipr_fr_id` (-1) down.
const PROPERTIES: [(&CStr, &CStr); 9] = [
    (c"fr_id", c"intptr_t, the foreign runtime"),
    (c"fr_name", c"const char *, its name"),
    (c"vendor", c"intptr_t, the vendor"),
    (c"vendor_name", c"const char *, its name"),
    (c"device_num", c"intptr_t, the OpenMP device number"),
    (c"platform", c"foreign handle of the platform"),
    (c"device", c"foreign handle of the device"),
    (c"device_context", c"foreign handle of the context"),
    (c"targetsync", c"foreign handle of the queue"),
];

fn property(number: i32) -> Option<(&'static CStr, &'static CStr)> {
    PROPERTIES
        .get(usize::try_from(-1 - i64::from(number)).ok()?)
        .copied()
}

/// A property's name.
pub extern "C" fn omp_get_interop_name(_object: *const c_void, number: i32) -> *const c_char {
    property(number).map_or(std::ptr::null(), |(name, _)| name.as_ptr())
}

/// A property's type in words.
pub extern "C" fn omp_get_interop_type_desc(_object: *const c_void, number: i32) -> *const c_char {
    property(number).map_or(std::ptr::null(), |(_, kind)| kind.as_ptr())
}

/// Registers a callback for the end of an object's work: there is no object.
pub extern "C" fn ompx_interop_add_completion_callback(
    _object: *mut c_void,
    _callback: *mut c_void,
    _data: *mut c_void,
) -> i32 {
    OTHER
}
