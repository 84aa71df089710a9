//! Blocks in pieces: where a launch has fewer blocks than there are CPUs, several CPUs run subgroups of one block.
//!
//! `target parallel for` has one team, and `num_teams(1)` asks for one. On a GPU all of that is on one multiprocessor.
//! Threads that never wait need not be: nothing tells them on which one the others are, but `%smid`.

use std::ops::Range;

/// How the blocks of a launch are divided.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    /// Threads of a block.
    threads: u32,
    /// Threads of a subgroup.
    width: u32,
    /// Pieces of a block.
    count: u32,
}

impl Pieces {
    /// Whole blocks of so many threads.
    pub fn whole(threads: u32) -> Pieces {
        Pieces {
            threads,
            width: threads,
            count: 1,
        }
    }

    /// Blocks that are fewer than workers: in as many pieces of whole subgroups as make two for each worker, if there
    /// are so many. More blocks stay whole.
    pub fn of(threads: u32, width: u32, blocks: u64, workers: u32) -> Pieces {
        let workers = u64::from(workers);
        let enough = match blocks < workers {
            true => (2 * workers).div_ceil(blocks),
            false => 1,
        };
        Pieces {
            threads,
            width,
            count: enough.clamp(1, u64::from(threads / width).max(1)) as u32,
        }
    }

    /// Pieces of a block.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Pieces of so many blocks.
    pub fn total(self, blocks: u64) -> u64 {
        blocks * u64::from(self.count)
    }

    /// The block that a piece is of, and the threads that are in it. Pieces of all blocks are counted one by one.
    /// Threads behind a block's last whole subgroup are in its last piece.
    pub fn get(self, number: u64) -> (u64, Range<u32>) {
        let count = u64::from(self.count);
        let (block, piece) = (number / count, (number % count) as u32);
        let subgroups = self.threads / self.width;
        let begin = |piece| match piece == self.count {
            true => self.threads,
            false => subgroups * piece / self.count * self.width,
        };
        (block, begin(piece)..begin(piece + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_subgroups_and_make_up_the_block() {
        for (threads, width, blocks, workers) in [
            (128, 32, 1, 2),
            (128, 32, 1, 64),
            (1000, 16, 3, 5),
            (20, 32, 1, 4),
            (33, 32, 2, 9),
        ] {
            let pieces = Pieces::of(threads, width, blocks, workers);
            let count = pieces.total(1);
            for block in 0..blocks {
                let mut next = 0;
                for number in block * count..(block + 1) * count {
                    let (of, part) = pieces.get(number);
                    assert_eq!((of, part.start), (block, next));
                    assert!(part.start.is_multiple_of(width) && !part.is_empty());
                    next = part.end;
                }
                assert_eq!(next, threads);
            }
        }
    }

    #[test]
    fn there_are_as_many_as_workers_need() {
        let count = |threads, blocks, workers| Pieces::of(threads, 32, blocks, workers).count();
        assert_eq!(count(128, 1, 2), 4);
        assert_eq!(count(1024, 1, 2), 4);
        assert_eq!(count(128, 1, 16), 4, "a subgroup is not divided");
        assert_eq!(count(1024, 3, 16), 11);
        assert_eq!(count(1024, 15, 16), 3);
        assert_eq!(count(1024, 16, 16), 1);
        assert_eq!(count(1024, u64::MAX, 16), 1);
        assert_eq!(count(20, 1, 16), 1);
        assert_eq!(Pieces::whole(100).get(7), (7, 0..100));
    }
}
