//! A queue of threads: a ring buffer as large as the largest block. So it never grows, and indexing is a mask.

use crate::block::MAX_THREADS;

const SIZE: usize = (MAX_THREADS as usize).next_power_of_two();

/// The queue. A thread is in it at most once, so it cannot overflow.
pub struct Ring {
    slots: [u16; SIZE],
    /// Total pushes and pops, wrapping.
    pushed: u32,
    popped: u32,
}

impl Ring {
    /// An empty queue.
    pub fn new() -> Ring {
        Ring {
            slots: [0; SIZE],
            pushed: 0,
            popped: 0,
        }
    }

    /// Appends a thread.
    #[inline(always)]
    pub fn push(&mut self, thread: u16) {
        debug_assert!(self.len() < SIZE);
        self.slots[self.pushed as usize % SIZE] = thread;
        self.pushed = self.pushed.wrapping_add(1);
    }

    /// Takes the first thread.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<u16> {
        if self.pushed == self.popped {
            return None;
        }
        let thread = self.slots[self.popped as usize % SIZE];
        self.popped = self.popped.wrapping_add(1);
        Some(thread)
    }

    /// Takes the thread at a place in the queue. The first thread gets its place.
    pub fn take(&mut self, place: usize) -> u16 {
        let first = self.popped as usize % SIZE;
        self.slots
            .swap(first, (self.popped as usize).wrapping_add(place) % SIZE);
        self.popped = self.popped.wrapping_add(1);
        self.slots[first]
    }

    /// How many threads are in the queue.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.pushed.wrapping_sub(self.popped) as usize
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.pushed == self.popped
    }

    /// Empties the queue.
    pub fn clear(&mut self) {
        self.popped = self.pushed;
    }

    /// The threads in order.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        (0..self.len() as u32).map(|at| self.slots[self.popped.wrapping_add(at) as usize % SIZE])
    }

    /// Moves all threads of `other` to the end of this queue.
    pub fn append(&mut self, other: &mut Ring) {
        while let Some(thread) = other.pop() {
            self.push(thread);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_across_the_wrap() {
        let (mut ring, mut other) = (Ring::new(), Ring::new());
        for round in 0..5_u16 {
            for thread in 0..1000 {
                ring.push(thread);
            }
            for thread in 0..997 {
                assert_eq!(ring.pop(), Some(thread), "round {round}");
            }
            assert_eq!(ring.iter().collect::<Vec<_>>(), [997, 998, 999]);
            other.append(&mut ring);
            assert!(ring.is_empty());
        }
        assert_eq!(other.len(), 15);
        other.clear();
        assert_eq!(other.pop(), None);
    }
}
