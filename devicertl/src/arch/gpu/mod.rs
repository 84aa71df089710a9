//! What the runtime does the same way on NVIDIA and AMD GPUs. Where they differ, each has a module of its own (`nvptx`,
//! `amdgcn`). Hand-written LLVM assembly does what Rust cannot express: shared memory, convergence, scopes, access
//! types. It stands in `shared.ll` and in `arch-nvptx.ll` or `arch-amdgcn.ll`. scripts/build-device links it in and
//! inlines it.

#[cfg(target_arch = "amdgpu")]
mod amdgcn;
mod assembly;
mod grid;
mod memory;
mod nest_words;
#[cfg(target_arch = "nvptx64")]
mod nvptx;
mod optimiser;
mod trap;
#[cfg(target_arch = "nvptx64")]
mod trap_record;

#[cfg(target_arch = "amdgpu")]
use amdgcn as own;
#[cfg(target_arch = "nvptx64")]
use nvptx as own;

pub use grid::{
    assume_mode, block_count, block_id, block_index, block_shape, block_threads, grid_shape,
    is_generic_shape, is_spmd, processor, thread_id, thread_index,
};
pub use memory::{
    allocate, copy_pairs, count_up, dynamic_shared, dynamic_shared_size, fence_block, fence_device,
    fence_system, fill, pause, peek, peek_pointer, release, send_references,
};
pub use nest_words::{
    generic_begin, master_nest_load, master_nest_store, nest_load, nest_store, spmd_begin,
    thread_state_slots,
};
pub use optimiser::{
    executes_warp_by_warp, is_known, is_known_to_hold, is_own, nest_seen, nest_show, object_size,
};
pub use own::{
    LOCKSTEP, SIMPLE_HEAP, TICKS_PER_SECOND, active_lanes, ballot, block_barrier,
    block_barrier_aligned_if, block_barrier_together, group_barrier, lanes_are_independent,
    shuffle_down, sync_warp, ticks, warp_size,
};
pub use trap::{assert_failed, trap, trap_number, trap_with};

/// Makes a function for each of the block's shared variables, which gives a pointer to it.
macro_rules! shared_variables {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        $($(#[$doc])* #[inline(always)] pub fn $name() -> *mut $type {
            // SAFETY: shared.ll defines `omptarget_shared_*` with room for the type
            // (checked against these types by devicertl/src/tests/layout.rs).
            unsafe extern "C" {
                #[link_name = concat!("omptarget_shared_", stringify!($name))]
                safe fn getter() -> *mut core::ffi::c_void;
            }
            getter().cast()
        })*
    };
}
pub(crate) use shared_variables;
