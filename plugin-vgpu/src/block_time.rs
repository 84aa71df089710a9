//! How long a kernel's blocks take, by which a launch asks for helpers.
//!
//! To hand blocks to another thread costs microseconds, and a thread that has helped spins for the next launch. That is
//! more than a short launch takes. Only for kernels whose blocks cannot wait for each
//! other is it known: others may need all multiprocessors at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::contention::Contention;

/// A launch that is expected to take less runs on its own thread.
const SHORT: Duration = Duration::from_micros(50);
/// What a thread that helps should have to do at least.
const SHARE: Duration = Duration::from_micros(5);
/// An average's weight, of as many as this.
const WEIGHT: u64 = 4;

/// The time of one kernel's blocks, shared by all its launches.
#[derive(Debug, Default)]
pub struct BlockTime {
    /// Picoseconds of a block, on the average of late ranges; 0 before the first.
    block: AtomicU64,
    /// Whether they take less alone.
    pub contention: Contention,
}

impl BlockTime {
    /// Nothing is known but this.
    #[cfg(test)]
    pub fn with(contention: Contention) -> BlockTime {
        BlockTime {
            contention,
            ..BlockTime::default()
        }
    }

    /// Notes that a range of blocks took so long. Ranges of several threads may overwrite each other's: it is an
    /// average all the same.
    pub fn ran(&self, blocks: u64, time: Duration) {
        let new = (time.as_nanos() as u64).saturating_mul(1000) / blocks.max(1);
        let old = self.block.load(Ordering::Relaxed);
        let average = match old {
            0 => new,
            _ => old - old / WEIGHT + new / WEIGHT,
        };
        self.block.store(average.max(1), Ordering::Relaxed);
        self.contention.ran(blocks, time);
    }

    /// How many of `most` helpers a launch of so many blocks is worth.
    pub fn helpers(&self, blocks: u64, most: u32) -> u32 {
        if !self.contention.wants_helpers() {
            return 0;
        }
        let block = self.block.load(Ordering::Relaxed);
        if block == 0 {
            return most;
        }
        let expected = Duration::from_nanos(block.saturating_mul(blocks) / 1000);
        if expected < SHORT {
            return 0;
        }
        let shares = expected.as_nanos() / SHARE.as_nanos();
        most.min(shares.try_into().unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_launches_ask_for_no_helpers() {
        let block_time = BlockTime::default();
        assert_eq!(block_time.helpers(2, 7), 7, "nothing is known");
        block_time.ran(10, Duration::from_micros(10));
        assert_eq!(block_time.helpers(49, 7), 0);
        assert_eq!(block_time.helpers(50, 20), 10);
        assert_eq!(block_time.helpers(1000, 7), 7);
        assert_eq!(block_time.helpers(u64::MAX, 7), 7);
    }

    #[test]
    fn late_ranges_count() {
        let block_time = BlockTime::default();
        block_time.ran(1, Duration::from_millis(1));
        for _ in 0..40 {
            block_time.ran(100, Duration::from_nanos(100));
        }
        assert_eq!(block_time.helpers(100, 1), 0);
    }
}
