//! What a block's accesses come after.

use super::row::Event;

/// What all accesses of the present block come after, whoever makes them.
#[derive(Clone, Copy, Default)]
pub struct Horizon {
    /// Number of the block.
    pub block: u32,
    /// Up to this time, all its threads know each other.
    pub all: u32,
    /// Blocks with lower numbers are over.
    pub settled: u32,
    /// The numbers of the launch's blocks, if nothing but the launch's end orders two of them.
    pub apart: (u32, u32),
}

impl Horizon {
    /// All blocks are over: what the others accessed was another memory.
    const ALONE: u32 = u32::MAX;

    /// The same for memory that only the present block has.
    pub fn of_own_memory(self) -> Horizon {
        Horizon {
            settled: Horizon::ALONE,
            apart: (0, 0),
            ..self
        }
    }

    /// Whether `new` surely comes after `old`, byte for byte.
    #[inline(always)]
    pub fn orders(&self, old: &Event, new: &Event) -> bool {
        let by_itself = || old.threads() == new.threads() && old.threads().is_one_each();
        self.is_behind(old) || old.block() == self.block && by_itself()
    }

    /// Whether everything that happens now comes after `old`.
    #[inline(always)]
    pub fn is_behind(&self, old: &Event) -> bool {
        match old.block() == self.block {
            true => old.time() <= self.all,
            false => old.block() < self.settled,
        }
    }

    /// Whether only the present block has the memory.
    #[inline(always)]
    pub fn is_own_memory(&self) -> bool {
        self.settled == Horizon::ALONE
    }

    /// Whether nothing that is still to come races with `old`.
    #[inline(always)]
    pub fn is_void(&self, old: &Event) -> bool {
        self.is_own_memory() && self.is_behind(old)
    }

    /// Whether only the launch's end orders `old` with other blocks.
    #[inline(always)]
    pub fn is_apart(&self, old: &Event) -> bool {
        (self.apart.0..self.apart.1).contains(&old.block())
    }
}
