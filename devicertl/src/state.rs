//! What a team keeps in global memory because it is needed rarely: a *state buffer*, taken from the queue of the
//! team's SM when the team first needs it (`queue`, *fork-join* paper, §V-C-b).
//!
//! Only teams of generic kernels have one. They pay for it with one pointer in shared memory, which is null while
//! everything is as it was when the kernel started: ICVs with their defaults, every thread where its role says.

use crate::arch::atomic::{
    AtomicPtr,
    Ordering::{AcqRel, Acquire},
};
use crate::arch::{self, MAX_THREADS, shared};
use crate::heap;
use crate::icv::Icvs;
use crate::pool::Pool;
use crate::private::Node;
use crate::queue::{Queue, Taken};
use core::mem::offset_of;
use core::ptr::null_mut;

/// Most SMs a device can have. A larger device would let SMs share queues.
const PROCESSORS: usize = 256;

/// Bytes for shared locals and lists of references that shared memory has no room for.
pub const OVERFLOW: usize = 64 * OVERFLOW_UNIT;
/// Granularity of that.
const OVERFLOW_UNIT: usize = 128;

/// A thread's nest word in the state: it is where its role says.
pub const BY_ROLE: u16 = u16::MAX;

/// A state buffer.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct State {
    /// Threads that are not where their role says. (First, for its alignment.)
    pub nest: [u16; MAX_THREADS],
    overflow: [u8; OVERFLOW],
    overflow_used: u64,
    /// The queue it goes back to and its place there, 32 and more for none.
    queue: u32,
    place: u32,
    /// The ICVs of the initial task.
    pub icvs: Icvs,
    /// Each thread's list of private state; valid if its nest word says so.
    pub private: [*mut Node; MAX_THREADS],
}

static QUEUES: [Queue; PROCESSORS] = [const { Queue::EMPTY }; PROCESSORS];

/// The team's state, null if it has none.
#[inline(always)]
pub fn current() -> *mut State {
    // SAFETY: null when the pool's first barrier let the workers go, changed by `need` only.
    unsafe { arch::receive(shared::state()) }
}

/// The team has no state. The master of a generic kernel says so before anyone asks.
#[inline(always)]
pub fn init() {
    // SAFETY: the workers wait at the barrier of the pool.
    unsafe { arch::send(shared::state(), null_mut()) };
}

/// The team's state, which it gets now if it had none. Any thread may ask, several at once, too.
#[cold]
#[inline(never)]
pub fn need() -> *mut State {
    let state = current();
    if !state.is_null() {
        // Another thread made it: behind this, what it wrote is there.
        arch::fence_block();
        return state;
    }
    let fresh = take();
    arch::fence_block();
    // SAFETY: the variable is only accessed as a whole.
    let variable = unsafe { AtomicPtr::from_ptr(shared::state()) };
    match variable.compare_exchange(null_mut(), fresh, AcqRel, Acquire) {
        Ok(_) => fresh,
        Err(other) => {
            put_back(fresh);
            other
        }
    }
}

#[inline(never)]
fn take() -> *mut State {
    let queue = arch::processor() % PROCESSORS as u32;
    let Some(taken) = QUEUES[queue as usize].take(|| arch::allocate(size_of::<State>())) else {
        heap::exhausted(size_of::<State>(), c"a team's state");
    };
    let state = taken.buffer.cast::<State>();
    overflow(state).clear();
    // SAFETY: this team's own until it is put back. `private` is read only after it was written.
    unsafe {
        (*state).queue = queue;
        (*state).place = taken.place.unwrap_or(u32::MAX);
        (*state).icvs = Icvs::DEFAULT;
        arch::fill(
            (&raw mut (*state).nest).cast(),
            arch::block_threads().div_ceil(4),
        );
    }
    state
}

#[inline(never)]
fn put_back(state: *mut State) {
    // SAFETY: the buffer is this team's.
    let (queue, place) = unsafe { ((*state).queue, (*state).place) };
    let taken = Taken {
        buffer: state.cast(),
        place: (place != u32::MAX).then_some(place),
    };
    arch::fence_device();
    // SAFETY: a buffer without a place came from the heap, and nobody uses it any more.
    QUEUES[queue as usize].put_back(taken, |buffer| unsafe { arch::release(buffer) });
}

/// Gives the team's state back: the kernel is over.
#[inline(always)]
pub fn end() {
    let state = current();
    if !state.is_null() {
        put_back(state);
    }
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
