//! How long a kernel's blocks take, by which a launch asks for helpers.
//!
//! To hand blocks to another thread costs microseconds, and a thread that has helped spins for the next launch. That is
//! more than a short launch takes. Only for kernels whose blocks cannot wait for each
//! other is it known: others may need all multiprocessors at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::contention::Contention;
use crate::short_launches::{Position, Sharing};

/// A launch that is expected to take less wakes nobody. It is shared at most ([`crate::short_launches`]).
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
    /// Whether short launches are shared.
    pub sharing: Sharing,
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

    /// Whether a launch of so many blocks is too short to wake helpers for.
    pub fn is_short(&self, blocks: u64) -> bool {
        self.expected(blocks).is_some_and(|time| time < SHORT)
    }

    /// How long a launch should take alone, if that is known.
    fn expected(&self, blocks: u64) -> Option<Duration> {
        let block = self.block.load(Ordering::Relaxed);
        (block > 0).then(|| Duration::from_nanos(block.saturating_mul(blocks) / 1000))
    }

    /// How many of `most` helpers a launch of so many blocks is worth. `position`: `None` if CPUs are scarce.
    pub fn helpers(&self, blocks: u64, position: Option<Position>, most: u32) -> u32 {
        if !self.contention.wants_helpers() {
            return 0;
        }
        let Some(expected) = self.expected(blocks) else {
            return most;
        };
        if expected < SHORT {
            return position.map_or(0, |position| self.sharing.helpers(blocks, position, most));
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
        assert_eq!(block_time.helpers(2, None, 7), 7, "nothing is known");
        block_time.ran(10, Duration::from_micros(10));
        assert_eq!(block_time.helpers(49, None, 7), 0);
        assert_eq!(block_time.helpers(50, None, 20), 10);
        assert_eq!(block_time.helpers(1000, None, 7), 7);
        assert_eq!(block_time.helpers(u64::MAX, None, 7), 7);
    }

    #[test]
    fn late_ranges_count() {
        let block_time = BlockTime::default();
        block_time.ran(1, Duration::from_millis(1));
        for _ in 0..40 {
            block_time.ran(100, Duration::from_nanos(100));
        }
        assert_eq!(block_time.helpers(100, None, 1), 0);
    }
}
