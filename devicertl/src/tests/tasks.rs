//! Tasks run where they are met.

use core::ffi::c_void;
use core::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use super::{Kernel, parallel};
use crate::tasking::task::*;
use crate::tasking::task_structure::Task;
use crate::tasking::taskloop::*;

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
        assert_eq!((*frame).is_last, ((*frame).upper == 10).into());
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
            Some(routine),
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

/// A taskloop over 1 to 10 as clang calls it, with clause 1 (`grainsize`) or 2 (`num_tasks`).
unsafe fn taskloop(
    total: &AtomicU32,
    clause: i32,
    number: u64,
    strict: i32,
    duplicate: Option<unsafe extern "C" fn(*mut Task, *mut Task, i32)>,
) {
    // SAFETY: called as clang calls it.
    unsafe {
        let pattern = task(1, add_iterations, total, 1);
        let frame = pattern.cast::<Frame>();
        let (lower, upper) = (&raw const (*frame).lower, &raw const (*frame).upper);
        __kmpc_taskloop_5(
            null(),
            0,
            pattern,
            1,
            lower,
            upper,
            1,
            0,
            clause,
            number,
            strict,
            duplicate,
        );
    }
}

#[test]
fn a_taskloop_runs_every_iteration_with_private_copies() {
    let total = AtomicU32::new(0);
    Kernel::spmd(1).run(|| {
        parallel(-1, || {
            // SAFETY: as `taskloop` says.
            unsafe {
                taskloop(&total, 0, 0, 0, None);
                taskloop(&total, 2, 4, 0, Some(duplicate));
                taskloop(&total, 1, 3, 1, None);
            }
        });
    });
    assert_eq!(total.into_inner(), 55 + 2 * 55 + 55);
}

/// The lengths of the tasks of a loop of `last + 1` iterations.
fn lengths(last: u64, clause: i32, number: u64, strict: bool) -> Vec<u64> {
    let mut cut = Cut::new(last, clause, number, strict);
    let (mut first, mut lengths) = (0, vec![]);
    loop {
        let length = (cut.last + u64::from(cut.longer > 0)).min(last - first);
        cut.longer = cut.longer.saturating_sub(1);
        lengths.push(length + 1);
        if first + length == last {
            return lengths;
        }
        first += length + 1;
    }
}

/// OpenMP 5.2, §12.6.1 and §12.6.2.
#[test]
fn a_taskloop_is_cut_as_its_clause_says() {
    for count in 1..=40u64 {
        for number in 1..=50u64 {
            let tasks = lengths(count - 1, 2, number, false);
            assert_eq!(tasks.len() as u64, number.min(count), "{count} {number}");
            assert!(tasks.iter().max().unwrap() - tasks.iter().min().unwrap() <= 1);

            let grains = lengths(count - 1, 1, number, false);
            let least = number.min(count);
            assert!(
                grains.iter().all(|&n| n >= least && n < 2 * number),
                "{count} {number}: {grains:?}"
            );

            let exact = lengths(count - 1, 1, number, true);
            let (last, others) = exact.split_last().unwrap();
            assert!(others.iter().all(|&n| n == number) && *last <= number);
            for lengths in [tasks, grains, exact] {
                assert_eq!(lengths.iter().sum::<u64>(), count);
            }
        }
        assert_eq!(lengths(count - 1, 0, 0, false), [count]);
    }
    assert_eq!(Cut::new(u64::MAX, 2, 1 << 32, false).last, (1 << 32) - 1);
    assert_eq!(Cut::new(u64::MAX, 1, 1, false).last, 0);
}
