//! Hands out the blocks of a grid to workers, in order and in ranges of neighbours.
//!
//! Neighbouring blocks mostly use neighbouring memory. Two CPUs that alternate between single blocks write to the
//! same pages at the same time, and each CPU prefetches what the other is writing. So a worker takes a range of
//! blocks: as many as keep it busy for [`RANGE_TIME`]. A range is short so that it costs other workers little,
//! both those that wait for a multiprocessor and those that have run out of work.
//!
//! Ranges are handed out in order, and a worker runs its range to the end before it releases its multiprocessor.
//! So the first block that has not ended is always running, and blocks may wait for earlier ones.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a range should take.
const RANGE_TIME: Duration = Duration::from_micros(50);

/// The index with this linear number in a grid of blocks, or a block of threads, of these extents.
pub fn index_in(extents: [u32; 3], number: u64) -> [u32; 3] {
    let [x, y, _] = extents.map(u64::from);
    [number % x, number / x % y, number / x / y].map(|index| index as u32)
}

/// Block indices in order.
#[derive(Clone)]
pub struct BlockRange {
    grid: [u32; 3],
    next: [u32; 3],
    left: u64,
}

impl BlockRange {
    /// The blocks with the linear indices `indices`, in a grid of `grid` blocks per dimension.
    pub fn new(grid: [u32; 3], indices: Range<u64>) -> BlockRange {
        BlockRange {
            grid,
            next: index_in(grid, indices.start),
            left: indices.end - indices.start,
        }
    }

    /// Block `block` alone.
    pub fn of(block: [u32; 3]) -> BlockRange {
        BlockRange {
            grid: [u32::MAX; 3],
            next: block,
            left: 1,
        }
    }

    /// The next block, if any is left.
    pub fn first(&self) -> [u32; 3] {
        self.next
    }
}

impl Iterator for BlockRange {
    type Item = [u32; 3];

    fn next(&mut self) -> Option<[u32; 3]> {
        self.left = self.left.checked_sub(1)?;
        let block = self.next;
        self.next[0] += 1;
        if self.next[0] == self.grid[0] {
            self.next = [0, block[1] + 1, block[2]];
            if self.next[1] == self.grid[1] {
                self.next = [0, 0, block[2] + 1];
            }
        }
        Some(block)
    }
}

/// The blocks of a grid that workers share.
pub struct BlockRanges {
    blocks: u64,
    workers: u64,
    /// The first block that no worker has taken.
    next: AtomicU64,
}

impl BlockRanges {
    /// `blocks` for `workers`, of which there is at least one.
    pub fn new(blocks: u64, workers: u64) -> BlockRanges {
        BlockRanges {
            blocks,
            workers,
            next: AtomicU64::new(0),
        }
    }

    /// Whether there are blocks that no worker has taken.
    pub fn left(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.blocks
    }

    /// The next range: at least one block and at most `most`, or none if none is left. It is a single block if
    /// there are no more blocks than workers: all blocks of such a grid may wait for each other.
    pub fn take(&self, most: u64) -> Range<u64> {
        let mut first = self.next.load(Ordering::Relaxed);
        loop {
            let left = self.blocks - first;
            let count = (left / (2 * self.workers)).min(most).max(1).min(left);
            let taken = self.next.compare_exchange_weak(
                first,
                first + count,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match taken {
                Ok(_) => return first..first + count,
                Err(other) => first = other,
            }
        }
    }
}

/// The largest size of the next range, after a range of at most `blocks` blocks took `time`.
pub fn next_size(blocks: u64, time: Duration) -> u64 {
    if time > 2 * RANGE_TIME {
        (blocks / 2).max(1)
    } else if time < RANGE_TIME {
        blocks.saturating_mul(2)
    } else {
        blocks
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn each_block_is_taken_once_and_each_worker_takes_them_in_order() {
        for (blocks, workers, most) in [(1, 1, 1), (1000, 3, 7), (100_000, 4, u64::MAX), (5, 8, 4)]
        {
            let block_ranges = BlockRanges::new(blocks, workers);
            let begin = Barrier::new(workers as usize);
            let work = || {
                begin.wait();
                let mut mine = Vec::new();
                while block_ranges.left() {
                    mine.extend(block_ranges.take(most));
                }
                mine
            };
            let mut all = std::thread::scope(|scope| {
                let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
                let taken = workers.into_iter().map(|worker| worker.join().unwrap());
                taken
                    .inspect(|mine| assert!(mine.is_sorted()))
                    .collect::<Vec<_>>()
                    .concat()
            });
            all.sort_unstable();
            assert!(all.into_iter().eq(0..blocks), "{blocks} {workers} {most}");
            assert!(block_ranges.take(most).is_empty());
        }
    }

    #[test]
    fn as_many_blocks_as_workers_go_one_by_one_and_the_last_ones_too() {
        let block_ranges = BlockRanges::new(4, 4);
        assert_eq!(block_ranges.take(u64::MAX), 0..1);
        let block_ranges = BlockRanges::new(100, 2);
        assert_eq!(block_ranges.take(u64::MAX), 0..25);
        assert_eq!(block_ranges.take(10), 25..35);
        assert_eq!(block_ranges.take(u64::MAX), 35..51);
        let mut last = 0..0;
        while block_ranges.left() {
            last = block_ranges.take(u64::MAX);
        }
        assert_eq!(last, 99..100);
    }

    #[test]
    fn blocks_are_numbered_along_x_then_y_then_z() {
        let grid = [3, 2, 4];
        let all: Vec<_> = BlockRange::new(grid, 0..24).collect();
        assert_eq!(all.len(), 24);
        assert_eq!(all[..4], [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]]);
        assert_eq!(all[23], [2, 1, 3]);
        for (start, end) in [(0, 0), (5, 7), (6, 6), (11, 24)] {
            let some = BlockRange::new(grid, start as u64..end as u64);
            assert!(some.eq(all[start..end].iter().copied()), "{start} {end}");
        }
    }

    #[test]
    fn short_ranges_grow_and_long_ones_shrink() {
        assert_eq!(next_size(1, Duration::from_micros(1)), 2);
        assert_eq!(next_size(8, RANGE_TIME), 8);
        assert_eq!(next_size(8, Duration::from_millis(1)), 4);
        assert_eq!(next_size(1, Duration::from_secs(1)), 1);
        assert_eq!(next_size(u64::MAX, Duration::ZERO), u64::MAX);
    }
}
