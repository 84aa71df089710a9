//! The one interface between the runtime and a GPU.
//!
//! A GPU is a module here that offers the functions below: `gpu` with `nvptx` or `amdgcn` through hand-written
//! LLVM assembly, `soft` with threads of the operating system. What they offer:
//!
//! - ids: [`thread_id`], [`block_threads`], [`block_id`], [`block_count`], [`processor`], [`is_spmd`], [`assume_mode`]
//! - team-wide waiting: [`block_barrier`], [`block_barrier_together`], [`block_barrier_aligned_if`], [`group_barrier`]
//! - the warp: [`warp_size`], [`LOCKSTEP`], [`lanes_are_independent`], [`sync_warp`], [`active_lanes`], [`shuffle_down`]
//! - memory: [`fence_block`], [`fence_device`], [`fence_system`], [`allocate`], [`release`], [`dynamic_shared`]
//! - the thread's nest word: [`nest_seen`], [`nest_show`], [`is_known`], [`is_known_to_hold`]; of SPMD kernels also [`nest_load`], [`nest_store`],
//!   and the thread's list of thread state, [`thread_state_slots`], after [`spmd_begin`] or [`generic_begin`]; of generic kernels'
//!   masters [`master_nest_load`], [`master_nest_store`]
//! - the block's shared variables: [`shared`]
//! - the rest: [`pause`], [`ticks`], [`object_size`], [`is_own`], [`trap`], [`trap_number`]

use core::ffi::c_void;

use crate::fork_join::data_sharing::Storage;
use crate::fork_join::kernel::LaunchEnvironment;
use crate::team::nest::TeamShape;
use crate::team::state::State;
use crate::worksharing::dispatch::Loop;

#[cfg(target_arch = "amdgpu")]
mod amdgcn;
#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
mod gpu;
#[cfg(target_arch = "nvptx64")]
mod nvptx;
#[cfg(target_arch = "nvptx64")]
mod trap_record;

pub mod atomic;
#[cfg(all(test, feature = "model"))]
pub mod model;
#[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
pub mod soft;
#[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
mod soft_block;
#[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
mod soft_threads;
#[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
use soft as gpu;

pub use gpu::{
    LOCKSTEP, TICKS_PER_SECOND, active_lanes, allocate, assume_mode, block_barrier,
    block_barrier_aligned_if, block_barrier_together, block_count, block_id, block_threads,
    dynamic_shared, dynamic_shared_size, fence_block, fence_device, fence_system, fill,
    generic_begin, group_barrier, is_generic_shape, is_known, is_known_to_hold, is_own, is_spmd,
    lanes_are_independent, master_nest_load, master_nest_store, nest_load, nest_seen, nest_show,
    nest_store, object_size, pause, processor, release, send_references, shuffle_down, spmd_begin,
    sync_warp, thread_id, thread_state_slots, ticks, trap, trap_number, trap_with, warp_size,
};

#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
pub use gpu::{assert_failed, ballot, block_index, block_shape, grid_shape, thread_index};

/// A set of lanes of one warp, bit `i` for lane `i`. 64 bits wide for GPUs with warps of 64.
pub type Lanes = u64;

/// Most threads a block can have on any GPU served.
pub const MAX_THREADS: usize = 1024;

/// References a parallel region gets to its captured variables without going to global memory
/// (*sharing* paper, §5: most regions capture fewer than 20).
pub const SHARED_REFERENCES: usize = 20;

/// Most regions of a kernel that the optimiser has gone through capture no more than this.
pub const FEW_REFERENCES: usize = 2;

/// References of the regions that capture many.
pub const MANY_REFERENCES: usize = 64;

/// The most references that shared memory has a list for.
pub const MOST_REFERENCES: usize = 128;

/// Calls `$m!` with every variable a block keeps in shared memory: name, type, meaning.
macro_rules! for_each_shared_variable {
    ($m:ident) => {
        $m! {
            /// Generic mode: the wrapper of the region to run; null ends the workers.
            work_function: *const c_void,
            /// Generic mode: the captured references of the region to run.
            references: *mut *mut c_void,
            /// Where `references` points if there are few.
            few_references: [*mut c_void; FEW_REFERENCES],
            /// Where `references` points if there are more, but not many.
            reference_list: [*mut c_void; SHARED_REFERENCES],
            /// Where `references` points if there are many.
            many_references: [*mut c_void; MANY_REFERENCES],
            /// Where `references` points if there are more than that, unless there are more than fit.
            most_references: [*mut c_void; MOST_REFERENCES],
            /// Size and level of the active parallel region, unless it is the whole block of an SPMD kernel.
            team_shape: TeamShape,
            /// Generic mode: the `num_threads` clause of the region to come, where the kernel passes it ahead.
            pushed_threads: i32,
            /// The software barrier: warps arrived, and how often it has opened.
            arrived: u32,
            /// See `arrived`.
            generation: u32,
            /// The launch environment, as the kernel got it.
            launch_environment: *mut LaunchEnvironment,
            /// The worksharing loop with a dynamic schedule that the team is in.
            team_loop: Loop,
            /// What one thread tells the others.
            broadcast: *mut c_void,
            /// Cross-team reductions: whether this team is the last.
            last_team: u32,
            /// The lanes that each thread reduces with, while a part of its warp reduces on its own.
            dispersed_lanes: [Lanes; MAX_THREADS],
            /// Storage for shared locals.
            pool: Storage,
            /// Which units of `pool` are in use.
            pool_used: u64,
            /// Generic mode: the team's state in global memory, null until it is needed.
            state: *mut State,
        }
    };
}
pub(crate) use for_each_shared_variable;

/// The block's shared variables, each as a pointer valid for the kernel's duration. None is
/// initialised when a kernel starts. One symbol per variable, so that a kernel pays only for what
/// it uses.
pub mod shared {
    use super::*;

    macro_rules! getters {
        ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
            $($(#[$doc])* #[inline(always)] pub fn $name() -> *mut $type { gpu::shared::$name() })*
        };
    }
    for_each_shared_variable!(getters);
}

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
/// `variable` is one of [`shared`], and a barrier stands between this and its readers.
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
