//! What a team keeps in global memory because it is needed rarely: a *state buffer*, taken from the queue of the
//! team's SM when the team first needs it (`queue`, *fork-join* paper, §V-C-b).
//!
//! Only teams of generic kernels have one. They pay for it with one pointer in shared memory, which is null while
//! everything is as it was when the kernel started: ICVs with their defaults, every worker where its role says. Kernels
//! that never take one do not pay.

use crate::arch::atomic::{self, AtomicPtr, Ordering::Relaxed};
use crate::arch::{self, MAX_THREADS, shared};
use crate::memory::heap;
use crate::memory::pool::Pool;
use crate::memory::state_queue::{Queue, Taken};
use crate::sticky_flag::StickyFlag;
use crate::team::icv::{self, Icvs};
use crate::team::nest::{self, Nest};
use crate::team::thread_state::Node;
use core::mem::offset_of;
use core::ptr::null_mut;

/// Most SMs a device can have. A larger device would let SMs share queues.
const PROCESSORS: usize = 256;

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
    queue: u32,
    place: u32,
    /// The ICVs of the initial task.
    pub icvs: Icvs,
    /// Each thread's list of thread state; valid if its nest word says so.
    pub thread_states: [*mut Node; MAX_THREADS],
}

static QUEUES: [Queue; PROCESSORS] = [const { Queue::EMPTY }; PROCESSORS];

/// Whether any team ever took one.
#[unsafe(export_name = "omptarget.ever.state")]
pub static TAKEN: StickyFlag = StickyFlag::new();

/// Where the team's state is.
fn variable() -> &'static AtomicPtr<State> {
    // SAFETY: the variable lives as long as the kernel, and is only accessed as this.
    unsafe { AtomicPtr::from_ptr(shared::state()) }
}

/// The team's state, null if it has none. What the thread that took it wrote there is seen.
#[inline(always)]
pub fn current() -> *mut State {
    if !TAKEN.get() {
        return null_mut();
    }
    let state = variable().load(Relaxed);
    if !state.is_null() {
        arch::fence_block();
    }
    state
}

/// The team has no state. The master of a generic kernel says so before anyone asks.
#[inline(always)]
pub fn init() {
    // SAFETY: the workers wait at the barrier of the pool.
    unsafe { atomic::begin_ptr(shared::state(), null_mut()) };
}

/// The team's state, which it gets now if it had none. Any thread may ask, several at once, too.
#[cold]
#[inline(never)]
pub fn need() -> *mut State {
    let mut state = variable().load(Relaxed);
    if state.is_null() {
        TAKEN.set();
        let fresh = take();
        arch::fence_block();
        match variable().compare_exchange(null_mut(), fresh, Relaxed, Relaxed) {
            Ok(_) => return fresh,
            Err(other) => state = other,
        }
        put_back(fresh);
    }
    arch::fence_block();
    state
}

/// The queue of that number. (The number is in range; the remainder says so to the optimiser.)
fn queue_of(number: u32) -> &'static Queue {
    &QUEUES[number as usize % PROCESSORS]
}

#[inline(always)]
fn take() -> *mut State {
    let queue = arch::processor();
    let Some(taken) = queue_of(queue).take(|| arch::allocate(size_of::<State>())) else {
        heap::exhausted(size_of::<State>(), heap::purpose!("a team's state"));
    };
    let state = taken.buffer.cast::<State>();
    overflow(state).clear();
    // SAFETY: this team's own until it is put back. `thread_states` is read only after it was written.
    unsafe {
        (*state).queue = queue;
        (*state).place = taken.place.unwrap_or(u32::MAX);
        if icv::CHANGED.is_possible() {
            (*state).icvs = Icvs::DEFAULT;
        }
        if nest::ELSEWHERE.is_possible() {
            arch::fill(
                (&raw mut (*state).nest).cast(),
                Nest::GROUP.four(),
                arch::block_threads().div_ceil(4),
            );
        }
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
    // SAFETY: a buffer without a place came from the heap, and nobody uses it any more.
    queue_of(queue).put_back(taken, |buffer| unsafe { arch::release(buffer) });
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
