//! Mutual exclusion.

use core::cell::UnsafeCell;
use core::ptr::null;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

use super::{Kernel, barrier, parallel};
use crate::routines::query::omp_get_thread_num;
use crate::sync::critical::*;
use crate::sync::lock::*;
use crate::sync::masked::*;

/// A counter that loses counts unless its users exclude each other.
struct Unprotected(UnsafeCell<u64>);
// SAFETY: the tests protect it with the locks under test.
unsafe impl Sync for Unprotected {}

impl Unprotected {
    fn new() -> Unprotected {
        Unprotected(UnsafeCell::new(0))
    }

    fn increment(&self) {
        // SAFETY: the lock under test is held.
        unsafe {
            let value = self.0.get().read_volatile();
            std::thread::yield_now();
            self.0.get().write_volatile(value + 1);
        }
    }

    fn value(self) -> u64 {
        self.0.into_inner()
    }
}

#[test]
fn critical_regions_exclude_each_other_across_teams() {
    let (name, count) = (AtomicU32::new(0), Unprotected::new());
    Kernel::generic(50).teams(2).run(|| {
        parallel(-1, || {
            for _ in 0..5 {
                // SAFETY: called as clang calls them.
                unsafe { __kmpc_critical(null(), 0, &name) };
                count.increment();
                // SAFETY: as above.
                unsafe { __kmpc_end_critical(null(), 0, &name) };
            }
        });
    });
    assert_eq!(count.value(), 2 * 50 * 5);
}

#[test]
fn locks_exclude_and_can_be_tried() {
    let (lock, count) = (AtomicU64::new(!0), Unprotected::new());
    // SAFETY: an OpenMP lock is 8 bytes, of which simple locks use 4.
    let word = unsafe { AtomicU32::from_ptr(lock.as_ptr().cast()) };
    // SAFETY: used in the order the standard demands.
    unsafe { omp_init_lock(&lock) };
    Kernel::spmd(64).run(|| {
        parallel(-1, || {
            // SAFETY: as above.
            unsafe {
                while omp_test_lock(word) == 0 {
                    std::thread::yield_now();
                }
                count.increment();
                omp_unset_lock(word);
                omp_set_lock(word);
                assert_eq!(omp_test_lock(word), 0);
                count.increment();
                omp_unset_lock(word);
            }
        });
    });
    assert_eq!(count.value(), 2 * 64);
}

#[test]
fn nestable_locks_count() {
    let (lock, count) = (AtomicU64::new(!0), Unprotected::new());
    // SAFETY: used in the order the standard demands.
    unsafe { omp_init_nest_lock(&lock) };
    Kernel::generic(33).run(|| {
        parallel(-1, || {
            // SAFETY: as above.
            unsafe {
                omp_set_nest_lock(&lock);
                omp_set_nest_lock(&lock);
                assert_eq!(omp_test_nest_lock(&lock), 3);
                count.increment();
                omp_unset_nest_lock(&lock);
                omp_unset_nest_lock(&lock);
                count.increment();
                omp_unset_nest_lock(&lock);
            }
        });
    });
    assert_eq!((count.value(), lock.load(SeqCst)), (2 * 33, 0));
}

#[test]
fn single_and_masked_choose_one_thread() {
    let (single, master, masked) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    Kernel::generic(40).run(|| {
        parallel(-1, || {
            // SAFETY: called as clang calls them.
            unsafe {
                single.fetch_add(__kmpc_single(null(), 0) as u32, SeqCst);
                master.fetch_add(__kmpc_master(null(), 0) as u32, SeqCst);
                masked.fetch_add(__kmpc_masked(null(), 0, 39) as u32, SeqCst);
            }
        });
    });
    assert_eq!(
        [single, master, masked].map(|count| count.into_inner()),
        [1, 1, 1]
    );
}

#[test]
fn copyprivate_broadcasts() {
    unsafe extern "C" fn copy(to: *mut core::ffi::c_void, from: *mut core::ffi::c_void) {
        // SAFETY: both are lists of one number.
        unsafe { **to.cast::<*mut u64>() = **from.cast::<*mut u64>() }
    }
    Kernel::generic(50).run(|| {
        parallel(-1, || {
            for round in 0..3 {
                let mut value = 1000 * round + omp_get_thread_num() as u64;
                let mut list = [&raw mut value];
                // SAFETY: called as clang calls them.
                unsafe {
                    let did_it = __kmpc_single(null(), 0);
                    crate::worksharing::copyprivate::__kmpc_copyprivate(
                        null(),
                        0,
                        8,
                        list.as_mut_ptr().cast(),
                        copy,
                        did_it,
                    );
                }
                assert_eq!(value, 1000 * round);
            }
            barrier();
        });
    });
}
