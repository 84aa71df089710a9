//! OpenMP locks. A simple lock is one word; a nestable lock remembers its owner and how often it was
//! taken. Both fit in the `void *` that `omp.h` gives them.

use crate::arch::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::arch::{self, MAX_THREADS};
use crate::sync::critical::{acquire, give_back, holder, must_not_be_own_warp};

/// `omp_init_lock` (OpenMP 5.2, §18.9.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_lock(lock: &AtomicU64) {
    lock.store(0, Relaxed);
    arch::fence_device();
}

/// `omp_init_lock_with_hint` (OpenMP 5.2, §18.9.2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_lock_with_hint(lock: &AtomicU64, _hint: i32) {
    lock.store(0, Relaxed);
    arch::fence_device();
}

/// `omp_destroy_lock` (OpenMP 5.2, §18.9.3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_destroy_lock(_lock: &AtomicU64) {}

/// `omp_set_lock` (OpenMP 5.2, §18.9.4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_set_lock(lock: &AtomicU32) {
    acquire(lock);
}

/// `omp_unset_lock` (OpenMP 5.2, §18.9.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_unset_lock(lock: &AtomicU32) {
    give_back(lock);
}

/// `omp_test_lock` (OpenMP 5.2, §18.9.6): 1 if it is taken now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_test_lock(lock: &AtomicU32) -> i32 {
    let taken = lock.compare_exchange(0, holder(), Relaxed, Relaxed).is_ok();
    arch::fence_device();
    taken.into()
}

/// Low bits of a nestable lock: how often it was taken; above them, the owner's number plus one.
const COUNT_BITS: u32 = 20;

fn owner_bits() -> u64 {
    let thread = u64::from(arch::block_id()) * MAX_THREADS as u64 + u64::from(arch::thread_id());
    (thread + 1) << COUNT_BITS
}

/// Takes the lock if it is free or the caller's: how often it is taken then, 0 if it is another's.
fn try_nest(lock: &AtomicU64) -> u64 {
    let (mine, now) = (owner_bits(), lock.load(Relaxed));
    if now >> COUNT_BITS == mine >> COUNT_BITS {
        lock.store(now + 1, Relaxed);
        return (now + 1) & ((1 << COUNT_BITS) - 1);
    }
    let taken = now == 0 && lock.compare_exchange(0, mine | 1, Relaxed, Relaxed).is_ok();
    arch::fence_device();
    taken.into()
}

/// `omp_init_nest_lock` (OpenMP 5.2, §18.9.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_nest_lock(lock: &AtomicU64) {
    lock.store(0, Relaxed);
    arch::fence_device();
}

/// `omp_init_nest_lock_with_hint` (OpenMP 5.2, §18.9.2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_nest_lock_with_hint(lock: &AtomicU64, _hint: i32) {
    lock.store(0, Relaxed);
    arch::fence_device();
}

/// `omp_destroy_nest_lock` (OpenMP 5.2, §18.9.3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_destroy_nest_lock(_lock: &AtomicU64) {}

/// `omp_set_nest_lock` (OpenMP 5.2, §18.9.4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_set_nest_lock(lock: &AtomicU64) {
    while try_nest(lock) == 0 {
        let (mine, other) = (owner_bits() >> COUNT_BITS, lock.load(Relaxed) >> COUNT_BITS);
        if arch::LOCKSTEP && other != 0 {
            must_not_be_own_warp(mine as u32 - 1, other as u32 - 1);
        }
        arch::pause();
    }
}

/// `omp_unset_nest_lock` (OpenMP 5.2, §18.9.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_unset_nest_lock(lock: &AtomicU64) {
    arch::fence_device();
    let now = lock.load(Relaxed);
    let left = now & ((1 << COUNT_BITS) - 1);
    lock.store(if left <= 1 { 0 } else { now - 1 }, Relaxed);
}

/// `omp_test_nest_lock` (OpenMP 5.2, §18.9.6): the new nesting count, 0 if another has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_test_nest_lock(lock: &AtomicU64) -> i32 {
    try_nest(lock) as i32
}
