//! `critical`, and the lock words that it and others wait for.

use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Ident;
use crate::arch::{self, MAX_THREADS};

/// `kmp_critical_name`: 32 bytes of zeroed memory, of which the first word is the lock.
pub type CriticalName = AtomicU32;

/// What a lock word holds while the calling thread has the lock. It is not 0, and says who has the lock where that
/// matters.
pub fn holder() -> u32 {
    if arch::LOCKSTEP {
        // Blocks whose numbers differ by 2^21 are not resident together.
        (arch::block_id() * MAX_THREADS as u32 + arch::thread_id()) << 1 | 1
    } else {
        1
    }
}

/// Takes a lock word. A lane that waits for another of its warp, which cannot go on meanwhile, ends the kernel.
#[inline(always)]
pub fn acquire(word: &AtomicU32) {
    let mine = holder();
    while let Err(other) = word.compare_exchange(0, mine, Relaxed, Relaxed) {
        if arch::LOCKSTEP {
            must_not_be_own_warp(mine >> 1, other >> 1);
        }
        arch::pause();
    }
    arch::fence_device();
}

/// The same for lanes that take turns: none waits for another of its warp.
#[inline(always)]
fn acquire_in_turn(word: &AtomicU32) {
    while word.compare_exchange(0, 1, Relaxed, Relaxed).is_err() {
        arch::pause();
    }
    arch::fence_device();
}

/// Runs `body` while the calling thread has the lock. Lanes in lockstep run it one after the other, each with the lock
/// for itself only.
pub fn exclusively<R>(word: &AtomicU32, body: impl FnOnce() -> R) -> R {
    let mut waiting = if arch::LOCKSTEP {
        arch::active_lanes()
    } else {
        1 << arch::lane()
    };
    let (mut body, mut result) = (Some(body), None);
    while waiting != 0 {
        if arch::lane() == waiting.trailing_zeros()
            && let Some(body) = body.take()
        {
            acquire_in_turn(word);
            result = Some(body());
            give_back(word);
        }
        waiting &= waiting - 1;
    }
    match result {
        Some(result) => result,
        None => arch::trap(c"a lane is not one of its warp's active lanes"),
    }
}

/// Lanes of a warp in lockstep leave a loop together, so a lane that waits for a lock which another lane of its warp
/// holds waits for ever. (In `critical` lanes take turns: clang runs it lane by lane.)
pub fn must_not_be_own_warp(mine: u32, other: u32) {
    if mine / arch::warp_size() == other / arch::warp_size() && !arch::lanes_are_independent() {
        arch::trap(
            c"a lane waits for a lock that another lane of its wave has, which cannot go on \
              meanwhile: let the lanes take turns, as critical does",
        );
    }
}

/// Gives a lock word back.
pub fn give_back(word: &AtomicU32) {
    arch::fence_device();
    word.store(0, Relaxed);
}

/// `void (ident_t *, i32 thread, name *)`: `critical` (clang: `emitCriticalRegion`, lane by lane; OpenMP 5.2, §15.2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_critical(
    _location: *const Ident,
    _thread: i32,
    name: &CriticalName,
) {
    acquire_in_turn(name);
}

/// `void (ident_t *, i32 thread, name *, u32 hint)`: `critical hint(…)`; the hint changes nothing (clang:
/// `emitCriticalRegion`; OpenMP 5.2, §15.1 and §15.2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_critical_with_hint(
    _location: *const Ident,
    _thread: i32,
    name: &CriticalName,
    _hint: u32,
) {
    acquire_in_turn(name);
}

/// `void (ident_t *, i32 thread, name *)`: end of `critical` (clang: `emitCriticalRegion`; OpenMP 5.2, §15.2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_critical(
    _location: *const Ident,
    _thread: i32,
    name: &CriticalName,
) {
    give_back(name);
}

/// `u64 ()`: the lanes that execute this together (clang: `CGOpenMPRuntimeGPU::emitCriticalRegion`; OpenMP 5.2, §15.2).
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_warp_active_thread_mask() -> u64 {
    arch::active_lanes()
}

/// `void (u64 lanes)`: waits for these lanes (clang: `CGOpenMPRuntimeGPU::emitCriticalRegion`; OpenMP 5.2, §15.2).
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_syncwarp(lanes: u64) {
    arch::sync_warp(lanes);
}
