//! Who may use the accesses of a device: the thread of its one multiprocessor. Others leave notes for it.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};

use super::Races;
use super::launches::Launches;
use crate::arena::Span;

/// The races of a device.
///
/// A lock for each access would cost as much as the comparison, and only one thread ever compares. What any thread may
/// do at any time has locks: to begin and end launches, and to allocate memory.
#[derive(Default)]
pub struct Detector {
    races: UnsafeCell<Races>,
    launches: Arc<Mutex<Launches>>,
    /// Memory that has another owner since the last access.
    forgotten: Mutex<Vec<Span>>,
    has_forgotten: AtomicBool,
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
        self.forgotten.lock().push(span);
        self.has_forgotten.store(true, Ordering::Release);
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
        if self.has_forgotten.load(Ordering::Acquire) {
            self.has_forgotten.store(false, Ordering::Relaxed);
            let spans = std::mem::take(&mut *self.forgotten.lock());
            spans.into_iter().for_each(|span| races.forget(span));
        }
        races
    }
}
