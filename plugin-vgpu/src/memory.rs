//! Device memory: what [`plugin_api::Device::alloc`] hands out, and the checks that keep copies inside
//! allocations.

use std::collections::BTreeMap;

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
    /// Ranges outside the arena that copies may touch: the globals of loaded modules, the heap.
    foreign: BTreeMap<u64, u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Untouched,
    Accessible,
    Kept,
}

impl Memory {
    /// Device memory of `size` bytes. Only what is used takes memory of the host.
    pub fn new(size: u64) -> Result<Memory> {
        let region = Region::reserve(size.next_multiple_of(PIECE), PIECE)?;
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

    /// Frees an allocation. Pieces that are wholly free become inaccessible, so that a kernel that still
    /// uses them faults.
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
        if first < end {
            self.close(
                &mut state,
                Span {
                    start: first,
                    len: end - first,
                },
            )
        } else {
            Ok(())
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

    fn open(&self, state: &mut State, span: Span) -> Result<()> {
        let base = self.region.span().start;
        let (first, last) = (
            ((span.start - base) / PIECE) as usize,
            ((span.end() - 1 - base) / PIECE) as usize,
        );
        if state.pieces[first..=last]
            .iter()
            .all(|&piece| piece == Piece::Accessible)
        {
            return Ok(());
        }
        let (offset, count) = (first as u64 * PIECE, (last - first + 1) as u64);
        self.region
            .protect(offset, count * PIECE, Protection::ReadWrite)?;
        let kept = state.pieces[first..=last]
            .iter()
            .filter(|&&piece| piece == Piece::Kept)
            .count();
        state.kept -= kept as u64 * PIECE;
        state.pieces[first..=last].fill(Piece::Accessible);
        Ok(())
    }

    fn close(&self, state: &mut State, span: Span) -> Result<()> {
        let offset = span.start - self.region.span().start;
        self.region.protect(offset, span.len, Protection::None)?;
        let keep = state.kept + span.len <= self.region.span().len / KEPT_SHARE;
        if keep {
            state.kept += span.len;
        } else {
            self.region.discard(offset, span.len);
        }
        let (first, count) = ((offset / PIECE) as usize, (span.len / PIECE) as usize);
        state.pieces[first..first + count].fill(if keep { Piece::Kept } else { Piece::Untouched });
        Ok(())
    }
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
        }
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
