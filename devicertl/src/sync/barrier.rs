//! Barriers, `cancel` (which no device does) and `flush`.

use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Ident;
use crate::arch;
use crate::tasking::scheduling;
use crate::team::nest::Nest;
use crate::team::shared;
use crate::team::thread_state;

/// Waits for the calling thread's team.
///
/// The nest word is stored again because the optimiser may take a barrier for a write of it. (The access types of
/// `arch-nvptx.ll` say that it is none. But GVN drops them from pointers that some accesses use with `noalias` scopes
/// and others without, and inlining the functions that clang outlined adds such scopes.)
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
/// §V-B, "barrier #1"); a team with a partial warp waits in software, and so do all such teams on AMD GPUs. (On the
/// virtual GPU, images for NVIDIA's have barriers for any number of threads: what waits for nothing else is faster
/// there.)
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
    if thread_state::any() {
        scheduling::complete_all();
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
