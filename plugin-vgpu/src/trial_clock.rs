//! When a kernel's next trial is due: when its blocks have run for a while, and later for several times as long.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a kernel's blocks have run, in all its launches, and when the next trial is due.
#[derive(Debug)]
pub struct TrialClock {
    /// Nanoseconds that blocks have taken.
    spent: AtomicU64,
    blocks: AtomicU64,
    /// The next trial is due when so many nanoseconds are spent.
    next: AtomicU64,
}

impl TrialClock {
    /// The first trial is due after so much time.
    pub fn new(first: Duration) -> TrialClock {
        TrialClock {
            spent: AtomicU64::new(0),
            blocks: AtomicU64::new(0),
            next: AtomicU64::new(first.as_nanos() as u64),
        }
    }

    /// Notes that blocks ran for some time.
    pub fn ran(&self, blocks: u64, time: Duration) {
        self.blocks.fetch_add(blocks, Ordering::Relaxed);
        let time = time.as_nanos() as u64;
        self.spent.fetch_add(time, Ordering::Relaxed);
    }

    /// How many blocks have run.
    pub fn blocks(&self) -> u64 {
        self.blocks.load(Ordering::Relaxed)
    }

    /// How long they took.
    pub fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Ordering::Relaxed))
    }

    /// After how much time the next trial is due.
    pub fn next(&self) -> Duration {
        Duration::from_nanos(self.next.load(Ordering::Relaxed))
    }

    /// Whether it is due now.
    pub fn is_due(&self) -> bool {
        self.spent() >= self.next()
    }

    /// A trial has ended: the next one is due when the kernel has run `times` as long.
    pub fn trial_ended(&self, times: u64) {
        let next = self.spent.load(Ordering::Relaxed).saturating_mul(times);
        self.next.store(next, Ordering::Relaxed);
    }
}
