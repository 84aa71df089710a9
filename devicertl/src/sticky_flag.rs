//! Whether the program ever does something rare.
//!
//! Such a flag is written only where the thing is done, and never reset. In programs without that code the optimiser
//! sees a constant, and drops everything that would deal with it.

use crate::arch;
use crate::arch::atomic::{self, AtomicU32, Ordering::Relaxed};

/// One such thing, in a `static` that is exported as `omptarget.sticky.NAME`: the virtual GPU's compiler has to know
/// that no loop waits for it. A thread that needs the answer has set the flag itself, or has met the thread that did at
/// a barrier.
#[derive(Debug)]
pub struct StickyFlag(AtomicU32);

impl StickyFlag {
    /// It has not been done.
    pub const fn new() -> StickyFlag {
        StickyFlag(AtomicU32::new(0))
    }

    /// It is done now.
    #[inline(always)]
    pub fn set(&self) {
        self.0.store(1, Relaxed);
    }

    /// Whether the program has code that does it, as far as the optimiser knows. It knows the flag where nothing sets
    /// it, and behind code that has just set it. At run time this costs nothing; [`get`](Self::get) reads global
    /// memory, some hundred cycles on a GPU. So whoever can tell from what is nearer asks this. Two places may get
    /// different answers while nothing sets the flag: code that is not optimised knows nothing.
    #[inline(always)]
    pub fn is_possible(&self) -> bool {
        let is_set = atomic::peek_u32(&self.0) != 0;
        // Not behind a branch on the flag, where the optimiser would know it.
        let is_known = arch::is_known(is_set.into());
        is_set | !is_known
    }

    /// Whether it was, by any thread, since the program was loaded.
    #[inline(always)]
    pub fn get(&self) -> bool {
        self.0.load(Relaxed) != 0
    }
}
