//! The end of a region: its tasks are complete, and what its threads kept for it goes.

use crate::tasking::scheduling;
use crate::team::nest::Nest;
use crate::team::thread_state;

/// Ends what belongs to regions deeper than `nest`, and leaves the thread as it was before it entered the region,
/// thread state included. (Every path ends with one store, so that the optimiser sees that a region changes nothing.)
#[inline(always)]
pub fn leave_to(nest: Nest) {
    if thread_state::any_inline() {
        unwind(nest.depth() + 1);
    }
    nest.store();
}

/// Ends everything: the kernel is over.
#[inline(always)]
pub fn leave_all() {
    if thread_state::any_inline() {
        unwind(0);
    }
}

/// Ends what belongs to regions of that depth and deeper.
#[cold]
#[inline(never)]
fn unwind(depth: u32) {
    scheduling::complete_all();
    thread_state::end_from(depth);
}
