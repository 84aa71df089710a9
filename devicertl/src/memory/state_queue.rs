//! Queues of state buffers (*fork-join* paper, §V-C-b): memory for team state that shared memory has no room for.
//!
//! Every SM has a queue of at most 32 buffers, as many as it can have resident teams. A team's master takes a buffer
//! out when it first needs one and puts it back when the kernel ends. Buffers are made when first needed and kept for
//! the teams that follow, so a kernel that needs none pays nothing and one that does pays for the device heap once.
//!
//! A queue is two words of 32 bits: which of its places have a buffer that nobody uses, and which have a buffer at
//! all. Both change with one atomic operation, so there is no ABA problem and nothing to wait for: a team that is
//! preempted between taking and putting back holds one buffer and nothing else. A team that finds no buffer (all are
//! out, because blocks that were preempted hold some) gets one from the heap that returns there.

use crate::arch;
use crate::arch::atomic::{
    AtomicPtr, AtomicU32,
    Ordering::{AcqRel, Relaxed, Release},
};
use core::ffi::c_void;
use core::ptr::null_mut;

/// Buffers of one queue.
pub const PLACES: usize = 32;

/// A queue of buffers.
#[derive(Debug)]
pub struct Queue {
    /// Places whose buffer is not in use.
    idle: AtomicU32,
    /// Places that have a buffer, or whose buffer is being made.
    made: AtomicU32,
    buffers: [AtomicPtr<c_void>; PLACES],
}

/// A buffer that was taken out, and the place it goes back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The memory.
    pub buffer: *mut c_void,
    /// Its place in the queue; `None`: it is the heap's.
    pub place: Option<u32>,
}

impl Queue {
    /// A queue without buffers.
    #[allow(
        clippy::declare_interior_mutable_const,
        reason = "what each queue of a static array starts with"
    )]
    pub const EMPTY: Queue = Queue {
        idle: AtomicU32::new(0),
        made: AtomicU32::new(0),
        buffers: [const { AtomicPtr::new(null_mut()) }; PLACES],
    };

    /// Takes a buffer out. `make` makes one if there is none; it returns null if there is no memory, and then the
    /// result is `None`.
    pub fn take(&self, make: impl FnOnce() -> *mut c_void) -> Option<Taken> {
        if let Some(place) = self.take_idle() {
            return Some(Taken {
                buffer: self.buffers[place as usize].load(Relaxed),
                place: Some(place),
            });
        }
        let buffer = make();
        if buffer.is_null() {
            return None;
        }
        let place = self.take_place();
        if let Some(place) = place {
            // Seen by whoever takes the buffer after it was put back.
            self.buffers[place as usize].store(buffer, Relaxed);
        }
        Some(Taken { buffer, place })
    }

    /// The place of a buffer that nobody uses, which is used now.
    fn take_idle(&self) -> Option<u32> {
        loop {
            let idle = self.idle.load(Relaxed);
            let first = lowest(idle)?;
            if self.idle.fetch_and(!first, AcqRel) & first != 0 {
                // LLVM 22.1 drops the order that the operation asks for (NVPTX); the same in `put_back`.
                arch::fence_device();
                return Some(place(first));
            }
        }
    }

    /// A place without a buffer, which has one now.
    fn take_place(&self) -> Option<u32> {
        loop {
            let made = self.made.load(Relaxed);
            let first = lowest(!made)?;
            if self.made.fetch_or(first, Relaxed) & first == 0 {
                return Some(place(first));
            }
        }
    }

    /// Puts a buffer back; `release` returns memory to the heap.
    pub fn put_back(&self, taken: Taken, release: impl FnOnce(*mut c_void)) {
        match taken.place {
            Some(place) => {
                arch::fence_device();
                self.idle.fetch_or(1 << place, Release);
            }
            None => release(taken.buffer),
        }
    }
}

/// The place of a bit. (The remainder tells the optimiser that it is one.)
fn place(bit: u32) -> u32 {
    bit.trailing_zeros() % PLACES as u32
}

/// The lowest bit of a word that has any.
fn lowest(word: u32) -> Option<u32> {
    (word != 0).then_some(word & word.wrapping_neg())
}
