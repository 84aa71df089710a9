//! Barriers, `single`, `masked`, `critical`, `flush`.

use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Ident;
use crate::arch::{self, shared};
use crate::nest::Nest;
use crate::pending;

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
        arch::block_barrier();
    } else {
        group_barrier(nest.active_team_size());
    }
    nest.store();
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

/// `barrier`, and the implicit ones at the end of worksharing constructs (clang: `emitBarrierCall`; OpenMP 5.2,
/// §15.3): all tasks of the region are complete behind it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_barrier(_location: *const Ident, _thread: i32) {
    if Nest::load().has_private() {
        pending::complete_all();
    }
    team_barrier();
}

/// The whole block, all threads at this one place. openmp-opt puts it around guarded code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_barrier_simple_spmd(_location: *const Ident, _thread: i32) {
    arch::block_barrier_together();
}

/// The pool's barrier, as openmp-opt's custom state machine calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_barrier_simple_generic(_location: *const Ident, _thread: i32) {
    arch::block_barrier();
}

/// The barrier of a region that could be cancelled; on GPUs none is (omp_get_cancellation is 0).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_cancel_barrier(_location: *const Ident, _thread: i32) -> i32 {
    team_barrier();
    0
}

/// `cancel`: cancel-var is false, so nothing is cancelled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_cancel(_location: *const Ident, _thread: i32, _kind: i32) -> i32 {
    0
}

/// `cancellation point`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_cancellationpoint(
    _location: *const Ident,
    _thread: i32,
    _kind: i32,
) -> i32 {
    0
}

/// `flush`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_flush(_location: *const Ident) {
    arch::fence_system();
}

/// `single`: thread 0 runs it; which thread does is unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_single(_location: *const Ident, _thread: i32) -> i32 {
    (Nest::load().thread_num() == 0).into()
}

/// End of `single`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_single(_location: *const Ident, _thread: i32) {}

/// `master`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_master(_location: *const Ident, _thread: i32) -> i32 {
    (Nest::load().thread_num() == 0).into()
}

/// End of `master`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_master(_location: *const Ident, _thread: i32) {}

/// `masked filter(...)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_masked(_location: *const Ident, _thread: i32, filter: i32) -> i32 {
    (Nest::load().thread_num() as i32 == filter).into()
}

/// End of `masked`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_masked(_location: *const Ident, _thread: i32) {}

/// Takes a lock word.
pub fn acquire(word: &AtomicU32) {
    while word.compare_exchange(0, 1, Relaxed, Relaxed).is_err() {
        arch::pause();
    }
    arch::fence_device();
}

/// Gives a lock word back.
pub fn give_back(word: &AtomicU32) {
    arch::fence_device();
    word.store(0, Relaxed);
}

/// `critical`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_critical(
    _location: *const Ident,
    _thread: i32,
    name: &CriticalName,
) {
    acquire(name);
}

/// `critical hint(...)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_critical_with_hint(
    _location: *const Ident,
    _thread: i32,
    name: &CriticalName,
    _hint: u32,
) {
    acquire(name);
}

/// End of `critical`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_critical(
    _location: *const Ident,
    _thread: i32,
    name: &CriticalName,
) {
    give_back(name);
}

/// The lanes that execute this together.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_warp_active_thread_mask() -> u64 {
    arch::active_lanes()
}

/// Waits for these lanes.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_syncwarp(lanes: u64) {
    arch::sync_warp(lanes);
}

/// `error at(execution)`: severity 1 warns, 2 ends the kernel.
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
