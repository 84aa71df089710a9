//! Numbers for the host's threads.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

/// A number that no other thread has, while there have been fewer than 2^32 threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadNumber(pub u32);

impl ThreadNumber {
    /// The calling thread's.
    pub fn of_this_thread() -> ThreadNumber {
        static LAST: AtomicU32 = AtomicU32::new(0);
        thread_local! {
            // 0: none yet. It needs no destructor, so it can still be read while the thread ends.
            static NUMBER: Cell<u32> = const { Cell::new(0) };
        }
        if NUMBER.get() == 0 {
            NUMBER.set(LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1));
        }
        ThreadNumber(NUMBER.get())
    }
}
