//! A set of threads of a block.

use crate::block::MAX_THREADS;

const WORDS: usize = MAX_THREADS as usize / 64;

/// Threads, by their linear index in the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadSet([u64; WORDS]);

impl ThreadSet {
    /// All threads that a block can have.
    pub fn all() -> ThreadSet {
        ThreadSet([u64::MAX; WORDS])
    }

    /// One thread.
    pub fn one(thread: u16) -> ThreadSet {
        ThreadSet::lanes(thread, 1)
    }

    /// The threads from `first` on that have a bit in `lanes`.
    pub fn lanes(first: u16, lanes: u64) -> ThreadSet {
        let mut set = ThreadSet::default();
        let (word, shift) = (usize::from(first) / 64, u32::from(first) % 64);
        set.0[word] = lanes << shift;
        if let Some(next) = set.0.get_mut(word + 1)
            && shift > 0
        {
            *next = lanes >> (64 - shift);
        }
        set
    }

    /// Whether it has a thread.
    pub fn has(&self, thread: u16) -> bool {
        self.0[usize::from(thread) / 64] >> (thread % 64) & 1 != 0
    }

    /// Adds the threads of another set.
    pub fn add(&mut self, other: &ThreadSet) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    /// Removes the threads of another set.
    pub fn remove(&mut self, other: &ThreadSet) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
    }

    /// Whether the two have a thread in common.
    pub fn meets(&self, other: &ThreadSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether it has all threads of another set.
    pub fn covers(&self, other: &ThreadSet) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| b & !a == 0)
    }

    /// How many threads it has.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_may_cross_a_word() {
        let set = ThreadSet::lanes(40, u64::MAX >> 32);
        assert!(!set.has(39) && set.has(40) && set.has(71) && !set.has(72));
        assert_eq!(set.count(), 32);
        assert!(set.covers(&ThreadSet::lanes(64, 1)) && !set.meets(&ThreadSet::lanes(0, 1)));
        let mut last = ThreadSet::lanes(1023, 1);
        last.add(&set);
        assert_eq!(last.count(), 33);
    }
}
