//! Freed memory of a device that is kept for the next allocation of its size.
//!
//! The runtime asks the kernel driver for every allocation, which maps its pages for the GPU, and unmaps them when it
//! is freed. A construct that maps data would pay for both each time it runs.

use std::collections::BTreeMap;

use crate::driver::HsaAgent;

/// The runtime allocates whole pages.
const PAGE: usize = 4096;

/// An allocation that nobody uses.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// Its address.
    pub address: u64,
    /// The other devices that may use it.
    pub shared_with: Vec<HsaAgent>,
}

/// The memory that is kept.
#[derive(Default)]
pub struct KeptMemory {
    /// The blocks by size.
    blocks: BTreeMap<u64, Vec<Block>>,
    /// The sum of their sizes.
    bytes: u64,
}

/// The size of the block for an allocation of so many bytes.
pub fn block_size(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(PAGE).unwrap_or(bytes)
}

impl KeptMemory {
    /// A block of this size. The one that was kept last is the likeliest to be in a cache.
    pub fn take(&mut self, size: u64) -> Option<Block> {
        let block = self.blocks.get_mut(&size)?.pop()?;
        self.bytes -= size;
        Some(block)
    }

    /// Keeps a block if no more than `most` bytes are kept then. Otherwise gives it back, to be freed.
    pub fn keep(&mut self, size: u64, block: Block, most: u64) -> Option<Block> {
        let bytes = self.bytes.saturating_add(size);
        if bytes > most {
            return Some(block);
        }
        self.bytes = bytes;
        self.blocks.entry(size).or_default().push(block);
        None
    }

    /// All blocks, to be freed.
    pub fn take_all(&mut self) -> Vec<Block> {
        self.bytes = 0;
        let all = std::mem::take(&mut self.blocks);
        all.into_values().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(address: u64) -> Block {
        Block {
            address,
            shared_with: Vec::new(),
        }
    }

    #[test]
    fn blocks_serve_their_own_size_up_to_a_limit() {
        let mut kept = KeptMemory::default();
        assert_eq!(kept.keep(4096, block(1), 12288), None);
        assert_eq!(kept.keep(8192, block(2), 12288), None);
        assert_eq!(kept.keep(4096, block(3), 12288), Some(block(3)));
        assert_eq!(kept.take(4096), Some(block(1)));
        assert_eq!(kept.take(4096), None);
        assert_eq!(kept.keep(4096, block(3), 12288), None);
        assert_eq!(kept.take_all(), [block(3), block(2)]);
        assert_eq!((kept.bytes, kept.take(8192)), (0, None));
    }

    #[test]
    fn blocks_are_whole_pages() {
        assert_eq!((block_size(1), block_size(4096)), (4096, 4096));
        assert_eq!(block_size(usize::MAX), usize::MAX);
    }
}
