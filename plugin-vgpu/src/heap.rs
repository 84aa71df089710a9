//! The device heap: `malloc`, `realloc` and `free` in kernels.
//!
//! Small blocks come in size classes, from spans of 64 KiB. Every multiprocessor caches free blocks
//! ([`HeapCache`]), so the usual call takes no lock. Bookkeeping lies outside the heap's memory, where a stray
//! store of a kernel cannot reach it. One bit per 16 bytes marks allocated blocks.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use parking_lot::Mutex;
use plugin_api::Result;

use crate::arena::{Arena, Span};
use crate::window::{PAGE, Protection, Region};

/// Bytes of a small block, by class. Classes grow by at most a half, so at most a third is wasted.
const CLASSES: [u64; 23] = [
    16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
    12288, 16384, 21840, 24576, 32768,
];
const SPAN: u64 = 64 << 10;
/// Unit of the allocation bits and of alignment.
const UNIT: u64 = 16;
/// Free blocks per class that a multiprocessor caches. Beyond that it gives half of them back.
const KEPT: usize = 512;

/// The heap of one device.
pub struct Heap {
    region: Region,
    /// Per span: class + 1, or 0.
    classes: Box<[AtomicU8]>,
    /// One bit per [`UNIT`], at a small block's first unit.
    allocated: Region,
    shared: Mutex<Shared>,
}

struct Shared {
    arena: Arena,
    free: [Vec<u64>; CLASSES.len()],
}

/// A multiprocessor's cache of free blocks. Only this multiprocessor hands them out.
#[derive(Default)]
pub struct HeapCache {
    classes: [ClassCache; CLASSES.len()],
}

#[derive(Default)]
struct ClassCache {
    free: Vec<u64>,
    /// The part of a span that was never used.
    fresh: u64,
    fresh_end: u64,
}

impl Heap {
    /// A heap of `size` bytes. Only pages in use take memory.
    pub fn new(size: u64) -> Result<Heap> {
        let region = Region::reserve(size.next_multiple_of(SPAN), SPAN)?;
        let span = region.span();
        let allocated = Region::reserve(span.len / UNIT / 8, PAGE)?;
        allocated.protect(0, allocated.span().len, Protection::ReadWrite)?;
        let classes = (0..span.len / SPAN).map(|_| AtomicU8::new(0)).collect();
        let shared = Shared {
            arena: Arena::new(span),
            free: [const { Vec::new() }; CLASSES.len()],
        };
        Ok(Heap {
            region,
            classes,
            allocated,
            shared: Mutex::new(shared),
        })
    }

    /// The heap's addresses.
    pub fn span(&self) -> Span {
        self.region.span()
    }

    /// `size` bytes aligned to 16. 0 when the heap is exhausted.
    pub fn alloc(&self, cache: &mut HeapCache, size: u64) -> u64 {
        let class = CLASSES.partition_point(|&bytes| bytes < size);
        if class == CLASSES.len() {
            return self
                .open(&mut self.shared.lock(), size, PAGE)
                .map_or(0, |span| span.start);
        }
        let block = self.small(&mut cache.classes[class], class);
        if block != 0 {
            let (word, bit) = self.allocation_bit(block);
            word.fetch_or(bit, Ordering::Relaxed);
        }
        block
    }

    /// Frees a block. The error says what is wrong with the address.
    pub fn free(&self, cache: &mut HeapCache, address: u64) -> std::result::Result<(), String> {
        if address == 0 {
            return Ok(());
        }
        let wrong = || {
            format!("free({address:#x}): not an allocated block of the device heap (freed twice?)")
        };
        let span = self.span();
        if !span.contains(address, 1) {
            return Err(wrong());
        }
        let class = self.classes[((address - span.start) / SPAN) as usize].load(Ordering::Relaxed);
        if class == 0 {
            let mut shared = self.shared.lock();
            let freed = shared.arena.free(address).ok_or_else(wrong)?;
            self.close(freed.block);
            return Ok(());
        }
        let class = usize::from(class) - 1;
        if !((address - span.start) % SPAN).is_multiple_of(CLASSES[class]) {
            return Err(wrong());
        }
        let (word, bit) = self.allocation_bit(address);
        if word.fetch_and(!bit, Ordering::Relaxed) & bit == 0 {
            return Err(wrong());
        }
        self.keep(&mut cache.classes[class], class, address);
        Ok(())
    }

    /// `realloc`: a block of `size` bytes in place of the one at `address`, with the same contents as far as they
    /// fit. 0 when the heap is exhausted; the old block then stays. The error says what is wrong with the
    /// address.
    pub fn resize(
        &self,
        cache: &mut HeapCache,
        address: u64,
        size: u64,
    ) -> std::result::Result<u64, String> {
        if address == 0 {
            return Ok(self.alloc(cache, size));
        }
        let held = self.size_of(address).ok_or_else(|| {
            format!("realloc({address:#x}): not an allocated block of the device heap (freed?)")
        })?;
        // A block stays where it is if it is large enough and at least half used.
        if size <= held && size >= held / 2 {
            return Ok(address);
        }
        let block = self.alloc(cache, size);
        if block != 0 {
            let length = held.min(size) as usize;
            // SAFETY: both blocks are allocated, readable and writable for that many bytes, and distinct.
            unsafe {
                std::ptr::copy_nonoverlapping(address as *const u8, block as *mut u8, length);
            }
            self.free(cache, address)?;
        }
        Ok(block)
    }

    /// Bytes of the allocated block at `address`.
    fn size_of(&self, address: u64) -> Option<u64> {
        let span = self.span();
        if !span.contains(address, 1) {
            return None;
        }
        let class = self.classes[((address - span.start) / SPAN) as usize].load(Ordering::Relaxed);
        let Some(class) = usize::from(class).checked_sub(1) else {
            let large = self.shared.lock().arena.find(address)?;
            return (large.start == address).then_some(large.len);
        };
        let bytes = CLASSES[class];
        let (word, bit) = self.allocation_bit(address);
        let is_block = ((address - span.start) % SPAN).is_multiple_of(bytes)
            && word.load(Ordering::Relaxed) & bit != 0;
        is_block.then_some(bytes)
    }

    fn small(&self, cache: &mut ClassCache, class: usize) -> u64 {
        if let Some(block) = cache.free.pop() {
            return block;
        }
        let bytes = CLASSES[class];
        if cache.fresh + bytes > cache.fresh_end {
            let mut shared = self.shared.lock();
            let list = &mut shared.free[class];
            let from = list.len().saturating_sub(KEPT / 2);
            cache.free.extend(list.drain(from..));
            if let Some(block) = cache.free.pop() {
                return block;
            }
            let Some(span) = self.open(&mut shared, SPAN, SPAN) else {
                return 0;
            };
            (cache.fresh, cache.fresh_end) = (span.start, span.end());
            let index = (span.start - self.span().start) / SPAN;
            self.classes[index as usize].store(class as u8 + 1, Ordering::Relaxed);
        }
        cache.fresh += bytes;
        cache.fresh - bytes
    }

    fn keep(&self, cache: &mut ClassCache, class: usize, block: u64) {
        if cache.free.len() >= KEPT {
            let mut shared = self.shared.lock();
            shared.free[class].extend(cache.free.drain(KEPT / 2..));
        }
        cache.free.push(block);
    }

    fn allocation_bit(&self, block: u64) -> (&AtomicU64, u64) {
        let unit = (block - self.span().start) / UNIT;
        let word = self
            .allocated
            .base()
            .cast::<AtomicU64>()
            .wrapping_add((unit / 64) as usize);
        // SAFETY: the region has a bit for every unit of the heap and is only accessed atomically.
        (unsafe { &*word }, 1 << (unit % 64))
    }

    /// Takes whole pages from the arena and makes them accessible.
    fn open(&self, shared: &mut Shared, size: u64, align: u64) -> Option<Span> {
        let size = size.checked_next_multiple_of(PAGE)?;
        let span = shared.arena.alloc(size, align)?;
        let offset = span.start - self.span().start;
        if self
            .region
            .protect(offset, span.len, Protection::ReadWrite)
            .is_err()
        {
            shared.arena.free(span.start);
            return None;
        }
        Some(span)
    }

    /// Gives the pages of a large block back and makes them inaccessible.
    fn close(&self, block: Span) {
        let offset = block.start - self.span().start;
        self.region.discard(offset, block.len);
        // If this fails, the block stays accessible, and a stray access to it is not detected.
        let _ = self.region.protect(offset, block.len, Protection::None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn classes_ascend_in_units() {
        assert!(CLASSES.is_sorted() && CLASSES.iter().all(|bytes| bytes % UNIT == 0));
    }

    proptest! {
        /// Blocks are disjoint and aligned, whichever worker frees them.
        #[test]
        fn blocks_do_not_overlap(
            sizes in prop::collection::vec((0u64..100_000, any::<bool>(), any::<bool>()), 1..300),
        ) {
            let heap = Heap::new(16 << 20).unwrap();
            let mut caches = [HeapCache::default(), HeapCache::default()];
            let mut live: Vec<Span> = Vec::new();
            for (size, worker, free) in sizes {
                let cache = &mut caches[usize::from(worker)];
                if free && !live.is_empty() {
                    let span = live.swap_remove(live.len() / 2);
                    prop_assert_eq!(heap.free(cache, span.start), Ok(()));
                    prop_assert!(heap.free(cache, span.start).is_err());
                    continue;
                }
                let start = heap.alloc(cache, size);
                if start == 0 {
                    continue;
                }
                prop_assert_eq!(start % 16, 0);
                prop_assert!(heap.span().contains(start, size));
                for other in &live {
                    prop_assert!(start + size.max(1) <= other.start || other.end() <= start);
                }
                live.push(Span { start, len: size.max(1) });
            }
        }
    }

    #[test]
    fn exhaustion_gives_null_and_is_not_final() {
        let heap = Heap::new(1 << 20).unwrap();
        let mut cache = HeapCache::default();
        assert_eq!(heap.alloc(&mut cache, 2 << 20), 0);
        assert_eq!(heap.alloc(&mut cache, u64::MAX), 0);
        let blocks: Vec<u64> = std::iter::repeat_with(|| heap.alloc(&mut cache, 1000))
            .take_while(|&block| block != 0)
            .collect();
        assert_eq!(blocks.len(), 16 * 64);
        heap.free(&mut cache, blocks[5]).unwrap();
        assert_eq!(heap.alloc(&mut cache, 1000), blocks[5]);
    }

    #[test]
    fn resizing_keeps_the_bytes() {
        let heap = Heap::new(4 << 20).unwrap();
        let mut cache = HeapCache::default();
        let mut block = heap.resize(&mut cache, 0, 5).unwrap();
        let bytes = |block: u64, length: usize| {
            // SAFETY: the block holds at least so many bytes.
            unsafe { std::slice::from_raw_parts_mut(block as *mut u8, length) }
        };
        bytes(block, 5).copy_from_slice(b"bytes");
        for size in [16, 17, 40_000, 500_000, 2 << 20, 100, 5] {
            block = heap.resize(&mut cache, block, size).unwrap();
            assert_eq!(bytes(block, 5), b"bytes", "{size}");
            bytes(block, size as usize)[size as usize - 1] |= 0;
        }
        assert_eq!(heap.resize(&mut cache, block, 1 << 40), Ok(0));
        assert_eq!(bytes(block, 5), b"bytes");
        heap.free(&mut cache, block).unwrap();
        // Nothing was left behind: the heap holds its whole size again.
        let whole = heap.alloc(&mut cache, 3 << 20);
        assert!(whole != 0);
    }

    #[test]
    fn foreign_addresses_are_refused() {
        let heap = Heap::new(1 << 20).unwrap();
        let mut cache = HeapCache::default();
        let block = heap.alloc(&mut cache, 100);
        for wrong in [1, block + 16, block + 1, heap.span().end(), u64::MAX] {
            assert!(heap.free(&mut cache, wrong).is_err(), "{wrong:#x}");
            assert!(heap.resize(&mut cache, wrong, 8).is_err(), "{wrong:#x}");
        }
        assert_eq!(heap.free(&mut cache, 0), Ok(()));
    }
}
