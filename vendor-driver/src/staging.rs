//! Pinned memory of a stream: bytes that the device reads until the stream has passed what needs them.

use plugin_api::Result;

/// Bytes of a block of pinned memory, unless more are needed at once.
const BLOCK: usize = 16 << 10;

/// A maker's pinned memory.
pub trait PinnedMemory {
    /// Pinned memory of `size` bytes, aligned to at least 256.
    fn allocate(&self, size: usize) -> Result<*mut u8>;
}

/// The pinned memory of one stream. It grows by blocks up to a limit, and they serve again when the stream is empty.
pub struct Staging {
    /// Bytes that all blocks together may have.
    limit: usize,
    blocks: Vec<Block>,
    /// The block in use, and the bytes of it that are taken.
    current: usize,
    used: usize,
}

/// A block of pinned memory.
struct Block {
    memory: *mut u8,
    size: usize,
}

// SAFETY: the memory belongs to the process and has no other owner.
unsafe impl Send for Staging {}

impl Staging {
    /// No memory yet. `limit` is what it may take, in bytes.
    pub fn new(limit: usize) -> Staging {
        Staging {
            limit,
            blocks: Vec::new(),
            current: 0,
            used: 0,
        }
    }

    /// Room for `size` bytes at a multiple of `alignment`, at most 256, that is valid until [`Staging::clear`]. `None`:
    /// the limit is reached.
    pub fn room(
        &mut self,
        pinned: &impl PinnedMemory,
        size: usize,
        alignment: usize,
    ) -> Result<Option<*mut u8>> {
        while let Some(block) = self.blocks.get(self.current) {
            let start = self.used.next_multiple_of(alignment);
            if let Some(end) = start.checked_add(size).filter(|end| *end <= block.size) {
                self.used = end;
                return Ok(Some(block.memory.wrapping_add(start)));
            }
            self.current += 1;
            self.used = 0;
        }
        let held: usize = self.blocks.iter().map(|block| block.size).sum();
        let wanted = size.max(BLOCK);
        if wanted > self.limit.saturating_sub(held) {
            return Ok(None);
        }
        let memory = pinned.allocate(wanted)?;
        self.blocks.push(Block {
            memory,
            size: wanted,
        });
        self.used = size;
        Ok(Some(memory))
    }

    /// A copy of `bytes` in such room.
    pub fn keep(&mut self, pinned: &impl PinnedMemory, bytes: &[u8]) -> Result<Option<*const u8>> {
        let Some(place) = self.room(pinned, bytes.len(), 16)? else {
            return Ok(None);
        };
        // SAFETY: the place has room for the bytes, and nothing else uses it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        Ok(Some(place))
    }

    /// Discards all bytes.
    pub fn clear(&mut self) {
        (self.current, self.used) = (0, 0);
    }

    /// The blocks, for the plugin to free. None is left.
    pub fn take_blocks(&mut self) -> impl Iterator<Item = *mut u8> + use<> {
        self.clear();
        std::mem::take(&mut self.blocks)
            .into_iter()
            .map(|block| block.memory)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Memory of the test's own.
    #[derive(Default)]
    struct Heap(RefCell<Vec<Box<[u128]>>>);

    impl PinnedMemory for Heap {
        fn allocate(&self, size: usize) -> Result<*mut u8> {
            let mut memory = vec![0u128; size.div_ceil(16)].into_boxed_slice();
            let address = memory.as_mut_ptr().cast();
            self.0.borrow_mut().push(memory);
            Ok(address)
        }
    }

    #[test]
    fn bytes_stay_until_the_stream_is_empty() {
        let heap = Heap::default();
        let mut staging = Staging::new(3 * BLOCK);
        let text = staging.keep(&heap, b"text").unwrap().unwrap();
        let large = staging.room(&heap, BLOCK, 64).unwrap().unwrap();
        let more = staging.room(&heap, BLOCK - 8, 64).unwrap().unwrap();
        assert_eq!(heap.0.borrow().len(), 3);
        assert!(staging.room(&heap, 16, 16).unwrap().is_none());
        // SAFETY: the bytes are still there, and the rooms are as large as asked for.
        unsafe {
            large.write_bytes(1, BLOCK);
            more.write_bytes(2, BLOCK - 8);
            assert_eq!(std::slice::from_raw_parts(text, 4), b"text");
        }
        staging.clear();
        assert_eq!(staging.keep(&heap, b"x").unwrap().unwrap(), text);
        assert_eq!(staging.room(&heap, 4 * BLOCK, 16).unwrap(), None);
        assert_eq!(staging.take_blocks().count(), 3);
    }
}
