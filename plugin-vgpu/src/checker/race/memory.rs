//! The last accesses to all device memory.

use std::collections::HashMap;

use super::row::SEGMENT;
use super::segment::Segment;
use crate::arena::Span;

/// Bytes whose segments are made together.
const CHUNK: u64 = 64 << 10;

/// Chunks that are found without a look-up, one of those with equal remainders.
const RECENT: usize = 64;

fn slot(chunk: u64) -> usize {
    (chunk / CHUNK) as usize % RECENT
}

/// The segments of all device memory. They are made where memory is used.
pub struct Memory {
    chunks: HashMap<u64, Box<[Segment]>>,
    /// Chunks that were used lately, and their segments.
    recent: [Option<(u64, *mut Segment)>; RECENT],
}

// SAFETY: `recent` points into boxes of `chunks`, and is used through `&mut self` only.
unsafe impl Send for Memory {}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            chunks: HashMap::new(),
            recent: [None; RECENT],
        }
    }
}

impl Memory {
    /// The segment that begins at an address.
    #[inline]
    pub fn segment(&mut self, address: u64) -> &mut Segment {
        let chunk = address / CHUNK * CHUNK;
        let index = ((address - chunk) / SEGMENT) as usize;
        let segments = match self.recent[slot(chunk)] {
            Some((known, segments)) if known == chunk => segments,
            _ => self.chunk(chunk),
        };
        // SAFETY: the chunk's segments stay where they are until `forget` removes the chunk, here, too.
        unsafe { &mut *segments.add(index) }
    }

    #[cold]
    fn chunk(&mut self, chunk: u64) -> *mut Segment {
        let made = self.chunks.entry(chunk).or_insert_with(|| {
            let segments = std::iter::repeat_with(Segment::default);
            segments.take((CHUNK / SEGMENT) as usize).collect()
        });
        let segments = made.as_mut_ptr();
        self.recent[slot(chunk)] = Some((chunk, segments));
        segments
    }

    /// Forgets the accesses to a range: the memory is somebody else's now.
    pub fn forget(&mut self, Span { start, len }: Span) {
        let end = start + len;
        let mut at = start / CHUNK * CHUNK;
        while at < end {
            let (from, to) = (at.max(start), (at + CHUNK).min(end));
            if to - from == CHUNK {
                self.recent[slot(at)] = None;
                self.chunks.remove(&at);
            } else if let Some(segments) = self.chunks.get_mut(&at) {
                for (address, bytes) in pieces(from, to - from) {
                    segments[((address - at) / SEGMENT) as usize].forget(bytes);
                }
            }
            at += CHUNK;
        }
    }
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
