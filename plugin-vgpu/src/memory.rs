//! Device memory: what [`plugin_api::Device::alloc`] hands out, and the checks that keep copies inside
//! allocations.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use parking_lot::Mutex;
use plugin_api::{DevicePtr, Error, Result};

use crate::arena::{Arena, Span};
use crate::window::{Protection, Region};

/// Memory becomes accessible and inaccessible in pieces of this size, so that a process needs at most
/// one mapping per piece.
const PIECE: u64 = 1 << 20;

/// Freed pages kept for the next allocation, as a share of the device's memory; more go back to the
/// system.
const KEPT_SHARE: u64 = 8;

/// Pieces that stay accessible after their last small allocation was freed: a program that maps and unmaps
/// a few bytes again and again would spend most of that time in `mprotect`.
const SPARE_PIECES: usize = 8;

/// The memory of one device.
pub struct Memory {
    region: Region,
    state: Mutex<State>,
}

struct State {
    arena: Arena,
    /// Per piece.
    pieces: Vec<Piece>,
    /// Bytes in inaccessible pieces that still have pages.
    kept: u64,
    /// The pieces that are [`Piece::Spare`], the one longest free first.
    spare: VecDeque<usize>,
    /// Ranges outside the arena that copies may touch: the globals of loaded modules, the heap.
    foreign: BTreeMap<u64, u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// Inaccessible, without pages.
    Untouched,
    /// Allocated from.
    Accessible,
    /// Wholly free, but still accessible.
    Spare,
    /// Inaccessible, with pages.
    Kept,
}

impl Memory {
    /// Device memory of `size` bytes. Only what is used takes memory of the host.
    pub fn new(size: u64) -> Result<Memory> {
        let region = Region::reserve(size.next_multiple_of(PIECE), PIECE)?;
        region.prefer_large_pages();
        let pieces = vec![Piece::Untouched; (region.span().len / PIECE) as usize];
        let arena = Arena::new(Span {
            start: region.span().start,
            len: size,
        });
        Ok(Memory {
            state: Mutex::new(State {
                arena,
                pieces,
                kept: 0,
                spare: VecDeque::new(),
                foreign: BTreeMap::new(),
            }),
            region,
        })
    }

    /// Bytes of device memory.
    pub fn total(&self) -> u64 {
        self.state.lock().arena.total()
    }

    /// Allocates `size` bytes.
    pub fn alloc(&self, size: u64) -> Result<DevicePtr> {
        let mut state = self.state.lock();
        let Some(span) = state.arena.alloc(size, 1) else {
            let (available, total) = (state.arena.available(), state.arena.total());
            return Err(Error::OutOfMemory {
                requested: size,
                available,
                total,
            });
        };
        if let Err(error) = self.open(&mut state, span) {
            state.arena.free(span.start);
            return Err(error);
        }
        Ok(DevicePtr(span.start))
    }

    /// Frees an allocation. Pieces that are wholly free then become inaccessible, so that a kernel that still
    /// uses them faults: at once if the allocation was a piece or more, else when enough others are free.
    pub fn free(&self, ptr: DevicePtr) -> Result<()> {
        let mut state = self.state.lock();
        let freed = state.arena.free(ptr.0).ok_or(Error::InvalidFree(ptr))?;
        // Pieces the block touched and that lie wholly in the hole it is part of now.
        let first =
            (freed.block.start / PIECE * PIECE).max(freed.hole.start.next_multiple_of(PIECE));
        let end = freed
            .block
            .end()
            .next_multiple_of(PIECE)
            .min(freed.hole.end() / PIECE * PIECE);
        if first >= end {
            return Ok(());
        }
        let pieces = self.piece(first)..self.piece(end);
        if freed.block.len >= PIECE {
            self.close(&mut state, pieces)
        } else {
            self.spare(&mut state, pieces)
        }
    }

    /// Lets copies touch `span`, which is not part of device memory.
    pub fn admit(&self, span: Span) {
        self.state.lock().foreign.insert(span.start, span.len);
    }

    /// Takes back [`Memory::admit`].
    pub fn dismiss(&self, span: Span) {
        self.state.lock().foreign.remove(&span.start);
    }

    /// Checks that `len` bytes at `address` lie in one allocation.
    pub fn check(&self, what: &'static str, address: DevicePtr, len: usize) -> Result<()> {
        let (start, len) = (address.0, len as u64);
        let state = self.state.lock();
        let inside = |span: Span| span.contains(start, len);
        let foreign = || {
            state
                .foreign
                .range(..=start)
                .next_back()
                .map(|(&start, &len)| Span { start, len })
        };
        if len == 0 || state.arena.find(start).is_some_and(inside) || foreign().is_some_and(inside)
        {
            return Ok(());
        }
        Err(Error::InvalidAccess { what, address, len })
    }

    /// The piece that starts at or holds `address`.
    fn piece(&self, address: u64) -> usize {
        ((address - self.region.span().start) / PIECE) as usize
    }

    fn open(&self, state: &mut State, span: Span) -> Result<()> {
        let pieces = self.piece(span.start)..self.piece(span.end() - 1) + 1;
        let count = |state: &State, kind: Piece| {
            let all = state.pieces[pieces.clone()].iter();
            all.filter(|&&piece| piece == kind).count()
        };
        let spare = count(state, Piece::Spare);
        if spare + count(state, Piece::Accessible) < pieces.len() {
            let (offset, len) = extent(&pieces);
            self.region.protect(offset, len, Protection::ReadWrite)?;
        }
        if spare > 0 {
            state.spare.retain(|piece| !pieces.contains(piece));
        }
        state.kept -= count(state, Piece::Kept) as u64 * PIECE;
        state.pieces[pieces].fill(Piece::Accessible);
        Ok(())
    }

    /// Leaves freed pieces accessible, and closes those that have been free the longest instead.
    fn spare(&self, state: &mut State, pieces: Range<usize>) -> Result<()> {
        state.spare.extend(pieces.clone());
        state.pieces[pieces].fill(Piece::Spare);
        while state.spare.len() > SPARE_PIECES
            && let Some(oldest) = state.spare.pop_front()
        {
            self.close(state, oldest..oldest + 1)?;
        }
        Ok(())
    }

    fn close(&self, state: &mut State, pieces: Range<usize>) -> Result<()> {
        let (offset, len) = extent(&pieces);
        self.region.protect(offset, len, Protection::None)?;
        let keep = state.kept + len <= self.region.span().len / KEPT_SHARE;
        if keep {
            state.kept += len;
        } else {
            self.region.discard(offset, len);
        }
        state.pieces[pieces].fill(if keep { Piece::Kept } else { Piece::Untouched });
        Ok(())
    }
}

/// Offset and length of pieces in the region.
fn extent(pieces: &Range<usize>) -> (u64, u64) {
    (pieces.start as u64 * PIECE, pieces.len() as u64 * PIECE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Allocations are writable wherever they lie, whatever was freed around them.
        #[test]
        fn allocations_are_accessible(ops in prop::collection::vec((1u64..3 << 20, any::<bool>()), 1..60)) {
            let memory = Memory::new(32 * PIECE).unwrap();
            let mut live: Vec<(DevicePtr, u64)> = Vec::new();
            for (size, free) in ops {
                if free && !live.is_empty() {
                    let (ptr, _) = live.swap_remove(live.len() / 2);
                    memory.free(ptr).unwrap();
                    continue;
                }
                let Ok(ptr) = memory.alloc(size) else { continue };
                for (offset, value) in [(0, 1), (size / 2, 2), (size - 1, 3)] {
                    // SAFETY: inside the allocation.
                    unsafe { (ptr.offset(offset as i64).0 as *mut u8).write(value) };
                }
                live.push((ptr, size));
            }
            for (ptr, size) in live {
                memory.check("test", ptr, size as usize).unwrap();
                memory.free(ptr).unwrap();
                prop_assert!(memory.check("test", ptr, 1).is_err());
            }
            let state = memory.state.lock();
            prop_assert_eq!(state.arena.available(), state.arena.total());
            prop_assert!(state.pieces.iter().all(|&piece| piece != Piece::Accessible));
            prop_assert!(state.kept <= 32 * PIECE / KEPT_SHARE);
            let spare = (0..32).filter(|&piece| state.pieces[piece] == Piece::Spare);
            let mut listed: Vec<_> = state.spare.iter().copied().collect();
            listed.sort();
            prop_assert_eq!(spare.collect::<Vec<_>>(), listed);
            prop_assert!(state.spare.len() <= SPARE_PIECES);
        }
    }

    /// What the system says of the page at `ptr`: the letters of `/proc/self/maps`.
    fn permissions(ptr: DevicePtr) -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let number = |text: &str| u64::from_str_radix(text, 16).unwrap();
        let holds = |line: &&str| {
            let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
            (number(start)..number(end)).contains(&ptr.0)
        };
        let line = maps.lines().find(holds).expect("device memory is reserved");
        line.split(' ').nth(1).unwrap().to_owned()
    }

    #[test]
    fn a_large_allocation_is_inaccessible_once_freed() {
        let memory = Memory::new(16 * PIECE).unwrap();
        let ptr = memory.alloc(PIECE).unwrap();
        assert_eq!(permissions(ptr), "rw-p");
        memory.free(ptr).unwrap();
        assert_eq!(permissions(ptr), "---p");
        assert_eq!(memory.alloc(PIECE).unwrap(), ptr);
        assert_eq!(permissions(ptr), "rw-p");
    }

    #[test]
    fn the_last_pieces_of_small_allocations_stay_accessible() {
        let memory = Memory::new(64 * PIECE).unwrap();
        // A little less than a piece, so that each has one of its own.
        let small: Vec<_> = (0..12)
            .map(|_| {
                let ptr = memory.alloc(PIECE - 256).unwrap();
                let filler = memory.alloc(256).unwrap();
                (ptr, filler)
            })
            .collect();
        for &(ptr, filler) in &small {
            memory.free(ptr).unwrap();
            memory.free(filler).unwrap();
        }
        let (closed, open) = small.split_at(small.len() - SPARE_PIECES);
        assert!(closed.iter().all(|&(ptr, _)| permissions(ptr) == "---p"));
        assert!(open.iter().all(|&(ptr, _)| permissions(ptr) == "rw-p"));
        // Used again as part of a large allocation, they close with it.
        let all = memory.alloc(64 * PIECE).unwrap();
        memory.free(all).unwrap();
        assert!(small.iter().all(|&(ptr, _)| permissions(ptr) == "---p"));
        assert!(memory.state.lock().spare.is_empty());
    }

    #[test]
    fn misuse_is_named() {
        let memory = Memory::new(4 * PIECE).unwrap();
        let ptr = memory.alloc(1000).unwrap();
        assert!(matches!(
            memory.check("fill", ptr, 1001),
            Err(Error::InvalidAccess {
                what: "fill",
                len: 1001,
                ..
            })
        ));
        assert!(memory.check("fill", ptr.offset(-1), 2).is_err());
        assert!(matches!(
            memory.free(ptr.offset(256)),
            Err(Error::InvalidFree(_))
        ));
        memory.free(ptr).unwrap();
        assert!(matches!(memory.free(ptr), Err(Error::InvalidFree(_))));
        let error = memory.alloc(5 * PIECE).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("5242880") && text.contains("4194304 of 4194304"),
            "{text}"
        );
    }

    #[test]
    fn no_bytes_get_an_address_of_their_own() {
        let memory = Memory::new(PIECE).unwrap();
        let (a, b) = (memory.alloc(0).unwrap(), memory.alloc(0).unwrap());
        assert_ne!(a, b);
        memory.check("test", a, 0).unwrap();
        assert!(memory.check("test", a, 1).is_err());
    }
}
