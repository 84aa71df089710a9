//! The one interface between the runtime and a GPU.
//!
//! A GPU is a module here that offers the functions below: `gpu` with `nvptx` or `amdgcn` through hand-written
//! LLVM assembly, `soft` with threads of the operating system. What they offer:
//!
//! - ids: [`thread_id`], [`block_threads`], [`block_id`], [`block_count`], [`processor`], [`is_spmd`], [`assume_mode`]
//! - team-wide waiting: [`block_barrier`], [`block_barrier_together`], [`block_barrier_aligned_if`], [`group_barrier`]
//! - the warp: [`warp_size`], [`LOCKSTEP`], [`lanes_are_independent`], [`sync_warp`], [`active_lanes`],
//!   [`shuffle_down`]
//! - memory: [`fence_block`], [`fence_device`], [`fence_system`], [`allocate`], [`release`], [`SIMPLE_HEAP`],
//!   [`dynamic_shared`]
//! - the thread's nest word: [`nest_seen`], [`nest_show`], [`is_known`], [`is_known_to_hold`]; of SPMD kernels also
//!   [`nest_load`], [`nest_store`], and the thread's list of thread state, [`thread_state_slots`], after [`spmd_begin`]
//!   or [`generic_begin`]; of generic kernels' masters [`master_nest_load`], [`master_nest_store`]
//! - the block's shared variables: `shared_variables!`, which makes a function for each of a list
//! - the rest: [`executes_warp_by_warp`], [`pause`], [`ticks`], [`object_size`], [`is_own`], [`trap`], [`trap_number`]

#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
mod gpu;

pub mod atomic;
mod limits;
#[cfg(all(test, feature = "model"))]
pub mod model;
#[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
pub mod soft;
#[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
use soft as gpu;

pub use limits::{Lanes, MAX_THREADS};

pub use gpu::{
    LOCKSTEP, SIMPLE_HEAP, TICKS_PER_SECOND, active_lanes, allocate, assume_mode, block_barrier,
    block_barrier_aligned_if, block_barrier_together, block_count, block_id, block_threads,
    copy_pairs, dynamic_shared, dynamic_shared_size, executes_warp_by_warp, fence_block,
    fence_device, fence_system, fill, generic_begin, group_barrier, is_generic_shape, is_known,
    is_known_to_hold, is_own, is_spmd, lanes_are_independent, master_nest_load, master_nest_store,
    nest_load, nest_seen, nest_show, nest_store, object_size, pause, processor, release,
    send_references, shuffle_down, spmd_begin, sync_warp, thread_id, thread_state_slots, ticks,
    trap, trap_number, trap_with, warp_size,
};

#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
pub use gpu::{assert_failed, ballot, block_index, block_shape, grid_shape, thread_index};

pub(crate) use gpu::shared_variables;

/// Ends the kernel if what must hold does not; costs nothing in the release flavour of the runtime.
#[inline(always)]
pub fn debug_check(holds: bool, otherwise: &core::ffi::CStr) {
    if cfg!(debug_assertions) && !holds {
        trap(otherwise);
    }
}

/// Writes a shared variable for other threads to read.
///
/// Volatile, because openmp-opt follows values through shared variables and takes "the value stored" for the
/// reader's own where the writer was another thread.
///
/// # Safety
/// `variable` is one of the block's shared variables, and a barrier stands between this and its readers.
#[inline(always)]
pub unsafe fn send<T>(variable: *mut T, value: T) {
    #[cfg(all(test, feature = "model"))]
    model::writes(variable);
    // SAFETY: the caller's promise.
    unsafe { variable.write_volatile(value) }
}

/// Reads what another thread may have written with [`send`].
///
/// # Safety
/// As for [`send`].
#[inline(always)]
pub unsafe fn receive<T: Copy>(variable: *mut T) -> T {
    #[cfg(all(test, feature = "model"))]
    model::reads(variable);
    // SAFETY: the caller's promise.
    unsafe { variable.read_volatile() }
}

/// This thread's lane.
#[inline(always)]
pub fn lane() -> u32 {
    thread_id() % warp_size()
}

/// How many lanes of this thread's warp belong to the first `threads` threads of the block, of which this is one.
#[inline(always)]
pub fn members(threads: u32) -> u32 {
    let first = thread_id() - lane();
    threads.wrapping_sub(first).min(warp_size())
}

/// The first `count` lanes of a warp, at least one.
#[inline(always)]
pub fn first_lanes(count: u32) -> Lanes {
    if count == Lanes::BITS {
        Lanes::MAX
    } else {
        (1 << count) - 1
    }
}

/// The lanes of this thread's warp that belong to the first `threads` threads of the block, of which this is one.
#[inline(always)]
pub fn member_lanes(threads: u32) -> Lanes {
    first_lanes(members(threads))
}
