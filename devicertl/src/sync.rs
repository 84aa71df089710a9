//! Barriers, `single`, `masked`, `critical`, `flush`.

use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Ident;
use crate::arch::{self, MAX_THREADS, shared};
use crate::nest::Nest;
use crate::pending;
use crate::private;

/// `kmp_critical_name`: 32 bytes of zeroed memory, of which the first word is the lock.
pub type CriticalName = AtomicU32;

/// Waits for the calling thread's team.
///
/// The nest word is stored anew because the optimiser may take a barrier for a write of it. (The access types of
/// `arch-nvptx.ll` say that it is none, but GVN forgets them of pointers that some accesses use with `noalias` scopes and
/// others without, and inlining clang's outlined functions adds such scopes.)
#[inline(always)]
pub fn team_barrier() {
    let nest = Nest::load();
    if !nest.in_team() {
        // A team of one: only the memory effects of a barrier are left.
        arch::fence_block();
    } else if nest.is_block() {
        arch::block_barrier_aligned_if(nest.is_together());
    } else {
        group_barrier(nest.active_team_size());
    }
    nest.keep();
}

/// Waits for the first `threads` threads of the block.
///
/// NVIDIA's named barriers count whole warps, so they serve teams made of whole warps (*fork-join* paper,
/// §V-B, "barrier #1"); a team with a partial warp waits in software, and so do all such teams on AMD GPUs.
/// The software barrier suits lanes in lockstep: of each warp only the first lane waits, and only for other warps.
pub fn group_barrier(threads: u32) {
    arch::debug_check(
        arch::thread_id() < threads,
        c"a thread outside the team came to its barrier",
    );
    if !arch::group_barrier(threads) {
        software_barrier(threads)
    }
}

/// Lanes gather in their warp, the warp's first lane arrives for all of them and waits for the barrier
/// to open. The last to arrive opens it, which starts the next generation.
#[inline(never)]
fn software_barrier(threads: u32) {
    let members = arch::member_lanes(threads);
    arch::sync_warp(members);
    if arch::lane() == 0 {
        // SAFETY: shared by the team, initialised when the team was formed.
        let (arrived, generation) = unsafe {
            (
                AtomicU32::from_ptr(shared::arrived()),
                AtomicU32::from_ptr(shared::generation()),
            )
        };
        let current = generation.load(Relaxed);
        arch::fence_block();
        if arrived.fetch_add(1, Relaxed) + 1 == threads.div_ceil(arch::warp_size()) {
            arrived.store(0, Relaxed);
            arch::fence_block();
            generation.store(current.wrapping_add(1), Relaxed);
        } else {
            while generation.load(Relaxed) == current {
                arch::pause();
            }
        }
        arch::fence_block();
    }
    arch::sync_warp(members);
}

/// `void (ident_t *, i32 thread)`: `barrier`, and the implicit ones at the end of worksharing constructs (clang:
/// `emitBarrierCall`; OpenMP 5.2, §15.3): all tasks of the region are complete behind it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_barrier(_location: *const Ident, _thread: i32) {
    if private::any() {
        pending::complete_all();
    }
    team_barrier();
}

/// `void (ident_t *, i32 thread)`: the whole block, all threads at this one place. openmp-opt puts it around the code
/// it guards in kernels it makes SPMD.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_barrier_simple_spmd(_location: *const Ident, _thread: i32) {
    arch::block_barrier_together();
}

/// `void (ident_t *, i32 thread)`: the pool's barrier, as openmp-opt's custom state machine calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_barrier_simple_generic(_location: *const Ident, _thread: i32) {
    arch::block_barrier();
}

/// `i32 (ident_t *, i32 thread)`: the barrier of a region with `cancel parallel`; 0, as none is cancelled (clang:
/// `emitBarrierCall`; OpenMP 5.2, §16.1: cancel-var is false on devices).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_cancel_barrier(_location: *const Ident, _thread: i32) -> i32 {
    team_barrier();
    0
}

/// `i32 (ident_t *, i32 thread, i32 kind)`: `cancel`; 0, as cancel-var is false (clang: `emitCancelCall`; OpenMP 5.2,
/// §16.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_cancel(_location: *const Ident, _thread: i32, _kind: i32) -> i32 {
    0
}

/// `i32 (ident_t *, i32 thread, i32 kind)`: `cancellation point`; 0 (clang: `emitCancellationPointCall`; OpenMP 5.2,
/// §16.2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_cancellationpoint(
    _location: *const Ident,
    _thread: i32,
    _kind: i32,
) -> i32 {
    0
}

/// `void (ident_t *)`: `flush`, with any list and order (clang: `emitFlush`; OpenMP 5.2, §15.8.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_flush(_location: *const Ident) {
    arch::fence_system();
}

/// `i32 (ident_t *, i32 thread)`: `single`, 1 for the thread that runs it; thread 0 does, which is unspecified (clang:
/// `emitSingleRegion`; OpenMP 5.2, §11.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_single(_location: *const Ident, _thread: i32) -> i32 {
    (Nest::load_inline().thread_num() == 0).into()
}

/// `void (ident_t *, i32 thread)`: end of `single`, by the thread that ran it (clang: `emitSingleRegion`; OpenMP 5.2,
/// §11.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_single(_location: *const Ident, _thread: i32) {}

/// `i32 (ident_t *, i32 thread)`: `master`, 1 for thread 0 (clang: `emitMasterRegion`; OpenMP 5.2, §10.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_master(_location: *const Ident, _thread: i32) -> i32 {
    (Nest::load_inline().thread_num() == 0).into()
}

/// `void (ident_t *, i32 thread)`: end of `master`, by thread 0 (clang: `emitMasterRegion`; OpenMP 5.2, §10.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_master(_location: *const Ident, _thread: i32) {}

/// `i32 (ident_t *, i32 thread, i32 filter)`: `masked`, 1 for the thread of that number (clang: `emitMaskedRegion`;
/// OpenMP 5.2, §10.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_masked(_location: *const Ident, _thread: i32, filter: i32) -> i32 {
    (Nest::load_inline().thread_num() as i32 == filter).into()
}

/// `void (ident_t *, i32 thread)`: end of `masked`, by that thread (clang: `emitMaskedRegion`; OpenMP 5.2, §10.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_masked(_location: *const Ident, _thread: i32) {}

/// What a lock word holds while the calling thread has the lock: not 0; who has it, where that matters.
pub fn holder() -> u32 {
    if arch::LOCKSTEP {
        // Blocks whose numbers differ by 2^21 are not resident together.
        (arch::block_id() * MAX_THREADS as u32 + arch::thread_id()) << 1 | 1
    } else {
        1
    }
}

/// Takes a lock word.
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

/// Runs `body` while the calling thread has the lock. Lanes in lockstep take turns, each with the lock for its own
/// turn only.
pub fn exclusively<R>(word: &AtomicU32, body: impl FnOnce() -> R) -> R {
    let mut turns = if arch::LOCKSTEP {
        arch::active_lanes()
    } else {
        1 << arch::lane()
    };
    let (mut body, mut result) = (Some(body), None);
    while turns != 0 {
        if arch::lane() == turns.trailing_zeros()
            && let Some(body) = body.take()
        {
            acquire(word);
            result = Some(body());
            give_back(word);
        }
        turns &= turns - 1;
    }
    match result {
        Some(result) => result,
        None => arch::trap(c"a lane is not one of its warp's active lanes"),
    }
}

/// Lanes of a warp in lockstep leave a loop together: one that waits for a lock that another of them has waits for ever.
/// (`critical` has no such lanes: clang makes them take turns.)
pub fn must_not_be_own_warp(mine: u32, other: u32) {
    if mine / arch::warp_size() == other / arch::warp_size() && !arch::lanes_are_independent() {
        arch::trap(
            c"a lane waits for a lock that another lane of its wave has, which cannot go on meanwhile: let the lanes take turns, as critical does",
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
    acquire(name);
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
    acquire(name);
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

/// `void (ident_t *, i32 severity, char *message)`: `error at(execution)`; severity 1 warns, which is not shown, 2 ends
/// the kernel (clang: `emitErrorCall`; OpenMP 5.2, §8.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_error(
    _location: *const Ident,
    severity: i32,
    message: *const core::ffi::c_char,
) {
    if severity != 2 {
        return;
    }
    if message.is_null() {
        arch::trap(c"error directive");
    }
    // SAFETY: clang passes a C string.
    unsafe { arch::trap_with(message) }
}
