//! A best-fit address allocator. It hands out address ranges and never touches the memory behind them. Device
//! memory, the regions of the device window and large blocks of the device heap use it.

use std::collections::{BTreeMap, BTreeSet};

/// Start and length of every range are multiples of this, as `cudaMalloc` guarantees.
pub const GRANULE: u64 = 256;

/// A range of addresses, `start..start + len`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First address.
    pub start: u64,
    /// Bytes.
    pub len: u64,
}

impl Span {
    /// One past the last address.
    pub fn end(self) -> u64 {
        self.start + self.len
    }

    /// Whether `len` bytes at `address` lie in the range.
    pub fn contains(self, address: u64, len: u64) -> bool {
        address >= self.start
            && address - self.start <= self.len
            && len <= self.len - (address - self.start)
    }
}

#[derive(Clone, Copy)]
struct Used {
    /// Bytes taken from the arena.
    reserved: u64,
    /// Bytes that were requested. Only these may be accessed.
    requested: u64,
}

/// What [`Arena::free`] gave back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freed {
    /// The range that was allocated.
    pub block: Span,
    /// The free range it is part of now.
    pub hole: Span,
}

/// The allocator. All operations take O(log n) in the number of ranges.
pub struct Arena {
    /// The free ranges but the last one.
    holes: BTreeMap<u64, u64>,
    holes_by_len: BTreeSet<(u64, u64)>,
    /// The free range at the arena's end, perhaps empty. It serves what fits into no hole. Mostly there is no other,
    /// and what is taken from it and given back to it is in no tree but that of the used ranges.
    top: Span,
    used: BTreeMap<u64, Used>,
    total: u64,
    available: u64,
}

impl Arena {
    /// An arena over `span`, cut to whole granules.
    pub fn new(span: Span) -> Arena {
        let start = span.start.next_multiple_of(GRANULE);
        let end = span.end() / GRANULE * GRANULE;
        let len = end.saturating_sub(start);
        Arena {
            holes: BTreeMap::new(),
            holes_by_len: BTreeSet::new(),
            top: Span { start, len },
            used: BTreeMap::new(),
            total: len,
            available: len,
        }
    }

    /// Bytes the arena spans.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bytes that are not allocated. They need not be contiguous.
    pub fn available(&self) -> u64 {
        self.available
    }

    /// Allocates `size` bytes aligned to `align`, a power of two that is raised to [`GRANULE`]. A `size` of 0
    /// takes one granule. Gives `None` when no hole is large enough.
    pub fn alloc(&mut self, size: u64, align: u64) -> Option<Span> {
        let len = size.max(1).checked_next_multiple_of(GRANULE)?;
        let align = align.max(GRANULE);
        let hole = self.hole_for(len, align);
        let from = hole.unwrap_or(self.top);
        let start = from.start.checked_next_multiple_of(align)?;
        if !from.contains(start, len) {
            return None;
        }
        if let Some(hole) = hole {
            self.remove_hole(hole);
        }
        if start > from.start {
            self.add_hole(Span {
                start: from.start,
                len: start - from.start,
            });
        }
        let rest = Span {
            start: start + len,
            len: from.end() - start - len,
        };
        match hole {
            None => self.top = rest,
            Some(_) if rest.len > 0 => self.add_hole(rest),
            Some(_) => {}
        }
        self.used.insert(
            start,
            Used {
                reserved: len,
                requested: size,
            },
        );
        self.available -= len;
        Some(Span { start, len })
    }

    /// Lets only the first bytes of an allocated range count as requested. What follows is a gap.
    pub fn leave_gap(&mut self, start: u64, requested: u64) {
        if let Some(used) = self.used.get_mut(&start) {
            used.requested = requested;
        }
    }

    /// Frees the range that starts at `start` and joins it with free neighbours. Gives `None` if no allocated
    /// range starts there.
    pub fn free(&mut self, start: u64) -> Option<Freed> {
        let used = self.used.remove(&start)?;
        let block = Span {
            start,
            len: used.reserved,
        };
        self.available += block.len;
        let mut hole = block;
        if let Some((&before, &len)) = self.holes.range(..start).next_back()
            && before + len == start
        {
            self.remove_hole(Span { start: before, len });
            hole = Span {
                start: before,
                len: len + hole.len,
            };
        }
        if block.end() == self.top.start {
            hole.len += self.top.len;
            self.top = hole;
            return Some(Freed { block, hole });
        }
        if let Some(&len) = self.holes.get(&block.end()) {
            self.remove_hole(Span {
                start: block.end(),
                len,
            });
            hole.len += len;
        }
        self.add_hole(hole);
        Some(Freed { block, hole })
    }

    /// The allocated range that `address` lies in, cut to the requested bytes.
    pub fn find(&self, address: u64) -> Option<Span> {
        let (&start, used) = self.used.range(..=address).next_back()?;
        let span = Span {
            start,
            len: used.requested,
        };
        (address < start + used.reserved).then_some(span)
    }

    /// A hole before the top that holds `len` bytes aligned to `align`. Tries the smallest few holes first, then takes
    /// one so large that alignment cannot matter.
    fn hole_for(&self, len: u64, align: u64) -> Option<Span> {
        const TRIES: usize = 8;
        let span = |&(len, start): &(u64, u64)| Span { start, len };
        let fits = |hole: &Span| hole.contains(hole.start.next_multiple_of(align), len);
        let mut smallest = self.holes_by_len.range((len, 0)..).map(span).take(TRIES);
        smallest.find(fits).or_else(|| {
            let surely = len.checked_add(align - GRANULE)?;
            self.holes_by_len.range((surely, 0)..).next().map(span)
        })
    }

    fn add_hole(&mut self, hole: Span) {
        self.holes.insert(hole.start, hole.len);
        self.holes_by_len.insert((hole.len, hole.start));
    }

    fn remove_hole(&mut self, hole: Span) {
        self.holes.remove(&hole.start);
        self.holes_by_len.remove(&(hole.len, hole.start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Op {
        Alloc(u64, u32),
        Free(usize),
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            (0u64..5000, 0u32..14).prop_map(|(size, align)| Op::Alloc(size, align)),
            any::<usize>().prop_map(Op::Free),
        ]
    }

    proptest! {
        /// Ranges never overlap. They stay aligned and inside the arena. Every byte comes back.
        #[test]
        fn allocations_are_disjoint_and_return(ops in prop::collection::vec(op(), 1..200)) {
            let whole = Span { start: 1 << 20, len: 64 << 10 };
            let mut arena = Arena::new(whole);
            let mut live: Vec<Span> = Vec::new();
            for op in ops {
                match op {
                    Op::Alloc(size, align) => {
                        let Some(span) = arena.alloc(size, 1 << align) else { continue };
                        prop_assert!(span.len >= size.max(1));
                        prop_assert_eq!(span.start % (1u64 << align).max(GRANULE), 0);
                        prop_assert!(whole.contains(span.start, span.len));
                        for other in &live {
                            prop_assert!(span.end() <= other.start || other.end() <= span.start);
                        }
                        live.push(span);
                    }
                    Op::Free(_) if live.is_empty() => {}
                    Op::Free(which) => {
                        let span = live.swap_remove(which % live.len());
                        prop_assert_eq!(arena.free(span.start).map(|freed| freed.block), Some(span));
                        prop_assert_eq!(arena.free(span.start), None);
                    }
                }
                let taken: u64 = live.iter().map(|span| span.len).sum();
                prop_assert_eq!(arena.available(), arena.total() - taken);
            }
            for span in live {
                arena.free(span.start);
            }
            prop_assert_eq!(arena.alloc(whole.len, 1).map(|span| span.len), Some(whole.len));
        }
    }

    #[test]
    fn find_knows_the_requested_size() {
        let mut arena = Arena::new(Span {
            start: 0x1000,
            len: 0x10000,
        });
        let span = arena.alloc(100, 1).unwrap();
        assert_eq!(
            arena.find(span.start + 99),
            Some(Span {
                start: span.start,
                len: 100
            })
        );
        assert!(
            !arena
                .find(span.start + 50)
                .unwrap()
                .contains(span.start + 50, 51)
        );
        assert_eq!(arena.find(span.start + span.len), None);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        let mut arena = Arena::new(Span {
            start: 0x1000,
            len: 0x10000,
        });
        assert_eq!(arena.alloc(u64::MAX, 1), None);
        assert_eq!(arena.alloc(u64::MAX - 255, 1 << 40), None);
        assert_eq!(arena.available(), 0x10000);
    }
}
