//! What a team keeps in global memory because it is needed rarely: a *state buffer*, taken from the queue of the
//! team's SM when the team first needs it (`state_queue`, *fork-join* paper, §V-C-b).
//!
//! Only teams of generic kernels have one. They pay for it with one pointer in shared memory, which is null while
//! everything is as it was when the kernel started: ICVs with their defaults, every worker where its role says. Kernels
//! that never take one do not pay.

use crate::arch;
use crate::arch::atomic::{self, AtomicPtr, Ordering::Relaxed};
use crate::memory::heap;
use crate::memory::state_queue::{Queue, Taken};
use crate::sticky_flag::StickyFlag;
use crate::team::icv::Icvs;
use crate::team::nest::Nest;
use crate::team::shared;
use crate::team::state_buffer::{State, overflow};
use core::ptr::null_mut;

/// Most SMs a device can have. A larger device would let SMs share queues.
const PROCESSORS: usize = 256;

static QUEUES: [Queue; PROCESSORS] = [const { Queue::EMPTY }; PROCESSORS];

/// Whether any team ever took one.
#[unsafe(export_name = "omptarget.sticky.state")]
pub static TAKEN: StickyFlag = StickyFlag::new();

/// Whether a worker of any generic kernel was ever elsewhere than its role says.
#[unsafe(export_name = "omptarget.sticky.elsewhere")]
pub static WORKERS_ELSEWHERE: StickyFlag = StickyFlag::new();

/// Whether the initial task of any team changed its ICVs.
#[unsafe(export_name = "omptarget.sticky.icvs")]
pub static ICVS_CHANGED: StickyFlag = StickyFlag::new();

/// Where the team's state is.
fn variable() -> &'static AtomicPtr<State> {
    // SAFETY: the variable lives as long as the kernel, and is only accessed as this.
    unsafe { AtomicPtr::from_ptr(shared::state()) }
}

/// Whether the team has its state, as far as the thread must know: it took it itself, or met the thread that did at a
/// barrier. The variable in shared memory says so; the flag is for the optimiser.
#[inline(always)]
pub fn any() -> bool {
    TAKEN.is_possible() && !atomic::peek_ptr(variable()).is_null()
}

/// The team's state, null if it has none. What the thread that took it wrote there is visible.
#[inline(always)]
pub fn current() -> *mut State {
    if !TAKEN.is_possible() {
        return null_mut();
    }
    let state = variable().load(Relaxed);
    if !state.is_null() {
        arch::fence_block();
    }
    state
}

/// Marks that the team has no state. The master of a generic kernel does so before anyone asks.
#[inline(always)]
pub fn init() {
    // SAFETY: the workers wait at the barrier of the pool.
    unsafe { atomic::begin_ptr(shared::state(), null_mut()) };
}

/// The team's state, which it gets now if it had none. Any thread may ask, also several at once.
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

/// The queue of that number. (The number is in range; the remainder shows that to the optimiser.)
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
        if ICVS_CHANGED.is_possible() {
            (*state).icvs = Icvs::DEFAULT;
        }
        if WORKERS_ELSEWHERE.is_possible() {
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
