//! Event counters of multiprocessors, and their sums over a device.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use plugin_api::Counters;

/// A multiprocessor's counts since they were last collected.
#[derive(Debug, Default)]
pub struct SmCounters {
    /// Instructions of the image, if the code counts them.
    instructions: Cell<u64>,
    /// How often the multiprocessor switched to another thread.
    switches: Cell<u64>,
}

impl SmCounters {
    /// Counts a switch to another thread.
    #[inline(always)]
    pub fn switched(&self) {
        self.switches.set(self.switches.get() + 1);
    }

    /// As [`SmCounters::switched`], this many times.
    pub fn switched_times(&self, times: u64) {
        self.switches.set(self.switches.get() + times);
    }

    /// Adds the instructions of a thread that has ended.
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
    /// Adds a multiprocessor's counts and resets them.
    pub fn collect(&self, from: &SmCounters) {
        for (sum, count) in [
            (&self.instructions, from.instructions.take()),
            (&self.switches, from.switches.take()),
        ] {
            // Nothing is no reason to take the cache line from other workers.
            if count > 0 {
                sum.fetch_add(count, Ordering::Relaxed);
            }
        }
    }

    /// The sums. They include a launch once it has ended.
    pub fn sums(&self) -> Counters {
        Counters {
            instructions: self.instructions.load(Ordering::Relaxed),
            switches: self.switches.load(Ordering::Relaxed),
        }
    }
}
