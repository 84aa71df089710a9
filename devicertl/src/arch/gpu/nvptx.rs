//! What only NVIDIA GPUs have, from sm_70 on: named barriers, and lanes that make progress independently. So warp
//! operations name their lanes.

use crate::arch::executes_warp_by_warp;
use crate::arch::limits::Lanes;

/// Lanes per warp.
#[inline(always)]
pub fn warp_size() -> u32 {
    32
}

/// Whether the lanes of a warp may run in lockstep, so that one cannot wait for another.
pub const LOCKSTEP: bool = false;

/// Whether the device heap is so simple that nothing is gained by taking memory from a state buffer instead.
pub const SIMPLE_HEAP: bool = false;

/// Whether they do not after all.
#[inline(always)]
pub fn lanes_are_independent() -> bool {
    true
}

/// How often [`ticks`] counts in a second; `None`: the host says.
pub const TICKS_PER_SECOND: Option<u64> = Some(1_000_000_000);

mod ll {
    // SAFETY: defined in arch-nvptx.ll with these very types.
    unsafe extern "C" {
        pub safe fn omptarget_arch_block_barrier();
        pub safe fn omptarget_arch_block_barrier_together();
        pub safe fn omptarget_arch_block_barrier_aligned();
        pub safe fn omptarget_arch_group_barrier(threads: u32);
        pub safe fn omptarget_arch_sync_warp(lanes: u32);
        pub safe fn omptarget_arch_active_lanes() -> u32;
        pub safe fn omptarget_arch_shuffle_down(
            lanes: u32,
            value: u32,
            delta: u32,
            clamp: u32,
        ) -> u32;
        pub safe fn omptarget_arch_ballot(lanes: u32, predicate: bool) -> u32;
        pub safe fn omptarget_arch_nanoseconds() -> u64;
    }
}

/// Waits for every thread of the block that has not ended. Orders memory within the block.
#[inline(always)]
pub fn block_barrier() {
    ll::omptarget_arch_block_barrier()
}

/// [`block_barrier`] where all threads of the block reach this very call, which openmp-opt is told.
#[inline(always)]
pub fn block_barrier_together() {
    ll::omptarget_arch_block_barrier_together()
}

/// [`block_barrier`], in fewer instructions where the lanes of each warp come together (PTX ISA, "barrier":
/// `.aligned`).
#[inline(always)]
pub fn block_barrier_aligned_if(together: bool) {
    if together {
        ll::omptarget_arch_block_barrier_aligned()
    } else {
        block_barrier()
    }
}

/// Waits for the first `threads` threads of the block, and only those, if the hardware can: whether it could.
/// Barriers count whole warps; those of the virtual GPU count threads (docs/vgpu.md, "Barriers").
#[inline(always)]
pub fn group_barrier(threads: u32) -> bool {
    let is_counted = executes_warp_by_warp() || threads.is_multiple_of(warp_size());
    if is_counted {
        ll::omptarget_arch_group_barrier(threads);
    }
    is_counted
}

/// Waits for the lanes named, of which this is one. Orders memory among them.
#[inline(always)]
pub fn sync_warp(lanes: Lanes) {
    ll::omptarget_arch_sync_warp(lanes as u32)
}

/// The lanes that happen to execute this together.
#[inline(always)]
pub fn active_lanes() -> Lanes {
    ll::omptarget_arch_active_lanes().into()
}

/// The value that the lane `delta` further on passes in, within groups of `width` lanes. All
/// `lanes` take part.
#[inline(always)]
pub fn shuffle_down(lanes: Lanes, value: u32, delta: u32, width: u32) -> u32 {
    // PTX `shfl.sync`: bits 8-12 of `c` are the group mask, bits 0-4 the clamp.
    ll::omptarget_arch_shuffle_down(
        lanes as u32,
        value,
        delta,
        ((warp_size() - width) << 8) | (warp_size() - 1),
    )
}

/// A clock that runs at one rate on the whole device.
#[inline(always)]
pub fn ticks() -> u64 {
    ll::omptarget_arch_nanoseconds()
}

/// Those of `lanes`, all of which take part, that pass in true.
#[inline(always)]
pub fn ballot(lanes: Lanes, predicate: bool) -> Lanes {
    ll::omptarget_arch_ballot(lanes as u32, predicate).into()
}
