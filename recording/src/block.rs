//! The block of device memory that a recorded program allocates from, first fit.

use std::collections::BTreeMap;

/// Alignment of every allocation, as [`plugin_api::Device::alloc`] promises.
pub const ALIGNMENT: u64 = 256;

/// Which parts of the block are allocated.
#[derive(Debug)]
pub struct Block {
    size: u64,
    /// Size and reserved size by offset.
    used: BTreeMap<u64, (u64, u64)>,
    /// Size by offset.
    holes: BTreeMap<u64, u64>,
}

impl Block {
    /// A block of `size` bytes, all free.
    pub fn new(size: u64) -> Block {
        Block {
            size,
            used: BTreeMap::new(),
            holes: BTreeMap::from([(0, size)]),
        }
    }

    /// The offset of `size` free bytes.
    pub fn alloc(&mut self, size: u64) -> Option<u64> {
        let reserved = size.max(1).checked_next_multiple_of(ALIGNMENT)?;
        let (&offset, &hole) = self.holes.iter().find(|(_, hole)| **hole >= reserved)?;
        self.holes.remove(&offset);
        if hole > reserved {
            self.holes.insert(offset + reserved, hole - reserved);
        }
        self.used.insert(offset, (size, reserved));
        Some(offset)
    }

    /// Frees what `alloc` gave. False for anything else.
    pub fn free(&mut self, offset: u64) -> bool {
        let Some((_, mut size)) = self.used.remove(&offset) else {
            return false;
        };
        let mut start = offset;
        if let Some((&before, &length)) = self.holes.range(..offset).next_back()
            && before + length == offset
        {
            self.holes.remove(&before);
            (start, size) = (before, size + length);
        }
        if let Some(length) = self.holes.remove(&(start + size)) {
            size += length;
        }
        self.holes.insert(start, size);
        true
    }

    /// The allocations: offset and size.
    pub fn allocations(&self) -> impl Iterator<Item = (u64, u64)> {
        self.used.iter().map(|(&offset, &(size, _))| (offset, size))
    }

    /// Total bytes and free bytes.
    pub fn sizes(&self) -> (u64, u64) {
        (self.size, self.holes.values().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_grow_together_again() {
        let mut block = Block::new(4 * ALIGNMENT);
        let places: Vec<_> = (0..4).map(|_| block.alloc(1).unwrap()).collect();
        assert_eq!(places, [0, 256, 512, 768]);
        assert_eq!(block.alloc(1), None);
        for index in [1, 3, 2] {
            assert!(block.free(places[index]));
        }
        assert!(!block.free(places[1]), "freed twice");
        assert_eq!(block.alloc(3 * ALIGNMENT), Some(256));
        assert_eq!(
            block.allocations().collect::<Vec<_>>(),
            [(0, 1), (256, 768)]
        );
        assert_eq!(block.sizes(), (1024, 0));
        assert_eq!(block.alloc(u64::MAX), None);
    }
}
