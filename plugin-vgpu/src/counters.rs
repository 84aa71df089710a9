//! What multiprocessors count as they run blocks, and its sums over a device.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use plugin_api::Counters;

/// A multiprocessor's counts since they were last taken.
#[derive(Debug, Default)]
pub struct SmCounters {
    /// Instructions of the image, if the code counts them.
    instructions: Cell<u64>,
    /// Times the multiprocessor went on with another thread.
    switches: Cell<u64>,
}

impl SmCounters {
    /// Another thread goes on.
    #[inline(always)]
    pub fn switched(&self) {
        self.switches.set(self.switches.get() + 1);
    }

    /// A thread has ended that had executed so many instructions.
    #[inline(always)]
    pub fn executed(&self, instructions: u64) {
        self.instructions
            .set(self.instructions.get() + instructions);
    }
}

/// The sums over a device's multiprocessors.
#[derive(Debug, Default)]
pub struct DeviceCounters {
    instructions: AtomicU64,
    switches: AtomicU64,
}

impl DeviceCounters {
    /// Takes over what a multiprocessor has counted.
    pub fn collect(&self, from: &SmCounters) {
        self.instructions
            .fetch_add(from.instructions.take(), Ordering::Relaxed);
        self.switches
            .fetch_add(from.switches.take(), Ordering::Relaxed);
    }

    /// The sums. What a launch did is in them when the launch has ended.
    pub fn sums(&self) -> Counters {
        Counters {
            instructions: self.instructions.load(Ordering::Relaxed),
            switches: self.switches.load(Ordering::Relaxed),
        }
    }
}
