//! `interop` constructs (OpenMP 5.2, 14.1).

use std::ffi::c_void;
use std::sync::Arc;

use bitflags::bitflags;

use crate::abi::Ident;
use crate::construct::context::Construct;
use crate::device::interop_object::{self as objects, Interop, Kind};
use crate::device::omp_device::Target;
use crate::entry::ident;
use crate::entry::interop_properties::Code;
use crate::host_library::{Dependences, wait_for};
use crate::report::error::warn;
use crate::report::source_location::SourceIdent;
use crate::runtime::runtime;

/// Results of the entry points.
const DONE: i32 = 0;
const FAILED: i32 = -1;

/// `dep_pack_t` of LLVM 22's library.
#[repr(C)]
#[derive(Debug)]
pub struct DependencePack {
    count: i32,
    list: *const c_void,
    noalias_count: i32,
    noalias_list: *const c_void,
}

bitflags! {
    /// The flags of an [`InteropContext`].
    #[repr(transparent)]
    #[derive(Clone, Copy, Debug)]
    struct InteropFlags: u32 {
        /// A `dispatch` construct asks for the object, not an `interop` construct.
        const IMPLICIT = 1;
        /// The construct has `nowait`.
        const NOWAIT = 2;
        /// Flags without effect in this library.
        const _ = !0;
    }
}

/// `interop_ctx_t` of LLVM 22's library.
#[repr(C)]
#[derive(Debug)]
pub struct InteropContext {
    version: u32,
    flags: InteropFlags,
    thread: i32,
}

/// # Safety
/// `pack` is null or a pack as LLVM's library takes it.
unsafe fn wait_for_pack(pack: *const DependencePack) {
    // SAFETY: caller.
    let Some(pack) = (unsafe { pack.as_ref() }) else {
        return;
    };
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

/// `interop init`. Returns `omp_interop_none` if there is no device for an object, as the specification requires.
fn init(ident: SourceIdent, kind: i32, number: i64, implicit: Option<i32>) -> *mut c_void {
    let runtime = runtime();
    let construct = Construct::new("interop init", ident);
    let Some(kind) = Kind::from_number(kind) else {
        return std::ptr::null_mut();
    };
    let Target::Device(device) = construct.target(runtime, number) else {
        return std::ptr::null_mut();
    };
    let made = match implicit {
        Some(thread) => Interop::implicit(device, kind, thread),
        None => Interop::create(device, kind, None),
    };
    made.unwrap_or_else(|error| construct.fail(&error, runtime, device.number as i64))
}

/// Waits for the work of an object; reports its errors.
fn synchronize(name: &'static str, ident: SourceIdent, object: &Interop, handle: *mut c_void) {
    if let Err(error) = object.synchronize(handle) {
        let construct = Construct::new(name, ident);
        construct.fail(&error, runtime(), object.device.number as i64);
    }
}

/// The object behind `handle`. Warns if the handle is not that of an object.
fn known(name: &str, found: Option<Arc<Interop>>, handle: *mut c_void) -> Option<Arc<Interop>> {
    if found.is_none() && !handle.is_null() {
        warn(&format_args!(
            "{name}: {handle:?} is not an interop object (already destroyed?)"
        ));
    }
    found
}

/// `interop use`.
fn use_object(ident: SourceIdent, handle: *mut c_void, nowait: bool) -> i32 {
    let Some(object) = known("interop use", objects::find(handle), handle) else {
        return FAILED;
    };
    // With `nowait`, the order of the stream is enough.
    if !nowait {
        synchronize("interop use", ident, &object, handle);
    }
    DONE
}

/// `interop destroy`. The object's work is complete before the object goes, also with `nowait`.
fn destroy(ident: SourceIdent, handle: *mut c_void) -> i32 {
    let Some(object) = known("interop destroy", objects::remove(handle), handle) else {
        return FAILED;
    };
    synchronize("interop destroy", ident, &object, handle);
    DONE
}

/// `interop init` of LLVM's newer interface. A device has one foreign runtime; preferences change nothing.
///
/// # Safety
/// The pointers are null or as LLVM's library takes them.
pub unsafe extern "C" fn __tgt_interop_get(
    location: *const Ident,
    kind: i32,
    device: i64,
    _preferences: i32,
    _preferred: *const c_void,
    context: *const InteropContext,
    dependences: *const DependencePack,
) -> *mut c_void {
    // SAFETY: caller.
    unsafe {
        wait_for_pack(dependences);
        let context = context.as_ref();
        let implicit = context.filter(|context| context.flags.contains(InteropFlags::IMPLICIT));
        init(
            ident::read(location),
            kind,
            device,
            implicit.map(|context| context.thread),
        )
    }
}

/// `interop use` of LLVM's newer interface.
///
/// # Safety
/// As [`__tgt_interop_get`].
pub unsafe extern "C" fn __tgt_interop_use60(
    location: *const Ident,
    object: *mut c_void,
    context: *const InteropContext,
    dependences: *const DependencePack,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        wait_for_pack(dependences);
        let context = context.as_ref();
        let nowait = context.is_some_and(|context| context.flags.contains(InteropFlags::NOWAIT));
        use_object(ident::read(location), object, nowait)
    }
}

/// `interop destroy` of LLVM's newer interface.
///
/// # Safety
/// As [`__tgt_interop_get`].
pub unsafe extern "C" fn __tgt_interop_release(
    location: *const Ident,
    object: *mut c_void,
    _context: *const InteropContext,
    dependences: *const DependencePack,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        wait_for_pack(dependences);
        destroy(ident::read(location), object)
    }
}

/// `interop init`, as clang emits it.
///
/// # Safety
/// `object` is writable; the dependence list is libomp's.
pub unsafe extern "C" fn __tgt_interop_init(
    location: *const Ident,
    _thread: i32,
    object: *mut *mut c_void,
    kind: i32,
    device: i32,
    count: i32,
    list: *const c_void,
    _nowait: i32,
) {
    wait_for_list(count, list);
    // SAFETY: caller.
    unsafe { *object = init(ident::read(location), kind, device.into(), None) };
}

/// `interop use`, as clang emits it.
///
/// # Safety
/// `object` is readable; the dependence list is libomp's.
pub unsafe extern "C" fn __tgt_interop_use(
    location: *const Ident,
    _thread: i32,
    object: *mut *mut c_void,
    _device: i32,
    count: i32,
    list: *const c_void,
    nowait: i32,
) {
    wait_for_list(count, list);
    // SAFETY: caller.
    unsafe { use_object(ident::read(location), *object, nowait != 0) };
}

/// `interop destroy`, as clang emits it.
///
/// # Safety
/// `object` is readable and writable; the dependence list is libomp's.
pub unsafe extern "C" fn __tgt_interop_destroy(
    location: *const Ident,
    _thread: i32,
    object: *mut *mut c_void,
    _device: i32,
    count: i32,
    list: *const c_void,
    _nowait: i32,
) {
    wait_for_list(count, list);
    // SAFETY: caller.
    unsafe {
        destroy(ident::read(location), *object);
        *object = std::ptr::null_mut();
    }
}

/// Waits for the objects that `dispatch` constructs of a thread have made.
///
/// # Safety
/// `location` is null or an `ident_t` as clang emits it.
pub unsafe extern "C" fn __tgt_target_sync(
    location: *const Ident,
    thread: i32,
    _task: *mut c_void,
    _event: *mut c_void,
) -> i32 {
    if let Err(error) = objects::synchronize_implicit(thread) {
        // SAFETY: caller.
        let construct = Construct::new("dispatch", unsafe { ident::read(location) });
        construct.fail(&error, runtime(), -1);
    }
    DONE
}

/// Registers a function to be called when an object's work is complete; 0 on success.
///
/// # Safety
/// `callback` is null or may be called with the object and `data`.
pub unsafe extern "C" fn ompx_interop_add_completion_callback(
    object: *mut c_void,
    callback: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    data: *mut c_void,
) -> i32 {
    match objects::find(object).zip(callback) {
        Some((object, callback)) => {
            object.add_callback((callback, data.expose_provenance()));
            DONE
        }
        None => Code::Other as i32,
    }
}
