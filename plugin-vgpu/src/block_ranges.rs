//! Hands out the blocks of a grid to workers, in order and in ranges of neighbours.
//!
//! Neighbouring blocks mostly use neighbouring memory. Two CPUs that alternate between single blocks write to the
//! same pages at the same time, and each CPU prefetches what the other is writing. So a worker takes a range of
//! blocks: as many as keep it busy for [`RANGE_TIME`]. A range is short so that it costs other workers little,
//! both those that wait for a multiprocessor and those that have run out of work.
//!
//! Where blocks may wait for earlier ones, ranges are handed out in order, and a worker runs its range to the end
//! before it releases its multiprocessor. So the first block that has not ended is always running.
//!
//! Where no block waits, each worker has a part of the grid, and the same one in every launch, as threads have in
//! OpenMP's static schedule: what a launch left in a CPU's cache is what the next launch needs there. Who has finished
//! its part takes ranges of the others'.

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

    /// The next block and how many follow each other along x from there on, at most `most`; none if none is left.
    pub fn next_in_row(&mut self, most: u32) -> Option<([u32; 3], u32)> {
        let block = self.next;
        let row = self.grid[0] - block[0];
        let count = row.min(most).min(self.left.try_into().unwrap_or(u32::MAX));
        if count == 0 {
            return None;
        }
        self.left -= u64::from(count);
        self.next[0] += count;
        if self.next[0] == self.grid[0] {
            self.next = [0, block[1] + 1, block[2]];
            if self.next[1] == self.grid[1] {
                self.next = [0, 0, block[2] + 1];
            }
        }
        Some((block, count))
    }
}

impl Iterator for BlockRange {
    type Item = [u32; 3];

    fn next(&mut self) -> Option<[u32; 3]> {
        Some(self.next_in_row(1)?.0)
    }
}

/// The blocks of a grid that workers share.
pub struct BlockRanges {
    workers: u64,
    parts: Vec<Part>,
}

/// Neighbouring blocks that are handed out in order. On a cache line of its own, which its worker's CPU keeps until
/// others take of it.
#[repr(align(64))]
struct Part {
    /// The first block that no worker has taken.
    next: AtomicU64,
    end: u64,
}

impl BlockRanges {
    /// `blocks` for `workers`, of which there is at least one, in order.
    pub fn in_order(blocks: u64, workers: u64) -> BlockRanges {
        BlockRanges {
            workers,
            parts: vec![Part::new(0, blocks)],
        }
    }

    /// The same with a part for each worker.
    pub fn in_parts(blocks: u64, workers: u64) -> BlockRanges {
        let bound = |part| (u128::from(blocks) * u128::from(part) / u128::from(workers)) as u64;
        let parts = (0..workers).map(|part| Part::new(bound(part), bound(part + 1)));
        BlockRanges {
            workers,
            parts: parts.collect(),
        }
    }

    /// Whether there are blocks that no worker has taken. `worker` asks, who looks at its own part first.
    pub fn left(&self, worker: usize) -> bool {
        self.beginning_with(worker).any(|part| part.left() > 0)
    }

    /// How many blocks no worker has taken.
    pub fn count_left(&self) -> u64 {
        self.parts.iter().map(Part::left).sum()
    }

    /// The next range for a worker: at least one block and at most `most`, or none if none is left. It is a single
    /// block if there are no more blocks than workers: all blocks of such a grid may wait for each other.
    pub fn take(&self, worker: usize, most: u64) -> Range<u64> {
        let parts = self.beginning_with(worker);
        let mut taken = parts.map(|part| part.take(self.workers, most));
        taken.find(|range| !range.is_empty()).unwrap_or(0..0)
    }

    /// All parts, a worker's own first.
    fn beginning_with(&self, worker: usize) -> impl Iterator<Item = &Part> {
        let own = worker % self.parts.len();
        let (others, first) = self.parts.split_at(own);
        first.iter().chain(others)
    }
}

impl Part {
    fn new(first: u64, end: u64) -> Part {
        Part {
            next: AtomicU64::new(first),
            end,
        }
    }

    fn left(&self) -> u64 {
        self.end - self.next.load(Ordering::Relaxed)
    }

    fn take(&self, workers: u64, most: u64) -> Range<u64> {
        let mut first = self.next.load(Ordering::Relaxed);
        loop {
            let left = self.end - first;
            let count = (left / (2 * workers)).min(most).max(1).min(left);
            if count == 0 {
                return 0..0;
            }
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
    fn each_block_is_taken_once_and_in_order_unless_there_are_parts() {
        for (blocks, workers, most) in [(1, 1, 1), (1000, 3, 7), (100_000, 4, u64::MAX), (5, 8, 4)]
        {
            for in_parts in [false, true] {
                let ranges = match in_parts {
                    true => BlockRanges::in_parts(blocks, workers),
                    false => BlockRanges::in_order(blocks, workers),
                };
                let begin = Barrier::new(workers as usize);
                let work = |worker| {
                    begin.wait();
                    let mut mine = Vec::new();
                    while ranges.left(worker) {
                        mine.extend(ranges.take(worker, most));
                    }
                    mine
                };
                let mut all = std::thread::scope(|scope| {
                    let threads =
                        (0..workers as usize).map(|worker| scope.spawn(move || work(worker)));
                    let threads: Vec<_> = threads.collect();
                    let taken = threads.into_iter().map(|thread| thread.join().unwrap());
                    taken
                        .inspect(|mine| assert!(in_parts || mine.is_sorted()))
                        .collect::<Vec<_>>()
                        .concat()
                });
                all.sort_unstable();
                assert!(all.into_iter().eq(0..blocks), "{blocks} {workers} {most}");
                assert!(ranges.take(0, most).is_empty());
            }
        }
    }

    #[test]
    fn a_worker_begins_with_its_part_and_goes_on_with_the_others() {
        let ranges = BlockRanges::in_parts(10, 2);
        assert_eq!(ranges.count_left(), 10);
        assert_eq!(ranges.take(1, 1), 5..6);
        assert_eq!(ranges.count_left(), 9);
        assert_eq!(ranges.take(0, 1), 0..1);
        while ranges.take(1, 9).start >= 5 {}
        assert_eq!(ranges.take(1, 1), 2..3);
    }

    #[test]
    fn as_many_blocks_as_workers_go_one_by_one_and_the_last_ones_too() {
        let ranges = BlockRanges::in_order(4, 4);
        assert_eq!(ranges.take(0, u64::MAX), 0..1);
        let ranges = BlockRanges::in_order(100, 2);
        assert_eq!(ranges.take(0, u64::MAX), 0..25);
        assert_eq!(ranges.take(1, 10), 25..35);
        assert_eq!(ranges.take(0, u64::MAX), 35..51);
        let mut last = 0..0;
        while ranges.left(0) {
            last = ranges.take(0, u64::MAX);
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
    fn rows_of_blocks_end_with_the_grid_s_row_and_with_the_range() {
        let mut range = BlockRange::new([3, 2, 2], 1..11);
        let mut rows = Vec::new();
        while let Some(row) = range.next_in_row(u32::MAX) {
            rows.push(row);
        }
        let whole = [([0, 1, 0], 3), ([0, 0, 1], 3)];
        assert_eq!(rows[0], ([1, 0, 0], 2));
        assert_eq!(rows[1..3], whole);
        assert_eq!(rows[3..], [([0, 1, 1], 2)]);
        let mut few = BlockRange::new([5, 1, 1], 0..5);
        assert_eq!(few.next_in_row(4), Some(([0, 0, 0], 4)));
        assert_eq!(few.next_in_row(4), Some(([4, 0, 0], 1)));
        assert_eq!(few.next_in_row(4), None);
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
