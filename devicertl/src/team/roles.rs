//! Master and workers: which thread of a block has which role (*fork-join* paper, §V-B).

use crate::arch;

/// Threads that can take part in a parallel region: all but the master's warp.
#[inline(always)]
pub fn workers() -> u32 {
    if arch::is_spmd() {
        arch::block_threads()
    } else {
        arch::block_threads() - arch::warp_size()
    }
}

/// The first lane of the last warp.
#[inline(always)]
fn master_id() -> u32 {
    (arch::block_threads() - 1) / arch::warp_size() * arch::warp_size()
}

/// Whether this is the master of a generic kernel.
#[inline(always)]
pub fn is_master() -> bool {
    !arch::is_spmd() && arch::thread_id() == master_id()
}
