//! What only AMD GPUs have. The lanes of a wave (a warp: 32 or 64 lanes) run in lockstep. There is nothing to wait for
//! within a wave, and a lane must never wait for another lane of its own wave, which could not go on. Blocks have one
//! barrier, for all their waves.

use super::grid::thread_id;
use super::optimiser::{nest_seen, nest_show};
use crate::arch::limits::Lanes;

/// Whether the lanes of a warp may run in lockstep, so that one cannot wait for another.
pub const LOCKSTEP: bool = true;

/// Whether the device heap is so simple that nothing is gained by taking memory from a state buffer instead.
pub const SIMPLE_HEAP: bool = true;

/// Whether they do not after all.
#[inline(always)]
pub fn lanes_are_independent() -> bool {
    ll::omptarget_arch_independent_lanes() != 0
}

/// How often [`ticks`] counts in a second; `None`: the host says, because GPUs differ.
pub const TICKS_PER_SECOND: Option<u64> = None;

mod ll {
    // SAFETY: defined in arch-amdgcn.ll with these very types.
    unsafe extern "C" {
        pub safe fn omptarget_arch_wave_size() -> u32;
        pub safe fn omptarget_arch_independent_lanes() -> u32;
        pub safe fn omptarget_arch_block_barrier();
        pub safe fn omptarget_arch_sync_wave();
        pub safe fn omptarget_arch_active_lanes() -> u64;
        pub safe fn omptarget_arch_permute(address: u32, value: u32) -> u32;
        pub safe fn omptarget_arch_ballot(predicate: bool) -> u64;
        pub safe fn omptarget_arch_ticks() -> u64;
    }
}

/// Lanes per wave. The compiler knows it once it knows the GPU.
#[inline(always)]
pub fn warp_size() -> u32 {
    ll::omptarget_arch_wave_size()
}

/// Waits for every wave of the block that has not ended. Orders memory within the block.
#[inline(always)]
pub fn block_barrier() {
    // Only the fences of the barrier order memory, and the optimiser takes them for writes of everything. The thread's
    // own nest word does not change, so it is shown again for the optimiser to know it afterwards.
    let nest = nest_seen();
    ll::omptarget_arch_block_barrier();
    nest_show(nest);
}

/// The same: openmp-opt assumes of every barrier of an AMD GPU that all threads reach it together.
#[inline(always)]
pub fn block_barrier_together() {
    block_barrier()
}

/// [`block_barrier`]: the hardware knows no other.
#[inline(always)]
pub fn block_barrier_aligned_if(_together: bool) {
    block_barrier()
}

/// There are no barriers for a part of the block.
#[inline(always)]
pub fn group_barrier(_threads: u32) -> bool {
    false
}

/// The lanes named, of which this is one, run this together. Orders memory among them.
#[inline(always)]
pub fn sync_warp(_lanes: Lanes) {
    ll::omptarget_arch_sync_wave()
}

/// The lanes that execute this together.
#[inline(always)]
pub fn active_lanes() -> Lanes {
    ll::omptarget_arch_active_lanes()
}

/// The value that the lane `delta` further on passes in, within groups of `width` lanes. All
/// `_lanes` take part.
#[inline(always)]
pub fn shuffle_down(_lanes: Lanes, value: u32, delta: u32, width: u32) -> u32 {
    let lane = thread_id() % warp_size();
    let within = (lane & (width - 1)) + delta < width;
    let from = if within { lane + delta } else { lane };
    // `ds_bpermute` addresses lanes by byte, four to a lane.
    ll::omptarget_arch_permute(from * 4, value)
}

/// A clock that runs at one rate on the whole device.
#[inline(always)]
pub fn ticks() -> u64 {
    ll::omptarget_arch_ticks()
}

/// Those of `lanes` that run this together and pass in true.
#[inline(always)]
pub fn ballot(lanes: Lanes, predicate: bool) -> Lanes {
    ll::omptarget_arch_ballot(predicate) & lanes
}
