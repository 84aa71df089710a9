//! The device heap. Blocks are powers of two; each size has a stack of free blocks, and what was never used is handed
//! out from the front. Blocks are neither split nor joined: programs allocate a few sizes over and over.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What the heap aligns to, and the unit of its books.
pub const UNIT: u64 = 16;
/// A heap is at most this large, so that a unit's number fits in 32 bits.
pub const MOST_BYTES: u64 = UNIT << 32;
/// Sizes: `UNIT << class`.
const CLASSES: usize = 33;

/// A device heap: `__omptarget_heap`. The plugin sets `base` and `size`, everything else is zero at the start.
#[repr(C)]
#[derive(Debug)]
pub struct Heap {
    /// Address of the heap's memory, aligned to [`UNIT`].
    pub base: AtomicU64,
    /// Its size in bytes, at most [`MOST_BYTES`]; 0: there is no heap.
    pub size: AtomicU64,
    /// Bytes ever handed out from the front.
    used: AtomicU64,
    /// Free blocks of each size. The low part is the first block's unit plus one, 0 for none. Above it stands a count
    /// of changes, so that a block which was taken and given back meanwhile does not look unchanged.
    free: [AtomicU64; CLASSES],
}

/// Stands before each block. `next` is the unit plus one of the next free block.
#[repr(C)]
struct Header {
    state: AtomicU32,
    class: AtomicU32,
    next: AtomicU32,
    reserved: u32,
}

/// States of a block. No block starts as either by chance.
const TAKEN: u32 = 0x7a6b_c0de;
const FREE: u32 = 0xf4ee_c0de;

/// Why a pointer cannot be freed.
#[derive(Debug, PartialEq, Eq)]
pub struct NotAllocated;

impl Heap {
    /// A heap without memory.
    #[expect(
        clippy::new_without_default,
        reason = "an initial value for a static, which needs a const function"
    )]
    pub const fn new() -> Heap {
        Heap {
            base: AtomicU64::new(0),
            size: AtomicU64::new(0),
            used: AtomicU64::new(0),
            free: [const { AtomicU64::new(0) }; CLASSES],
        }
    }

    /// A block of at least that many bytes; null if there is none.
    pub fn allocate(&self, bytes: u64) -> *mut u8 {
        let Some(class) = class_for(bytes) else {
            return null_mut();
        };
        let fresh = || self.take_front(class);
        let larger = || (class + 1..CLASSES).find_map(|class| self.pop(class));
        match self.pop(class).or_else(fresh).or_else(larger) {
            Some(unit) => {
                let header = self.header(unit);
                header.state.store(TAKEN, Ordering::Relaxed);
                (&raw const *header)
                    .cast_mut()
                    .cast::<u8>()
                    .wrapping_add(UNIT as usize)
            }
            None => null_mut(),
        }
    }

    /// Gives a block back.
    pub fn release(&self, pointer: *mut u8) -> Result<(), NotAllocated> {
        let unit = self.unit_of(pointer)?;
        let header = self.header(unit);
        // One of two that free the same block finds it free.
        header
            .state
            .compare_exchange(TAKEN, FREE, Ordering::Relaxed, Ordering::Relaxed)
            .map_err(|_| NotAllocated)?;
        self.push(header.class.load(Ordering::Relaxed) as usize, unit);
        Ok(())
    }

    /// A block of at least `bytes` in place of `pointer`'s, with its contents as far as they fit. Null if there is no
    /// memory; the old block stays in use then.
    ///
    /// # Safety
    /// Nobody else uses the block meanwhile.
    pub unsafe fn resize(&self, pointer: *mut u8, bytes: u64) -> Result<*mut u8, NotAllocated> {
        let header = self.header(self.unit_of(pointer)?);
        if header.state.load(Ordering::Relaxed) != TAKEN {
            return Err(NotAllocated);
        }
        let held = (UNIT << header.class.load(Ordering::Relaxed)) - UNIT;
        if bytes <= held && bytes >= held / 2 {
            return Ok(pointer);
        }
        let block = self.allocate(bytes);
        if !block.is_null() {
            let length = held.min(bytes) as usize;
            // SAFETY: two blocks that are taken, with room for that many bytes; only the caller uses them.
            unsafe { core::ptr::copy_nonoverlapping(pointer, block, length) };
            self.release(pointer)?;
        }
        Ok(block)
    }

    /// The unit of a block's header.
    fn unit_of(&self, pointer: *mut u8) -> Result<u32, NotAllocated> {
        let offset = (pointer as u64).wrapping_sub(self.base.load(Ordering::Relaxed));
        if !offset.is_multiple_of(UNIT)
            || offset < UNIT
            || offset > self.used.load(Ordering::Relaxed)
        {
            return Err(NotAllocated);
        }
        Ok((offset / UNIT - 1) as u32)
    }

    fn header(&self, unit: u32) -> &Header {
        let address = self.base.load(Ordering::Relaxed) + u64::from(unit) * UNIT;
        // SAFETY: a unit within the heap's memory, where headers are only ever accessed by atomics.
        unsafe { &*(address as *const Header) }
    }

    /// A block from the part that was never used.
    fn take_front(&self, class: usize) -> Option<u32> {
        let bytes = UNIT << class;
        let size = self.size.load(Ordering::Relaxed).min(MOST_BYTES);
        let start = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes).filter(|&end| end <= size)
            })
            .ok()?;
        let unit = (start / UNIT) as u32;
        self.header(unit)
            .class
            .store(class as u32, Ordering::Relaxed);
        Some(unit)
    }

    fn pop(&self, class: usize) -> Option<u32> {
        let head = &self.free[class];
        let taken = head
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |head| {
                let unit = (head as u32).checked_sub(1)?;
                // Stale if another thread has taken the block by now. Then the count of changes differs.
                let next = self.header(unit).next.load(Ordering::Relaxed);
                Some(changed(head) | u64::from(next))
            })
            .ok()?;
        Some(taken as u32 - 1)
    }

    fn push(&self, class: usize, unit: u32) {
        let head = &self.free[class];
        let mut now = head.load(Ordering::Relaxed);
        loop {
            self.header(unit).next.store(now as u32, Ordering::Relaxed);
            let new = changed(now) | u64::from(unit + 1);
            match head.compare_exchange_weak(now, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }
}

/// The count of changes, one further.
fn changed(head: u64) -> u64 {
    (head & !0xffff_ffff).wrapping_add(1 << 32)
}

/// The smallest class with room for a header and that many bytes.
fn class_for(bytes: u64) -> Option<usize> {
    let units = bytes.max(1).checked_add(UNIT)?.div_ceil(UNIT);
    let class = units.next_power_of_two().trailing_zeros() as usize;
    (units <= 1 << (CLASSES - 1)).then_some(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A heap with memory of its own.
    struct Fixture {
        heap: Heap,
        _memory: Vec<u128>,
    }

    fn heap(bytes: usize) -> Fixture {
        let mut memory = vec![0u128; bytes / 16];
        let heap = Heap::new();
        heap.base
            .store(memory.as_mut_ptr() as u64, Ordering::Relaxed);
        heap.size.store(bytes as u64, Ordering::Relaxed);
        Fixture {
            heap,
            _memory: memory,
        }
    }

    #[test]
    fn without_memory_there_is_nothing() {
        assert!(Heap::new().allocate(1).is_null());
    }

    #[test]
    fn blocks_are_aligned_apart_and_reused() {
        let Fixture { heap, _memory } = heap(1 << 16);
        let sizes = [0, 1, 16, 17, 100, 1000, 4080];
        let blocks: Vec<_> = sizes
            .iter()
            .map(|&bytes| (heap.allocate(bytes), bytes))
            .collect();
        for &(block, bytes) in &blocks {
            assert!(!block.is_null() && (block as usize).is_multiple_of(16));
            // SAFETY: the block has that many bytes.
            unsafe { block.write_bytes(0x77, bytes as usize) };
        }
        let mut places: Vec<_> = blocks
            .iter()
            .map(|&(block, bytes)| (block as u64, bytes))
            .collect();
        places.sort_unstable();
        assert!(
            places
                .windows(2)
                .all(|pair| pair[0].0 + pair[0].1 <= pair[1].0)
        );
        for &(block, _) in &blocks {
            assert_eq!(heap.release(block), Ok(()));
        }
        assert_eq!(heap.allocate(1000), blocks[5].0);
    }

    #[test]
    fn exhaustion_is_null_and_not_for_ever() {
        let Fixture { heap, _memory } = heap(1024);
        let blocks: Vec<_> =
            core::iter::from_fn(|| Some(heap.allocate(48)).filter(|block| !block.is_null()))
                .collect();
        assert_eq!(blocks.len(), 1024 / 64);
        assert!(heap.allocate(1).is_null() && heap.allocate(500).is_null());
        assert_eq!(heap.release(blocks[3]), Ok(()));
        // A smaller request takes a larger block when there is no other.
        assert_eq!(heap.allocate(1), blocks[3]);
        assert!(
            [1 << 20, u64::MAX, u64::MAX - 15]
                .iter()
                .all(|&bytes| heap.allocate(bytes).is_null())
        );
    }

    #[test]
    fn what_is_no_block_is_not_freed() {
        let Fixture { heap, _memory } = heap(4096);
        let block = heap.allocate(100);
        let local = 0u128;
        for wrong in [
            block.wrapping_add(16),
            block.wrapping_add(1),
            block.wrapping_add(2048),
            (&raw const local).cast_mut().cast(),
            16 as *mut u8,
        ] {
            assert_eq!(heap.release(wrong), Err(NotAllocated));
        }
        assert_eq!(heap.release(block), Ok(()));
        assert_eq!(heap.release(block), Err(NotAllocated));
    }

    /// Threads allocate and free at random; whoever has a block finds in it only what it wrote itself.
    #[test]
    fn threads_never_get_the_same_block() {
        let Fixture { heap, _memory } = heap(1 << 16);
        std::thread::scope(|scope| {
            for thread in 1..=8u64 {
                let heap = &heap;
                scope.spawn(move || {
                    let mut random = thread.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let mut mine: Vec<(*mut u64, u64)> = Vec::new();
                    for iteration in 0..20_000u64 {
                        random = random
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1);
                        if mine.len() < 8 && random >> 63 == 0 {
                            let block = heap.allocate(8 << (random >> 60 & 3)).cast::<u64>();
                            if !block.is_null() {
                                // SAFETY: at least 8 bytes, aligned to 16.
                                unsafe { block.write_volatile(thread << 32 | iteration) };
                                mine.push((block, thread << 32 | iteration));
                            }
                        } else if !mine.is_empty() {
                            let (block, value) = mine.swap_remove(random as usize % mine.len());
                            // SAFETY: this thread's own block.
                            assert_eq!(unsafe { block.read_volatile() }, value);
                            assert_eq!(heap.release(block.cast()), Ok(()));
                        }
                    }
                    for (block, _) in mine {
                        assert_eq!(heap.release(block.cast()), Ok(()));
                    }
                });
            }
        });
    }

    #[test]
    fn resizing_keeps_the_bytes() {
        let Fixture { heap, _memory } = heap(1 << 16);
        // SAFETY: the test is the only user of its blocks.
        let resize = |block, bytes| unsafe { heap.resize(block, bytes) };
        let mut block = heap.allocate(5);
        // SAFETY: the block has five bytes.
        unsafe { block.copy_from_nonoverlapping(b"bytes".as_ptr(), 5) };
        for bytes in [16, 17, 4000, 20_000, 5] {
            block = resize(block, bytes).unwrap();
            // SAFETY: as above.
            assert_eq!(unsafe { core::slice::from_raw_parts(block, 5) }, b"bytes");
        }
        assert!(resize(block, 1 << 20).unwrap().is_null());
        assert_eq!(heap.release(block), Ok(()));
        assert_eq!(resize(block, 100), Err(NotAllocated));
        assert_eq!(resize(block.wrapping_add(1), 100), Err(NotAllocated));
    }
}
