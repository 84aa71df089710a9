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
        core::iter::from_fn(|| Some(heap.allocate(48)).filter(|block| !block.is_null())).collect();
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
                for turn in 0..20_000u64 {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    if mine.len() < 8 && random >> 63 == 0 {
                        let block = heap.allocate(8 << (random >> 60 & 3)).cast::<u64>();
                        if !block.is_null() {
                            // SAFETY: at least 8 bytes, aligned to 16.
                            unsafe { block.write_volatile(thread << 32 | turn) };
                            mine.push((block, thread << 32 | turn));
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
