//! The checker: compares what kernels do with what they may do (`OMPTARGET_CHECK`, docs/checker.md).
//!
//! Checked code announces its accesses (`abi`). [`Checker`] knows a device's memory: which bytes may be accessed and
//! which were written (`shadow`), and whose they are (`allocations`). `race` knows who accessed it. A [`LaunchChecks`]
//! collects what a launch does wrong, and reports it at its end (`observation`). Copies are compared, too (`transfer`).

pub mod abi;
mod allocations;
mod heap;
mod launch;
mod observation;
mod race;
mod shadow;
mod transfer;
mod warp_accesses;

use findings::{Finding, Kind, Note, Severity, current_origin};
use parking_lot::Mutex;
use plugin_api::{DevicePtr, Result};
use vgpu_abi::{AccessKind, Checks};

use crate::arena::Span;
use crate::quarantine::Quarantine;
use crate::sm::MAX_SHARED;
use crate::window;
use allocations::Allocations;
pub use launch::{Actor, LaunchChecks, LaunchedCode};
use race::Detector;
/// What orders the work of streams.
pub use race::Timeline;
use shadow::Shadow;
use transfer::Accessor;
pub use transfer::InFlight;

/// Bytes between heap blocks that nobody may access.
const HEAP_GAP: u64 = 16;

/// Most bytes of freed heap blocks that are kept.
const MOST_KEPT: u64 = 4 << 20;

/// Bytes that no allocation of device memory has behind it, at least.
pub const MEMORY_GAP: u64 = 128;

/// Memory that nobody manages becomes accessible in pieces of this size, when it is first accessed.
const PIECE: u64 = 4096;

/// What is known of a device's memory.
pub struct Checker {
    /// What is checked.
    pub checks: Checks,
    shadow: Shadow,
    known: Mutex<Known>,
    races: Option<Detector>,
    /// What each launch is, by its number.
    launches: Mutex<Vec<Accessor>>,
}

#[derive(Default)]
struct Known {
    /// Ranges in which only what was allocated may be accessed.
    managed: Vec<Span>,
    memory: Allocations,
    heap: Allocations,
    /// Variables of images.
    variables: Vec<Span>,
    /// Parts of them whose host copies have changed.
    outdated: Vec<Span>,
    /// Blocks of the heap that kernels have freed, and that are not used again yet.
    kept: Quarantine,
}

/// How an access is wrong.
enum Wrong {
    /// Bytes that are in no allocation, the first of them here.
    Inaccessible(u64),
    /// None of its bytes was written.
    Unwritten,
}

impl Checker {
    /// A checker of a device that has no memory yet.
    pub fn new(checks: Checks) -> Result<Checker> {
        Ok(Checker {
            checks,
            shadow: Shadow::get()?,
            known: Mutex::default(),
            races: checks.race.then(Detector::new),
            launches: Mutex::default(),
        })
    }

    /// What orders the work of a new stream, if races are looked for.
    pub fn timeline(&self) -> Option<Timeline> {
        self.races.as_ref().map(|_| Timeline::new())
    }

    /// From now on, only what is allocated in `span` may be accessed.
    pub fn manage(&self, span: Span) {
        self.shadow.accessible.clear(span.start, span.len);
        self.known.lock().managed.push(span);
    }

    /// An image was loaded, with variables here.
    pub fn loaded(&self, variables: Span) {
        self.known.lock().variables.push(variables);
    }

    /// An image goes.
    pub fn unloaded(&self, variables: Span) {
        self.known
            .lock()
            .variables
            .retain(|span| *span != variables);
        if let Some(races) = &self.races {
            races.forget(variables);
        }
    }

    /// The host has changed its copy of memory that was copied to the device.
    pub fn outdated(&self, span: Span) {
        let mut known = self.known.lock();
        match known
            .outdated
            .last_mut()
            .filter(|last| last.end() == span.start)
        {
            Some(last) => last.len += span.len,
            None => known.outdated.push(span),
        }
        drop(known);
        // Variables of images are accessible, and count as written, from their first access on.
        if !self.shadow.accessible.has_all(span.start, span.len) {
            self.inaccessible(span.start, span.len);
        }
        self.shadow.written.clear(span.start, span.len);
    }

    /// Whether an address lies in such memory.
    fn is_outdated(&self, address: u64, size: u64) -> bool {
        let known = self.known.lock();
        let mut all = known.outdated.iter();
        all.any(|span| span.start < address + size && address < span.end())
    }

    /// Device memory was allocated.
    pub fn allocated(&self, span: Span) {
        self.hand_out(span);
        self.known.lock().memory.add(span, current_origin());
    }

    /// Device memory was freed. It is not handed out again for a while.
    pub fn freed(&self, start: u64) {
        let mut known = self.known.lock();
        if let Some(span) = known.memory.remove(start, current_origin()) {
            self.shadow.accessible.clear(span.start, span.len);
        }
    }

    /// A kernel allocated a block of the heap.
    fn heap_allocated(&self, span: Span, by: Note) {
        self.hand_out(span);
        self.known.lock().heap.add(span, Some(by));
    }

    /// A kernel freed a block of the heap. Gives a block to free instead, which was kept so far; nothing if the address
    /// is no block's.
    fn heap_freed(&self, start: u64, by: Note) -> Option<Option<u64>> {
        let mut known = self.known.lock();
        let span = known.heap.remove(start, Some(by))?;
        self.shadow.accessible.clear(span.start, span.len);
        known.kept.push(DevicePtr(start), span.len);
        let full = known.kept.bytes() > MOST_KEPT;
        Some(
            full.then(|| known.kept.pop())
                .flatten()
                .map(|block| block.0),
        )
    }

    /// A block that was freed and kept, when the heap is exhausted.
    fn heap_kept(&self) -> Option<u64> {
        Some(self.known.lock().kept.pop()?.0)
    }

    /// Bytes of the heap's block at an address.
    fn heap_size(&self, start: u64) -> Option<u64> {
        self.known.lock().heap.size(start)
    }

    /// The host, or the engine, has written memory.
    pub fn written(&self, start: u64, len: u64) {
        if window::contains(start) {
            self.shadow.written.set(start, len);
            let inside = |span: &Span| start <= span.start && span.end() <= start + len;
            self.known.lock().outdated.retain(|span| !inside(span));
        }
    }

    /// Memory was copied to where the host has just written.
    pub fn copied(&self, to: u64, from: u64, len: u64) {
        if window::contains(to) && window::contains(from) {
            self.shadow.written.copy(to, from, len);
        }
    }

    /// Reports blocks of the heap that kernels have not freed.
    pub fn report_leaks(&self) {
        if !self.checks.memory {
            return;
        }
        let left = self.known.lock().heap.left();
        for (bytes, note) in left {
            let what = format!("{bytes} bytes of the device heap were never freed");
            findings::report(Finding {
                location: note.location,
                size: bytes,
                hint: Some("call free in a kernel before the program ends".to_owned()),
                ..Finding::new(Kind::Memory, Severity::Warning, what)
            });
        }
    }

    /// A block begins: its shared memory is its own, and nothing was written there.
    fn begin_block(&self, shared: Span, resized: bool) {
        let Shadow {
            accessible,
            written,
        } = self.shadow;
        if resized {
            accessible.clear(shared.start, MAX_SHARED.into());
            accessible.set(shared.start, shared.len);
        }
        if self.checks.init {
            written.clear(shared.start, shared.len);
        }
    }

    /// A local variable begins, in which nothing is written.
    fn begin_local(&self, start: u64, len: u64) {
        let Shadow {
            accessible,
            written,
        } = self.shadow;
        if !window::contains(start) {
            return;
        }
        if !accessible.has_all(start, len) {
            self.inaccessible(start, len);
        }
        written.clear(start, len);
    }

    /// Checks an access to the device window against what is known of the memory, and notes what it writes.
    #[inline]
    fn check(&self, kind: AccessKind, address: u64, size: u64) -> Option<Wrong> {
        let Shadow {
            accessible,
            written,
        } = self.shadow;
        if !accessible.has_all(address, size)
            && let Some(byte) = self.inaccessible(address, size)
        {
            return Some(Wrong::Inaccessible(byte));
        }
        let wrong = kind.has(AccessKind::READ)
            && self.checks.init
            && !kind.has(AccessKind::FOREIGN)
            && size <= LARGEST_VALUE
            && (!written.has_any(address, size)
                || !written.has_all(address, size) && self.is_outdated(address, size));
        // What is reported once is not reported for each reader.
        if self.checks.init && (kind.has(AccessKind::WRITE) || wrong) {
            written.set(address, size);
        }
        wrong.then_some(Wrong::Unwritten)
    }

    /// Whether nothing is wrong with accesses to a whole range. Notes what they write.
    #[inline(always)]
    fn is_plain(&self, kind: AccessKind, address: u64, size: u64) -> bool {
        let Shadow {
            accessible,
            written,
        } = self.shadow;
        if !accessible.has_all(address, size) {
            return false;
        }
        if !self.checks.init {
            return true;
        }
        let reads = kind.has(AccessKind::READ) && !kind.has(AccessKind::FOREIGN);
        if reads && !written.has_all(address, size) {
            return false;
        }
        if kind.has(AccessKind::WRITE) {
            written.set(address, size);
        }
        true
    }

    /// The first inaccessible byte. Memory that nobody manages becomes accessible and written.
    #[cold]
    fn inaccessible(&self, address: u64, size: u64) -> Option<u64> {
        let byte = self.shadow.accessible.first_clear(address, size)?;
        let known = self.known.lock();
        if known.managed.iter().any(|span| span.contains(byte, 1)) {
            return Some(byte);
        }
        drop(known);
        let start = address / PIECE * PIECE;
        let len = (address + size).next_multiple_of(PIECE) - start;
        self.shadow.accessible.set(start, len);
        self.shadow.written.set(start, len);
        None
    }

    /// Whether accesses of several teams to an address may be compared: it is managed, and not in a block of the heap
    /// in which the device runtime hands memory from team to team.
    fn is_comparable(&self, address: u64, several_teams: bool) -> bool {
        let known = self.known.lock();
        let managed = known.managed.iter().any(|span| span.contains(address, 1));
        let is_variable = || known.variables.iter().any(|span| span.contains(address, 1));
        (managed || is_variable()) && !(several_teams && known.heap.is_runtimes(address))
    }

    /// How an address relates to allocations.
    fn describe(&self, address: u64) -> Option<(String, Vec<Note>)> {
        let known = self.known.lock();
        let heap = known.heap.describe(address);
        heap.or_else(|| known.memory.describe(address))
    }

    /// Who has allocated the memory at an address, and freed it. `None` where it is none of this device's.
    pub fn origins(&self, address: u64) -> Option<Vec<Note>> {
        let known = self.known.lock();
        let heap = known.heap.origins(address);
        heap.or_else(|| known.memory.origins(address))
    }

    fn hand_out(&self, span: Span) {
        self.shadow.written.clear(span.start, span.len);
        self.shadow.accessible.set(span.start, span.len);
        if let Some(races) = &self.races {
            races.forget(span);
        }
    }
}

/// What is larger is no value but a copy of memory, in which there may be gaps.
const LARGEST_VALUE: u64 = 16;
