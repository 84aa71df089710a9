//! Who may use the accesses of a device: the thread of its one multiprocessor. Others leave notes for it.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::launches::Launches;
use super::{Passed, Races, TransferRace};
use crate::arena::Span;

/// What happens to memory other than by a kernel.
enum Event {
    /// It has another owner.
    Forgotten(Span),
    /// A copy or a fill accesses it.
    Passed(Passed),
}

/// The races of a device.
///
/// A lock for each access would cost as much as the comparison, and only one thread ever compares. What any thread may
/// do at any time has locks: to begin and end launches, and to allocate memory.
#[derive(Default)]
pub struct Detector {
    races: UnsafeCell<Races>,
    launches: Arc<Mutex<Launches>>,
    /// What has happened to memory since the last access.
    notes: Mutex<Vec<Event>>,
    has_notes: AtomicBool,
    /// Races of copies that were found.
    of_transfers: Mutex<Vec<TransferRace>>,
}

// SAFETY: `races` is used by one thread at a time, by the contract of `on_multiprocessor`.
unsafe impl Sync for Detector {}

impl Detector {
    /// Nothing has happened yet.
    pub fn new() -> Detector {
        let launches = Arc::default();
        let races = Races {
            launches: Arc::clone(&launches),
            ..Races::default()
        };
        Detector {
            races: UnsafeCell::new(races),
            launches,
            ..Detector::default()
        }
    }

    /// The launches.
    pub fn launches(&self) -> MutexGuard<'_, Launches> {
        self.launches.lock()
    }

    /// Memory has another owner: past accesses to it do not matter.
    pub fn forget(&self, span: Span) {
        self.note(Event::Forgotten(span));
    }

    /// A copy or a fill accesses memory, before its thread goes on.
    pub fn pass(&self, transfer: Passed) {
        self.note(Event::Passed(transfer));
    }

    /// The races of copies that were found since the last time.
    pub fn take_transfer_races(&self) -> Vec<TransferRace> {
        std::mem::take(&mut *self.of_transfers.lock())
    }

    fn note(&self, event: Event) {
        self.notes.lock().push(event);
        self.has_notes.store(true, Ordering::Release);
    }

    /// The accesses.
    ///
    /// # Safety
    /// The caller is the thread of the device's one multiprocessor, and has no other reference from here.
    #[expect(clippy::mut_from_ref)]
    #[inline]
    pub unsafe fn on_multiprocessor(&self) -> &mut Races {
        // SAFETY: the caller's contract.
        let races = unsafe { &mut *self.races.get() };
        if self.has_notes.load(Ordering::Acquire) {
            self.take_notes(races);
        }
        races
    }

    #[cold]
    fn take_notes(&self, races: &mut Races) {
        self.has_notes.store(false, Ordering::Relaxed);
        let notes = std::mem::take(&mut *self.notes.lock());
        for event in notes {
            match event {
                Event::Forgotten(span) => races.forget(span),
                Event::Passed(transfer) => {
                    let found = races.pass(&transfer);
                    if !found.is_empty() {
                        self.of_transfers.lock().extend(found);
                    }
                }
            }
        }
    }
}
