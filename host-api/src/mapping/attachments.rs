//! Attached pointers: pointer variables inside a mapping whose device copy holds a device address (OpenMP 5.2, 5.8.6
//! "pointer attachment").
//!
//! A copy of the mapping must not overwrite them: the host keeps its host address, the device its device address.

use std::collections::BTreeMap;
use std::ops::Range;

/// The attached pointers of one mapping, by their host address.
#[derive(Debug, Default)]
pub struct Attachments {
    by_host: BTreeMap<u64, Box<[u8]>>,
}

impl Attachments {
    /// Records that the pointer at `host` has `bytes` on the device: a pointer, or a Fortran descriptor that begins
    /// with one. Returns false if that was recorded already.
    pub fn insert(&mut self, host: u64, bytes: &[u8]) -> bool {
        if self
            .by_host
            .get(&host)
            .is_some_and(|known| **known == *bytes)
        {
            return false;
        }
        self.by_host.insert(host, bytes.into());
        true
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_host.is_empty()
    }

    /// Whether any attached pointer lies in `range`, even in part.
    pub fn touches(&self, range: &Range<u64>) -> bool {
        self.overlapping(range).next().is_some()
    }

    /// Overwrites the pointers in `image`, a copy of the host bytes at `range`, with their device bytes.
    pub fn patch_for_device(&self, range: &Range<u64>, image: &mut [u8]) {
        for (host, bytes) in self.overlapping(range) {
            overlay(range, image, host, bytes);
        }
    }

    /// The parts of `range` without attached pointers, as offsets from its start.
    pub fn gaps(&self, range: &Range<u64>) -> Vec<Range<usize>> {
        let mut gaps = Vec::new();
        let mut at = range.start;
        for (host, bytes) in self.overlapping(range) {
            if host > at {
                gaps.push((at - range.start) as usize..(host - range.start) as usize);
            }
            at = at.max(host + bytes.len() as u64);
        }
        if at < range.end {
            gaps.push((at - range.start) as usize..(range.end - range.start) as usize);
        }
        gaps
    }

    fn overlapping<'a>(&'a self, range: &Range<u64>) -> impl Iterator<Item = (u64, &'a [u8])> {
        let start = range.start;
        // A pointer that begins before the range may extend into it. Descriptors have less than 4 KiB.
        self.by_host
            .range(start.saturating_sub(4096)..range.end)
            .map(|(host, bytes)| (*host, &**bytes))
            .filter(move |(host, bytes)| host + bytes.len() as u64 > start)
    }
}

/// Writes the part of `bytes` (at host address `host`) that falls into `range` over `image`.
fn overlay(range: &Range<u64>, image: &mut [u8], host: u64, bytes: &[u8]) {
    let from = host.max(range.start);
    let to = (host + bytes.len() as u64).min(range.end);
    if from < to {
        let source = &bytes[(from - host) as usize..(to - host) as usize];
        image[(from - range.start) as usize..(to - range.start) as usize].copy_from_slice(source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_and_gaps() {
        let mut attachments = Attachments::default();
        assert!(attachments.insert(108, &[1; 8]));
        assert!(!attachments.insert(108, &[1; 8]));
        assert!(attachments.insert(108, &[2; 8]));
        assert!(attachments.insert(124, &[3; 8]));
        let range = 100..128;
        let mut image = [0u8; 28];
        attachments.patch_for_device(&range, &mut image);
        assert_eq!(image[8..16], [2; 8]);
        assert_eq!(image[24..28], [3; 4]);
        assert_eq!(image[..8], [0; 8]);
        assert_eq!(attachments.gaps(&range), [0..8, 16..24]);
        assert_eq!(
            attachments.gaps(&(110..120)).as_slice(),
            std::slice::from_ref(&(6..10))
        );
        assert!(!attachments.touches(&(116..124)));
        assert!(attachments.touches(&(115..116)));
    }
}
