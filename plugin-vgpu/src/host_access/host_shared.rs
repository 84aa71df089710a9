//! Memory that the host and the device may access both, such as managed and pinned memory: where races are looked for,
//! the host's own code is seen to access it before it has waited for a kernel or a copy (decision 0123).
//!
//! The memory is closed from the end of such work on until the host knows of it. Whoever enqueues the work waits for
//! its end meanwhile, or what the host does next would depend on who is faster. An access to closed memory is compared
//! with what kernels and copies did, byte by byte, as a copy is.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use findings::{DeviceWork, known_to_host};
use plugin_api::Result;
use rangemap::RangeSet;
use rustix::mm::MprotectFlags;

use super::{STATE, protect};
use crate::arena::Span;
use crate::unit_set::UnitSet;
use crate::window::{self, PAGE};

/// The watched units: the signal handler asks.
pub static WATCHED: UnitSet = UnitSet::new();

/// Whether races are looked for.
static LOOKING: AtomicBool = AtomicBool::new(false);

/// Whether there ever was watched memory.
static IS_THERE: AtomicBool = AtomicBool::new(false);

/// How much work the host does not know to be complete. A hint that is read without the lock.
static UNKNOWN: AtomicUsize = AtomicUsize::new(0);

/// How often the memory is closed at most: each access then takes the time of a comparison.
const MOST_CLOSINGS: u32 = 2000;

/// Work that the host does not know to be complete.
struct Unknown {
    work: DeviceWork,
    /// The memory of the host's that a copy accesses. A kernel may access all that is managed.
    copied: Option<Range<u64>>,
}

/// What is watched, and why it is closed.
#[derive(Default)]
pub struct HostShared {
    /// What kernels and host may access both, by the same address.
    managed: RangeSet<u64>,
    unknown: Vec<Unknown>,
    closed: RangeSet<u64>,
    closings: u32,
}

impl HostShared {
    /// Closes what the work accesses that the host does not know to be complete.
    pub fn close(&mut self) -> Result<()> {
        self.retain(|it| !it.work.is_old());
        if self.unknown.is_empty() || self.closings >= MOST_CLOSINGS {
            return Ok(());
        }
        self.closings += 1;
        for unknown in &self.unknown {
            match &unknown.copied {
                Some(range) => self.closed.insert(range.clone()),
                None => self.closed.extend(self.managed.iter().cloned()),
            }
        }
        protect_all(&self.closed, MprotectFlags::empty())
    }

    /// Opens it.
    pub fn open(&mut self) -> Result<()> {
        let closed = std::mem::take(&mut self.closed);
        protect_all(&closed, MprotectFlags::READ | MprotectFlags::WRITE)
    }

    /// These units are something else from now on.
    pub fn forget(&mut self, range: Range<u64>) {
        let is_apart = |it: &Unknown| {
            let copied = it.copied.as_ref();
            copied.is_none_or(|copied| copied.end <= range.start || range.end <= copied.start)
        };
        self.retain(is_apart);
        self.managed.remove(range.clone());
        self.closed.remove(range);
    }

    fn add(&mut self, unknown: Unknown) {
        self.unknown.push(unknown);
        UNKNOWN.store(self.unknown.len(), Ordering::Relaxed);
    }

    /// Keeps only some of the work.
    fn retain(&mut self, is_kept: impl FnMut(&Unknown) -> bool) {
        self.unknown.retain(is_kept);
        UNKNOWN.store(self.unknown.len(), Ordering::Relaxed);
    }
}

fn protect_all(ranges: &RangeSet<u64>, access: MprotectFlags) -> Result<()> {
    ranges.iter().try_for_each(|range| protect(range, access))
}

/// From now on, memory that [`watch`] is told of is watched.
pub fn look() {
    LOOKING.store(true, Ordering::SeqCst);
    findings::on_learning(learned);
}

/// Whether this is looked for.
pub fn is_looked_for() -> bool {
    LOOKING.load(Ordering::Relaxed)
}

/// Whether there is memory that is watched. Then launches wait.
pub fn is_there() -> bool {
    IS_THERE.load(Ordering::Relaxed)
}

/// These units are memory that the host may access, too. `managed`: kernels mostly do, or else copies.
pub fn watch(units: Span, managed: bool) {
    if is_looked_for() {
        WATCHED.add(units);
        IS_THERE.store(true, Ordering::Relaxed);
        if managed {
            let range = units.start..units.end();
            STATE.lock().host_shared.managed.insert(range);
        }
    }
}

/// Whether an address of the host's is watched.
pub fn is_watched(address: u64) -> bool {
    is_there() && window::contains(address) && WATCHED.has(address)
}

/// A kernel of a stream or of a task has ended, which the host does not know.
pub fn kernel_ended(work: DeviceWork) {
    if is_there() {
        let copied = None;
        STATE.lock().host_shared.add(Unknown { work, copied });
    }
}

/// So has a copy from or to memory of the host's.
pub fn copy_ended(work: DeviceWork, memory: Span) {
    if memory.len > 0 && is_watched(memory.start) {
        let copied = Some(memory.start / PAGE * PAGE..memory.end().next_multiple_of(PAGE));
        STATE.lock().host_shared.add(Unknown { work, copied });
    }
}

/// The host has learned that work is complete.
fn learned() {
    if UNKNOWN.load(Ordering::Relaxed) == 0 || findings::is_in_task() {
        return;
    }
    let known = known_to_host();
    let mut state = STATE.lock();
    state.host_shared.retain(|it| !known.has(it.work));
    // What a system call is given must be open.
    if state.host_shared.unknown.is_empty()
        && let Err(error) = state.host_shared.open()
    {
        log::debug!("memory of host and device stays closed to the host: {error}");
    }
}
