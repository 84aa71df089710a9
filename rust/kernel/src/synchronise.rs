//! Order between threads.

use core::arch::nvptx;

use crate::intrinsics;

/// Waits until every thread of the block has called it. What they wrote before, all of them see behind it.
///
/// A thread of the block that never comes is a deadlock, which the virtual GPU reports.
#[inline(always)]
pub fn barrier() {
    intrinsics::barrier(0);
}

/// Orders the thread's accesses to memory before it and behind it, as other threads of the device see them.
#[inline(always)]
pub fn fence() {
    intrinsics::fence();
}

/// Ends the kernel, which fails.
#[inline(always)]
pub fn trap() -> ! {
    // SAFETY: a trap has no precondition.
    unsafe { nvptx::trap() }
}
