//! Block sizes that fill a multiprocessor.

/// The block size for programs that specify none: the smallest size with which a multiprocessor holds the most
/// threads. Small blocks end independently of each other and have cheap barriers. Larger ones are better where a
/// multiprocessor runs out of blocks before it runs out of threads, as with much static shared memory.
///
/// `sizes` are the candidates, the smallest first.
pub fn best_block<E>(
    sizes: &[u32],
    max_threads: u32,
    resident_blocks: impl Fn(u32) -> Result<u32, E>,
) -> Result<u32, E> {
    let smallest = sizes.first().copied().unwrap_or(max_threads);
    let mut best = (0, smallest.min(max_threads));
    for size in sizes.iter().copied().filter(|size| *size <= max_threads) {
        let threads = resident_blocks(size)? * size;
        if threads > best.0 {
            best = (threads, size);
        }
    }
    Ok(best.1)
}

#[cfg(test)]
mod tests {
    use super::best_block;

    /// The best size on a multiprocessor with this many threads, blocks and bytes of shared memory, for a kernel
    /// with `own` bytes.
    fn best(max_threads: u32, threads: u32, blocks: u32, shared: u32, own: u32) -> u32 {
        let resident = |size: u32| {
            let by_shared = shared.checked_div(own).unwrap_or(u32::MAX);
            Ok::<_, ()>((threads / size).min(blocks).min(by_shared))
        };
        best_block(&[128, 256, 512, 1024], max_threads, resident).unwrap()
    }

    #[test]
    fn small_blocks_unless_blocks_run_out() {
        assert_eq!(best(1024, 2048, 32, 160 << 10, 0), 128);
        assert_eq!(best(1024, 1536, 16, 100 << 10, 0), 128);
        assert_eq!(best(1024, 2048, 32, 160 << 10, 10_470), 256);
        assert_eq!(best(1024, 2048, 32, 160 << 10, 48 << 10), 1024);
        assert_eq!(best(96, 2048, 32, 160 << 10, 0), 96);
        assert_eq!(best(256, 2048, 32, 160 << 10, 48 << 10), 256);
    }
}
