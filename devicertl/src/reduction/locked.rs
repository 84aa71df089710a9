//! Reduction as the host's code generation has it: one thread at a time combines, with a lock.

use core::ffi::c_void;

use crate::Ident;
use crate::sync::barrier::team_barrier;
use crate::sync::critical::{self, CriticalName};

/// `i32 (ident_t *, i32 thread, i32 count, size_t bytes, list *, combine function, lock *)`: reduction as
/// the host's code generation has it: one thread at a time combines (answer 1), holding the lock
/// (clang: `CGOpenMPRuntime::emitReduction`; OpenMP 5.2, §5.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_reduce_nowait(
    _location: *const Ident,
    _thread: i32,
    _count: i32,
    _size: usize,
    _list: *mut c_void,
    _combine: *const c_void,
    lock: &CriticalName,
) -> i32 {
    critical::acquire(lock);
    1
}

/// `void (ident_t *, i32 thread, lock *)`: ends [`__kmpc_reduce_nowait`]
/// (clang: `CGOpenMPRuntime::emitReduction`; OpenMP 5.2, §5.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_reduce_nowait(
    _location: *const Ident,
    _thread: i32,
    lock: &CriticalName,
) {
    critical::give_back(lock);
}

/// `i32 (ident_t *, i32 thread, i32 count, size_t bytes, list *, combine function, lock *)`: like
/// [`__kmpc_reduce_nowait`], with a barrier at the end (clang: `CGOpenMPRuntime::emitReduction`; OpenMP 5.2, §5.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_reduce(
    _location: *const Ident,
    _thread: i32,
    _count: i32,
    _size: usize,
    _list: *mut c_void,
    _combine: *const c_void,
    lock: &CriticalName,
) -> i32 {
    critical::acquire(lock);
    1
}

/// `void (ident_t *, i32 thread, lock *)`: ends [`__kmpc_reduce`] (clang: `CGOpenMPRuntime::emitReduction`; OpenMP 5.2,
/// §5.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_reduce(
    _location: *const Ident,
    _thread: i32,
    lock: &CriticalName,
) {
    critical::give_back(lock);
    team_barrier();
}
