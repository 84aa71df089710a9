//! Device memory. It serves [`plugin_api::Device::alloc`] and checks that copies stay inside allocations.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;
use plugin_api::{DevicePtr, Error, MemoryKind, Result, SharedMemory};

use crate::arena::{Arena, Span};
use crate::checker::{Checker, MEMORY_GAP};
use crate::fault_in::fault_in;
use crate::host_access;
use crate::motion::Motion;
use crate::quarantine::Quarantine;
use crate::reservations::Reservations;
use crate::unit_set::UNIT;
use crate::window::{Protection, Region};
use crate::window_file;

/// Memory becomes accessible and inaccessible in chunks of this size. So a process needs at most one mapping per
/// chunk.
const CHUNK: u64 = UNIT;

/// Share of the device's memory that is kept in freed pages for the next allocation. More goes back to the
/// system.
const KEPT_SHARE: u64 = 8;

/// Chunks that stay accessible after their last small allocation was freed. Otherwise a program that maps and
/// unmaps a few bytes again and again would spend most of that time in `mprotect`.
const SPARE_CHUNKS: usize = 8;

/// Share of the device's memory that stays freed, and is not used again, while accesses are checked.
const QUARANTINE_SHARE: u64 = 4;

/// The memory of one device.
pub struct Memory {
    region: Region,
    state: Mutex<State>,
    checker: Option<Arc<Checker>>,
    /// Addresses at which the program maps memory by itself.
    pub reservations: Reservations,
}

struct State {
    arena: Arena,
    /// Per chunk.
    chunks: Vec<Chunk>,
    /// The chunks that lie in the file which other processes map.
    shared: BTreeSet<usize>,
    /// Bytes in inaccessible chunks that still have pages.
    kept: u64,
    /// The chunks that are [`Chunk::Spare`], the one that has been free the longest first.
    spare: VecDeque<usize>,
    /// With a checker: what was freed and is not used again yet.
    quarantine: Quarantine,
    /// Ranges outside the arena that copies may touch: the globals of loaded modules and the heap.
    external: BTreeMap<u64, u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chunk {
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
    /// Device memory of `size` bytes. Only pages in use take memory of the host.
    pub fn new(size: u64, checker: Option<Arc<Checker>>) -> Result<Memory> {
        let region = Region::reserve(CHUNK + size.next_multiple_of(CHUNK), CHUNK)?;
        region.prefer_large_pages();
        // On a GPU there is memory in front of the first allocation, and programs read there what they do not use
        // (Rodinia's `srad_v2`: the row before the first).
        region.protect(0, CHUNK, Protection::ReadWrite)?;
        if let Some(checker) = &checker {
            checker.manage(region.span());
        }
        let mut chunks = vec![Chunk::Untouched; (region.span().len / CHUNK) as usize];
        chunks[0] = Chunk::Accessible;
        let arena = Arena::new(Span {
            start: region.span().start + CHUNK,
            len: size,
        });
        Ok(Memory {
            state: Mutex::new(State {
                arena,
                chunks,
                shared: BTreeSet::new(),
                kept: 0,
                spare: VecDeque::new(),
                quarantine: Quarantine::default(),
                external: BTreeMap::new(),
            }),
            region,
            checker,
            reservations: Reservations::default(),
        })
    }

    /// Bytes of device memory.
    pub fn total(&self) -> u64 {
        self.state.lock().arena.total()
    }

    /// Allocates `size` bytes.
    pub fn alloc(&self, size: u64) -> Result<DevicePtr> {
        self.allocate(size, true)
    }

    /// Allocates `size` bytes that the host may access, too, when kernels and copies have ended.
    pub fn alloc_for_both(&self, size: u64, kind: MemoryKind) -> Result<DevicePtr> {
        let address = self.allocate(size, !host_access::is_looked_for())?;
        let chunks = self.chunk(address.0)..self.chunk(address.0 + size.max(1) - 1) + 1;
        host_access::host_shared::watch(self.span_of(&chunks), kind == MemoryKind::Shared);
        Ok(address)
    }

    /// Allocates `size` bytes, in chunks that others may lie in, too, or not.
    fn allocate(&self, size: u64, shares_chunks: bool) -> Result<DevicePtr> {
        let mut state = self.state.lock();
        let align = if shares_chunks { 1 } else { CHUNK };
        let Some(span) = self.find_room(&mut state, size, align)? else {
            let (available, total) = (state.arena.available(), state.arena.total());
            return Err(Error::OutOfMemory {
                requested: size,
                available,
                total,
            });
        };
        let opened = self
            .open(&mut state, span)
            .and_then(|chunks| match shares_chunks {
                true => host_access::watch(chunks),
                false => self.leave_to_both(chunks),
            });
        if let Err(error) = opened {
            state.arena.free(span.start);
            return Err(error);
        }
        state.arena.leave_gap(span.start, size);
        if let Some(checker) = &self.checker {
            let start = span.start;
            checker.allocated(Span { start, len: size });
        }
        Ok(DevicePtr(span.start))
    }

    /// Takes a range of the arena. With a checker, it has a gap behind it, and what was freed is used again only when
    /// nothing else is left.
    fn find_room(&self, state: &mut State, size: u64, align: u64) -> Result<Option<Span>> {
        let gap = self.checker.as_ref().map_or(0, |_| MEMORY_GAP);
        let size = size.saturating_add(gap);
        let size = size.checked_next_multiple_of(align).unwrap_or(size);
        loop {
            if let Some(span) = state.arena.alloc(size, align) {
                return Ok(Some(span));
            }
            let Some(oldest) = state.quarantine.pop() else {
                return Ok(None);
            };
            self.release(state, oldest)?;
        }
    }

    /// Frees an allocation. Chunks that are wholly free then become inaccessible, so that a kernel that still
    /// uses them faults. After a large allocation that happens at once, otherwise when enough other chunks are
    /// free.
    pub fn free(&self, ptr: DevicePtr) -> Result<()> {
        let mut state = self.state.lock();
        let Some(checker) = &self.checker else {
            return self.release(&mut state, ptr);
        };
        let span = state.arena.find(ptr.0);
        let span = span.filter(|span| span.start == ptr.0 && !state.quarantine.has(ptr));
        let span = span.ok_or(Error::InvalidFree(ptr))?;
        checker.freed(ptr.0);
        state.quarantine.push(ptr, span.len);
        while state.quarantine.bytes() > self.region.span().len / QUARANTINE_SHARE
            && let Some(oldest) = state.quarantine.pop()
        {
            self.release(&mut state, oldest)?;
        }
        Ok(())
    }

    /// Gives memory back to the arena.
    fn release(&self, state: &mut State, ptr: DevicePtr) -> Result<()> {
        let freed = state.arena.free(ptr.0).ok_or(Error::InvalidFree(ptr))?;
        // Chunks that the block touched and that now lie wholly in a hole.
        let first =
            (freed.block.start / CHUNK * CHUNK).max(freed.hole.start.next_multiple_of(CHUNK));
        let end = freed
            .block
            .end()
            .next_multiple_of(CHUNK)
            .min(freed.hole.end() / CHUNK * CHUNK);
        if first >= end {
            return Ok(());
        }
        let chunks = self.chunk(first)..self.chunk(end);
        if freed.block.len >= CHUNK {
            self.close(state, chunks)
        } else {
            self.spare(state, chunks)
        }
    }

    /// Moves the chunks of an allocation into the file that other processes can map. Others may lie in them, too, as in
    /// what CUDA shares of a GPU's memory.
    pub fn share(&self, ptr: DevicePtr) -> Result<SharedMemory> {
        let _opened = host_access::open()?;
        let mut state = self.state.lock();
        let span = state.arena.find(ptr.0).filter(|span| span.start == ptr.0);
        let span = span.filter(|_| !state.quarantine.has(ptr));
        let span = span.ok_or(Error::InvalidAccess {
            what: "sharing memory",
            address: ptr,
            len: 0,
        })?;
        let chunks = self.chunk(span.start)..self.chunk(span.end() - 1) + 1;
        for chunk in chunks.clone() {
            if !state.shared.contains(&chunk) {
                self.move_into_file(chunk)?;
                state.shared.insert(chunk);
            }
        }
        let Span { start, len } = self.span_of(&chunks);
        Ok(SharedMemory {
            file: window_file::file()?,
            offset: window_file::offset(start)?,
            len,
            begin: ptr.0 - start,
        })
    }

    fn move_into_file(&self, chunk: usize) -> Result<()> {
        let (offset, len) = extent(&(chunk..chunk + 1));
        let start = self.region.span().start + offset;
        let span = Span { start, len };
        let file = (window_file::file()?, window_file::offset(start)?);
        let _motion = Motion::begin(span)?;
        self.region.protect(offset, len, Protection::Read)?;
        let moved = window_file::fill(span).and_then(|()| self.region.map(offset, len, Some(file)));
        let opened = self.region.protect(offset, len, Protection::ReadWrite);
        moved.and(opened)
    }

    /// Takes chunks out of the file: from now on they are memory of this process again. Whether there were any.
    fn take_back(&self, state: &mut State, chunks: &Range<usize>) -> Result<bool> {
        let shared: Vec<_> = state.shared.range(chunks.clone()).copied().collect();
        for &chunk in &shared {
            let (offset, len) = extent(&(chunk..chunk + 1));
            self.region.map(offset, len, None)?;
            let start = self.region.span().start + offset;
            window_file::empty(Span { start, len })?;
            state.shared.remove(&chunk);
        }
        Ok(!shared.is_empty())
    }

    /// Lets copies touch `span`, which is not in the arena.
    pub fn register(&self, span: Span) {
        self.state.lock().external.insert(span.start, span.len);
    }

    /// Undoes [`Memory::register`].
    pub fn unregister(&self, span: Span) {
        self.state.lock().external.remove(&span.start);
    }

    /// Checks that `len` bytes at `address` lie in one allocation.
    pub fn check(&self, what: &'static str, address: DevicePtr, len: usize) -> Result<()> {
        self.check_access(what, address, len, false)
    }

    fn check_access(
        &self,
        what: &'static str,
        address: DevicePtr,
        len: usize,
        write: bool,
    ) -> Result<()> {
        let (start, len) = (address.0, len as u64);
        let state = self.state.lock();
        let inside =
            |span: Span| span.contains(start, len) && !state.quarantine.has(DevicePtr(span.start));
        let external = || {
            state
                .external
                .range(..=start)
                .next_back()
                .map(|(&start, &len)| Span { start, len })
        };
        if len == 0 || state.arena.find(start).is_some_and(inside) || external().is_some_and(inside)
        {
            return Ok(());
        }
        drop(state);
        match self.reservations.allow(start, len, write) {
            true => Ok(()),
            false => Err(Error::InvalidAccess { what, address, len }),
        }
    }

    /// Checks that `len` bytes at `address` lie in one allocation, and gives them pages. They are about to be written.
    pub fn check_write(&self, what: &'static str, address: DevicePtr, len: usize) -> Result<()> {
        self.check_access(what, address, len, true)?;
        if let Some(checker) = &self.checker {
            checker.written(address.0, len as u64);
        }
        fault_in(Span {
            start: address.0,
            len: len as u64,
        });
        Ok(())
    }

    /// The engine has written memory that it allocated for itself.
    pub fn note_written(&self, address: DevicePtr, len: usize) {
        if let Some(checker) = &self.checker {
            checker.written(address.0, len as u64);
        }
    }

    /// Memory was copied within the device.
    pub fn note_copied(&self, to: DevicePtr, from: DevicePtr, len: usize) {
        if let Some(checker) = &self.checker {
            checker.copied(to.0, from.0, len as u64);
        }
    }

    /// The addresses of chunks.
    fn span_of(&self, chunks: &Range<usize>) -> Span {
        let (offset, len) = extent(chunks);
        let start = self.region.span().start + offset;
        Span { start, len }
    }

    /// The chunk that holds `address`.
    fn chunk(&self, address: u64) -> usize {
        ((address - self.region.span().start) / CHUNK) as usize
    }

    /// Makes the chunks of an allocation accessible, and gives their range.
    fn open(&self, state: &mut State, span: Span) -> Result<Span> {
        let chunks = self.chunk(span.start)..self.chunk(span.end() - 1) + 1;
        let count = |state: &State, kind: Chunk| {
            let all = state.chunks[chunks.clone()].iter();
            all.filter(|&&chunk| chunk == kind).count()
        };
        let spare = count(state, Chunk::Spare);
        if spare + count(state, Chunk::Accessible) < chunks.len() {
            let (offset, len) = extent(&chunks);
            self.region.protect(offset, len, Protection::ReadWrite)?;
        }
        if spare > 0 {
            state.spare.retain(|chunk| !chunks.contains(chunk));
        }
        state.kept -= count(state, Chunk::Kept) as u64 * CHUNK;
        state.chunks[chunks.clone()].fill(Chunk::Accessible);
        Ok(self.span_of(&chunks))
    }

    /// Has the host's accesses to chunks go unseen. They may have been watched before they were freed.
    fn leave_to_both(&self, chunks: Span) -> Result<()> {
        host_access::forget(chunks);
        let offset = chunks.start - self.region.span().start;
        self.region
            .protect(offset, chunks.len, Protection::ReadWrite)
    }

    /// Leaves freed chunks accessible. Closes those that have been free the longest instead.
    fn spare(&self, state: &mut State, chunks: Range<usize>) -> Result<()> {
        state.spare.extend(chunks.clone());
        state.chunks[chunks].fill(Chunk::Spare);
        while state.spare.len() > SPARE_CHUNKS
            && let Some(oldest) = state.spare.pop_front()
        {
            self.close(state, oldest..oldest + 1)?;
        }
        Ok(())
    }

    fn close(&self, state: &mut State, chunks: Range<usize>) -> Result<()> {
        host_access::forget(self.span_of(&chunks));
        let (offset, len) = extent(&chunks);
        self.region.protect(offset, len, Protection::None)?;
        let had_shared = self.take_back(state, &chunks)?;
        let keep = !had_shared && state.kept + len <= self.region.span().len / KEPT_SHARE;
        if keep {
            state.kept += len;
        } else {
            self.region.discard(offset, len);
        }
        state.chunks[chunks].fill(if keep { Chunk::Kept } else { Chunk::Untouched });
        Ok(())
    }
}

/// Offset and length of chunks in the region.
fn extent(chunks: &Range<usize>) -> (u64, u64) {
    (chunks.start as u64 * CHUNK, chunks.len() as u64 * CHUNK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Allocations are writable, whatever was freed around them.
        #[test]
        fn allocations_are_accessible(ops in prop::collection::vec((1u64..3 << 20, any::<bool>()), 1..60)) {
            let memory = Memory::new(32 * CHUNK, None).unwrap();
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
            // The first one is in front of all allocations.
            prop_assert!(state.chunks[1..].iter().all(|&chunk| chunk != Chunk::Accessible));
            prop_assert!(state.kept <= 32 * CHUNK / KEPT_SHARE);
            let spare = (0..33).filter(|&chunk| state.chunks[chunk] == Chunk::Spare);
            let mut listed: Vec<_> = state.spare.iter().copied().collect();
            listed.sort();
            prop_assert_eq!(spare.collect::<Vec<_>>(), listed);
            prop_assert!(state.spare.len() <= SPARE_CHUNKS);
        }
    }

    /// The permissions of the page at `ptr`, from `/proc/self/maps`.
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
    fn what_lies_in_front_of_the_first_allocation_is_accessible() {
        let memory = Memory::new(16 * CHUNK, None).unwrap();
        let ptr = memory.alloc(64).unwrap();
        assert_eq!(permissions(DevicePtr(ptr.0 - 1)), "rw-p");
        assert!(memory.check("test", DevicePtr(ptr.0 - 1), 1).is_err());
    }

    #[test]
    fn a_large_allocation_is_inaccessible_once_freed() {
        let memory = Memory::new(16 * CHUNK, None).unwrap();
        let ptr = memory.alloc(CHUNK).unwrap();
        assert_eq!(permissions(ptr), "rw-p");
        memory.free(ptr).unwrap();
        assert_eq!(permissions(ptr), "---p");
        assert_eq!(memory.alloc(CHUNK).unwrap(), ptr);
        assert_eq!(permissions(ptr), "rw-p");
    }

    #[test]
    fn the_last_chunks_of_small_allocations_stay_accessible() {
        let memory = Memory::new(64 * CHUNK, None).unwrap();
        // A little less than a chunk, so that each one gets its own chunk.
        let small: Vec<_> = (0..12)
            .map(|_| {
                let ptr = memory.alloc(CHUNK - 256).unwrap();
                let filler = memory.alloc(256).unwrap();
                (ptr, filler)
            })
            .collect();
        for &(ptr, filler) in &small {
            memory.free(ptr).unwrap();
            memory.free(filler).unwrap();
        }
        let (closed, open) = small.split_at(small.len() - SPARE_CHUNKS);
        assert!(closed.iter().all(|&(ptr, _)| permissions(ptr) == "---p"));
        assert!(open.iter().all(|&(ptr, _)| permissions(ptr) == "rw-p"));
        // Reused as part of a large allocation, they close with it.
        let all = memory.alloc(64 * CHUNK).unwrap();
        memory.free(all).unwrap();
        assert!(small.iter().all(|&(ptr, _)| permissions(ptr) == "---p"));
        assert!(memory.state.lock().spare.is_empty());
    }

    #[test]
    fn shared_memory_is_the_same_at_another_address() {
        use crate::window::Region;
        let memory = Memory::new(8 * CHUNK, None).unwrap();
        let _before = memory.alloc(1000).unwrap();
        let ptr = memory.alloc(CHUNK).unwrap();
        // SAFETY: inside the allocation.
        unsafe { (ptr.0 as *mut u8).write(7) };
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            // Nothing that is written meanwhile is lost.
            let writer = scope.spawn(|| {
                let place = (ptr.0 + 8) as *mut u64;
                let mut count = 0_u64;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    // SAFETY: inside the allocation.
                    unsafe { place.write_volatile(place.read_volatile() + 1) };
                    count += 1;
                }
                count
            });
            let shared = memory.share(ptr).unwrap();
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            let count = writer.join().unwrap();
            let other = Region::reserve(shared.len, CHUNK).unwrap();
            let file = Some((shared.file, shared.offset));
            other.map(0, shared.len, file).unwrap();
            other.protect(0, shared.len, Protection::ReadWrite).unwrap();
            let there = other.span().start + shared.begin;
            // SAFETY: both are mapped.
            unsafe {
                assert_eq!((there as *const u8).read(), 7);
                assert_eq!(((there + 8) as *const u64).read_volatile(), count);
                ((there + CHUNK - 1) as *mut u8).write(9);
                assert_eq!(((ptr.0 + CHUNK - 1) as *const u8).read_volatile(), 9);
            }
            assert_eq!(memory.share(ptr).unwrap().offset, shared.offset);
        });
        memory.free(ptr).unwrap();
        // The chunk that another allocation is in stays in the file.
        assert_eq!(permissions(ptr), "rw-s");
        assert_eq!(permissions(DevicePtr(ptr.0 + CHUNK - 1)), "---p");
        let again = memory.alloc(CHUNK).unwrap();
        // SAFETY: inside the allocation.
        unsafe { ((again.0 + CHUNK - 1) as *mut u8).write(1) };
    }

    #[test]
    fn misuse_is_named() {
        let memory = Memory::new(4 * CHUNK, None).unwrap();
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
        let error = memory.alloc(5 * CHUNK).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("5242880") && text.contains("4194304 of 4194304"),
            "{text}"
        );
    }

    #[test]
    fn no_bytes_get_an_address_of_their_own() {
        let memory = Memory::new(CHUNK, None).unwrap();
        let (a, b) = (memory.alloc(0).unwrap(), memory.alloc(0).unwrap());
        assert_ne!(a, b);
        memory.check("test", a, 0).unwrap();
        assert!(memory.check("test", a, 1).is_err());
    }
}
