//! Memory of the host's that the program lets kernels access (CUDA's `cudaHostRegister`). All virtual GPUs of a process
//! share its addresses, so they share this table, too.
//!
//! Compiled code asks when an address is outside the device window, before it calls that a fault.

use std::collections::BTreeMap;

use parking_lot::RwLock;

use crate::arena::Span;

/// Starts and lengths. Ranges do not overlap.
static RANGES: RwLock<BTreeMap<u64, u64>> = RwLock::new(BTreeMap::new());

/// Adds a range. `false`: it overlaps another one.
pub fn add(span: Span) -> bool {
    let mut ranges = RANGES.write();
    let before = ranges.range(..span.end()).next_back();
    let overlaps = before.is_some_and(|(start, len)| start + len > span.start);
    if !overlaps {
        ranges.insert(span.start, span.len);
    }
    !overlaps
}

/// Removes the range that starts here.
pub fn remove(start: u64) {
    RANGES.write().remove(&start);
}

/// Whether all bytes are in one range.
pub fn contain(address: u64, len: u64) -> bool {
    let ranges = RANGES.read();
    let nearest = ranges.range(..=address).next_back();
    nearest.is_some_and(|(&start, &size)| Span { start, len: size }.contains(address, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_until_they_are_removed() {
        let span = |start, len| Span { start, len };
        assert!(add(span(0x1000, 0x100)));
        assert!(!add(span(0x10ff, 1)) && !add(span(0xfff, 2)) && !add(span(0, 0x5000)));
        assert!(add(span(0x1100, 8)));
        assert!(contain(0x1000, 0x100) && contain(0x1107, 1));
        assert!(!contain(0x1000, 0x101) && !contain(0x1108, 1) && !contain(0xfff, 1));
        remove(0x1000);
        assert!(!contain(0x1000, 1) && contain(0x1100, 8));
        remove(0x1100);
    }
}
