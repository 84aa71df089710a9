//! Freed blocks of a device's memory that are kept for the next allocation of their size.
//!
//! An allocation costs a call of the driver at least, or pages that are mapped for the GPU. A construct that maps data
//! would pay for it each time it runs.

use std::collections::BTreeMap;

/// The blocks that are kept, by size. `B` is what the driver's plugin knows of a block.
#[derive(Debug)]
pub struct KeptBlocks<B> {
    blocks: BTreeMap<u64, Vec<B>>,
    /// The sum of their sizes.
    bytes: u64,
}

impl<B> Default for KeptBlocks<B> {
    fn default() -> KeptBlocks<B> {
        KeptBlocks {
            blocks: BTreeMap::new(),
            bytes: 0,
        }
    }
}

impl<B> KeptBlocks<B> {
    /// A block of this size. The one that was kept last is the likeliest to be in a cache.
    pub fn take(&mut self, size: u64) -> Option<B> {
        let block = self.blocks.get_mut(&size)?.pop()?;
        self.bytes -= size;
        Some(block)
    }

    /// Keeps a block if no more than `most` bytes are kept then. Otherwise gives it back, to be freed.
    pub fn keep(&mut self, size: u64, block: B, most: u64) -> Option<B> {
        let bytes = self.bytes.saturating_add(size);
        if bytes > most {
            return Some(block);
        }
        self.bytes = bytes;
        self.blocks.entry(size).or_default().push(block);
        None
    }

    /// All blocks, to be freed.
    pub fn take_all(&mut self) -> Vec<B> {
        self.bytes = 0;
        let all = std::mem::take(&mut self.blocks);
        all.into_values().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_serve_their_own_size_up_to_a_limit() {
        let mut kept = KeptBlocks::default();
        assert_eq!(kept.keep(4096, 1, 12288), None);
        assert_eq!(kept.keep(8192, 2, 12288), None);
        assert_eq!(kept.keep(4096, 3, 12288), Some(3));
        assert_eq!(kept.take(4096), Some(1));
        assert_eq!(kept.take(4096), None);
        assert_eq!(kept.keep(4096, 3, 12288), None);
        assert_eq!(kept.take_all(), [3, 2]);
        assert_eq!((kept.bytes, kept.take(8192)), (0, None));
    }
}
