//! A state buffer (*fork-join* paper, §V-C-b): what it holds.

use core::ffi::c_void;
use core::mem::offset_of;

use crate::arch::MAX_THREADS;
use crate::memory::pool::Pool;
use crate::team::icv::Icvs;

/// Bytes for shared locals and lists of references that shared memory has no room for.
pub const OVERFLOW: usize = 64 << OVERFLOW_UNIT;
/// Granularity of that: 128 bytes.
const OVERFLOW_UNIT: u32 = 7;

/// A state buffer.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct State {
    /// The workers' nest words. (First, for its alignment.)
    pub nest: [u16; MAX_THREADS],
    overflow: [u8; OVERFLOW],
    overflow_used: u64,
    /// The queue it goes back to and its place there, 32 and more for none.
    pub(super) queue: u32,
    pub(super) place: u32,
    /// The ICVs of the initial task.
    pub icvs: Icvs,
    /// Each thread's list of thread state; valid if its nest word says so.
    pub thread_states: [*mut c_void; MAX_THREADS],
}

/// The part of a state that shared locals overflow to.
pub fn overflow(state: *mut State) -> Pool {
    Pool {
        base: state.wrapping_byte_add(offset_of!(State, overflow)).cast(),
        unit: OVERFLOW_UNIT,
        units: 64,
        used: state
            .wrapping_byte_add(offset_of!(State, overflow_used))
            .cast(),
    }
}
