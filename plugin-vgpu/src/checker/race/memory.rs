//! The last accesses to all device memory.

use vgpu_abi::WINDOW_SHIFT;

use super::row::SEGMENT;
use super::segment::Segment;
use crate::arena::Span;

/// Bytes whose segments are made together.
const CHUNK: u64 = 256 << 10;

/// Segments of a chunk.
const COUNT: usize = (CHUNK / SEGMENT) as usize;

/// The segments of all device memory. They are made where memory is used.
pub struct Memory {
    /// By place in the device window. The system gives memory to those parts of the table that are used.
    chunks: Vec<Option<Box<[Segment; COUNT]>>>,
}

impl Default for Memory {
    fn default() -> Memory {
        let count = (1 << WINDOW_SHIFT) / CHUNK;
        Memory {
            chunks: vec![None; count as usize],
        }
    }
}

/// Which chunk an address lies in.
fn chunk_of(address: u64) -> usize {
    (address % (1 << WINDOW_SHIFT) / CHUNK) as usize
}

impl Memory {
    /// The segment that begins at an address of the device window.
    #[inline]
    pub fn segment(&mut self, address: u64) -> &mut Segment {
        let chunk = self.chunks[chunk_of(address)].get_or_insert_with(make);
        &mut chunk[(address % CHUNK / SEGMENT) as usize]
    }

    /// Begins to load the segment of an address, so that several are not waited for one after the other.
    #[inline]
    pub fn prefetch(&self, address: u64) {
        if let Some(chunk) = &self.chunks[chunk_of(address)] {
            prefetch(&chunk[(address % CHUNK / SEGMENT) as usize]);
        }
    }

    /// Forgets the accesses to a range: the memory is somebody else's now.
    pub fn forget(&mut self, Span { start, len }: Span) {
        let end = start + len;
        let mut at = start / CHUNK * CHUNK;
        while at < end {
            let (from, to) = (at.max(start), (at + CHUNK).min(end));
            if to - from == CHUNK {
                self.chunks[chunk_of(at)] = None;
            } else if let Some(segments) = &mut self.chunks[chunk_of(at)] {
                for (address, bytes) in pieces(from, to - from) {
                    segments[((address - at) / SEGMENT) as usize].forget(bytes);
                }
            }
            at += CHUNK;
        }
    }
}

#[inline]
fn prefetch(segment: &Segment) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86_64 has the instruction, which changes nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(segment).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = segment;
}

#[cold]
fn make() -> Box<[Segment; COUNT]> {
    let segments: Vec<_> = std::iter::repeat_with(Segment::default)
        .take(COUNT)
        .collect();
    segments
        .try_into()
        .unwrap_or_else(|_| unreachable!("as many as were taken"))
}

/// The segments of a range, by their addresses, and which of their bytes it has.
pub fn pieces(start: u64, len: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = start + len;
    let first = start / SEGMENT * SEGMENT;
    (first..end).step_by(SEGMENT as usize).map(move |segment| {
        let (from, to) = (start.max(segment), end.min(segment + SEGMENT));
        let bits = u64::MAX >> (SEGMENT - (to - from));
        (segment, bits << (from - segment))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_bytes_of_segments() {
        let found: Vec<_> = pieces(124, 70).collect();
        assert_eq!(found, [(64, 0xf << 60), (128, u64::MAX), (192, 0b11)]);
        assert_eq!(pieces(64, 0).count(), 0);
    }
}
