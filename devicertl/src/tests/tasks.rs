//! Tasks run where they are met.

use core::ffi::c_void;
use core::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use super::{Kernel, parallel};
use crate::task::*;

/// A task as clang lays it out: the head (to `priority`), then private variables.
#[repr(C)]
struct Frame {
    shareds: *mut *const AtomicU32,
    routine: *const c_void,
    part: i32,
    destructors: *const c_void,
    priority: *const c_void,
    lower: u64,
    upper: u64,
    stride: i64,
    is_last: i32,
    private: u32,
}

unsafe extern "C" fn add_private(_thread: i32, task: *mut Task) -> i32 {
    // SAFETY: the test made the task.
    unsafe {
        let frame = task.cast::<Frame>();
        (**(*frame).shareds).fetch_add((*frame).private, SeqCst);
    }
    0
}

unsafe extern "C" fn add_iterations(_thread: i32, task: *mut Task) -> i32 {
    // SAFETY: the test made the task.
    unsafe {
        let frame = task.cast::<Frame>();
        assert_eq!((*frame).is_last, 1);
        for i in (*frame).lower..=(*frame).upper {
            (**(*frame).shareds).fetch_add(i as u32 * (*frame).private, SeqCst);
        }
    }
    0
}

unsafe extern "C" fn in_final(_thread: i32, _task: *mut Task) -> i32 {
    assert_eq!(omp_in_final(), 1);
    0
}

unsafe extern "C" fn duplicate(to: *mut Task, from: *mut Task, is_last: i32) {
    // SAFETY: two tasks of the test.
    unsafe {
        (*to.cast::<Frame>()).private = (*from.cast::<Frame>()).private + 1;
        (*to.cast::<Frame>()).is_last = is_last;
    }
}

type Routine = unsafe extern "C" fn(i32, *mut Task) -> i32;

unsafe fn task(flags: i32, routine: Routine, total: &AtomicU32, private: u32) -> *mut Task {
    // SAFETY: called as clang calls it.
    unsafe {
        let task = __kmpc_omp_task_alloc(
            null(),
            0,
            flags,
            size_of::<Frame>(),
            size_of::<*const AtomicU32>(),
            routine,
        );
        let frame = task.cast::<Frame>();
        *(*frame).shareds = total;
        (*frame).private = private;
        (*frame).lower = 1;
        (*frame).upper = 10;
        task
    }
}

#[test]
fn tasks_of_every_kind_have_run_when_the_call_returns() {
    let total = AtomicU32::new(0);
    Kernel::generic(40).run(|| {
        parallel(-1, || {
            // SAFETY: called as clang calls them.
            unsafe {
                __kmpc_omp_task(null(), 0, task(1, add_private, &total, 5));
                __kmpc_omp_task_with_deps(
                    null(),
                    0,
                    task(1, add_private, &total, 7),
                    0,
                    null_mut(),
                    0,
                    null_mut(),
                );
                assert_eq!(omp_in_final(), 0);
                __kmpc_omp_task(null(), 0, task(1 | 2, in_final, &total, 0));
                assert_eq!(omp_in_final(), 0);
                let undeferred = task(1, add_private, &total, 1);
                __kmpc_omp_task_begin_if0(null(), 0, undeferred);
                add_private(0, undeferred);
                __kmpc_omp_task_complete_if0(null(), 0, undeferred);
                assert_eq!(__kmpc_omp_taskwait(null(), 0), 0);
            }
        });
    });
    assert_eq!(total.into_inner(), 40 * 13);
}

#[test]
fn a_taskloop_runs_every_iteration_with_private_copies() {
    let total = AtomicU32::new(0);
    Kernel::spmd(1).run(|| {
        parallel(-1, || {
            // SAFETY: called as clang calls it.
            unsafe {
                let plain = task(1, add_iterations, &total, 1);
                __kmpc_taskloop(null(), 0, plain, 1, null(), null(), 1, 0, 0, 0, None);
                let copied = task(1, add_iterations, &total, 1);
                __kmpc_taskloop(
                    null(),
                    0,
                    copied,
                    1,
                    null(),
                    null(),
                    1,
                    0,
                    2,
                    4,
                    Some(duplicate),
                );
            }
        });
    });
    assert_eq!(total.into_inner(), 55 + 2 * 55);
}
