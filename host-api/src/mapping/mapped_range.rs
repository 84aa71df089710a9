//! One mapping: a host range with storage on a device.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use parking_lot::{Condvar, Mutex, MutexGuard};
use plugin_api::{DevicePtr, Event, Stream};

use crate::mapping::attachments::Attachments;
use crate::thread_number::ThreadNumber;

/// Device storage for a host range. There may be hundreds of thousands of them, so size matters.
#[derive(Debug)]
pub struct Mapping {
    /// The host range.
    pub host: Range<u64>,
    /// The base address of the object that the range is a section of. Zero-length sections in `base..host.start` find
    /// the mapping, too.
    pub host_base: u64,
    /// Device address of `host.start`.
    pub address: DevicePtr,
    storage: Storage,
    readiness: AtomicU8,
    /// Whether [`RareFields::copy`] may be there.
    may_be_copying: AtomicBool,
    /// The thread whose construct made the mapping.
    filler: ThreadNumber,
    /// Whoever holds the lock may copy.
    rare: Mutex<Option<Box<RareFields>>>,
}

/// Fields that few mappings use.
#[derive(Debug, Default)]
struct RareFields {
    /// Its source text (`-g`); empty when unknown.
    name: Box<str>,
    /// Location of the construct that created it, when that is recorded.
    origin: Option<Arc<str>>,
    /// Attached pointers inside the mapping.
    attachments: Attachments,
    /// The last copy to or from it that was queued on a stream and may still be running.
    copy: Option<QueuedCopy>,
}

impl RareFields {
    fn is_empty(&self) -> bool {
        self.name.is_empty()
            && self.origin.is_none()
            && self.attachments.is_empty()
            && self.copy.is_none()
    }
}

struct QueuedCopy(Arc<dyn Event>);

impl fmt::Debug for QueuedCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = self.0.has_happened().ok();
        f.debug_struct("QueuedCopy").field("done", &done).finish()
    }
}

/// Who owns the device storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The runtime. The allocation begins `padding` bytes before the mapping's address.
    Owned {
        /// Bytes from the allocation to the address.
        padding: u8,
    },
    /// Somebody else: a global of an image, or memory that the program associated.
    Foreign,
}

/// Data and pointers are not in place yet.
const FILLING: u8 = 0;
/// As [`FILLING`], and a thread waits for them.
const AWAITED: u8 = 1;
/// They are in place.
const READY: u8 = 2;

/// Where constructs wait for mappings that others fill. Waiting is rare, so one condition variable serves all.
static WAITING: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());

/// Exclusive right to copy to or from a mapping, with its attached pointers.
///
/// A copy that is queued on a stream runs after the guard is gone. To keep copies exclusive, the next one first
/// [follows](TransferGuard::follow) it, on whichever stream it is queued.
pub struct TransferGuard<'a> {
    mapping: &'a Mapping,
    rare: MutexGuard<'a, Option<Box<RareFields>>>,
}

impl TransferGuard<'_> {
    /// The attached pointers inside the mapping, if there are any.
    pub fn attachments(&self) -> Option<&Attachments> {
        self.rare.as_ref().map(|rare| &rare.attachments)
    }

    /// The attached pointers, to add one.
    pub fn attachments_mut(&mut self) -> &mut Attachments {
        &mut self.rare.get_or_insert_default().attachments
    }

    /// Makes `stream` wait for copies that are queued on other streams.
    pub fn follow(&mut self, stream: &dyn Stream) -> plugin_api::Result<()> {
        let Some(rare) = &mut *self.rare else {
            return Ok(());
        };
        match &rare.copy {
            None => return Ok(()),
            Some(copying) if !copying.0.is_known_to_have_happened()? => {
                return stream.wait(&copying.0);
            }
            Some(_) => rare.copy = None,
        }
        if rare.is_empty() {
            *self.rare = None;
        }
        self.mapping.may_be_copying.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Records that a copy was queued on `stream`.
    pub fn queued_on(&mut self, stream: &dyn Stream) -> plugin_api::Result<()> {
        if let Some(event) = stream.position()? {
            self.rare.get_or_insert_default().copy = Some(QueuedCopy(event));
            // Users of the mapping wait until it is ready, or take this lock, before they read this flag.
            self.mapping.may_be_copying.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Mapping {
    /// A mapping that is not in a table yet and must still be filled.
    #[inline]
    pub fn new(
        host: Range<u64>,
        host_base: u64,
        address: DevicePtr,
        storage: Storage,
        name: &str,
    ) -> Mapping {
        Mapping {
            host,
            host_base,
            address,
            storage,
            readiness: AtomicU8::new(FILLING),
            may_be_copying: AtomicBool::new(false),
            filler: ThreadNumber::of_this_thread(),
            rare: Mutex::new((!name.is_empty()).then(|| {
                Box::new(RareFields {
                    name: name.into(),
                    ..RareFields::default()
                })
            })),
        }
    }

    /// Stores the location of the construct that created it, if that is recorded.
    pub fn set_origin(&self, origin: Option<Arc<str>>) {
        if origin.is_some() {
            self.lock().rare.get_or_insert_default().origin = origin;
        }
    }

    /// Location of the construct that created it, if that was recorded.
    pub fn origin(&self) -> Option<Arc<str>> {
        let guard = self.lock();
        guard.rare.as_ref().and_then(|rare| rare.origin.clone())
    }

    /// Its source text; empty when unknown. Takes the lock: not for holders of a [`TransferGuard`].
    pub fn name(&self) -> String {
        let guard = self.lock();
        guard
            .rare
            .as_ref()
            .map_or_else(String::new, |rare| rare.name.to_string())
    }

    /// The allocation to free with the mapping; `None` for storage that the runtime does not own.
    pub fn allocation(&self) -> Option<DevicePtr> {
        match self.storage {
            Storage::Owned { padding } => Some(self.address.offset(-i64::from(padding))),
            Storage::Foreign => None,
        }
    }

    /// Device address that corresponds to `host`.
    pub fn device_address(&self, host: u64) -> DevicePtr {
        DevicePtr(
            self.address
                .0
                .wrapping_add(host.wrapping_sub(self.host.start)),
        )
    }

    /// Locks the mapping for a copy.
    pub fn lock(&self) -> TransferGuard<'_> {
        TransferGuard {
            mapping: self,
            rare: self.rare.lock(),
        }
    }

    /// Makes `stream` wait for copies of the mapping that are queued on other streams. Needed before a kernel that uses
    /// what another construct has filled.
    pub fn follow(&self, stream: &dyn Stream) -> plugin_api::Result<()> {
        if self.may_be_copying.load(Ordering::Relaxed) {
            self.lock().follow(stream)?;
        }
        Ok(())
    }

    /// Whether data and pointers are in place, or queued on a stream.
    pub fn is_ready(&self) -> bool {
        self.readiness.load(Ordering::Acquire) == READY
    }

    /// Whether the calling thread is in the construct that created the mapping.
    pub fn is_filled_by_this_thread(&self) -> bool {
        !self.is_ready() && self.filler == ThreadNumber::of_this_thread()
    }

    /// Marks data and pointers as in place and wakes waiting constructs.
    pub fn set_ready(&self) {
        if self.readiness.swap(READY, Ordering::AcqRel) == AWAITED {
            let (lock, changed) = &WAITING;
            drop(lock.lock());
            changed.notify_all();
        }
    }

    /// Waits until the construct that created the mapping has filled it.
    pub fn wait_ready(&self) {
        if self.is_ready() {
            return;
        }
        let (lock, changed) = &WAITING;
        let mut guard = lock.lock();
        // Announced under the lock. Whoever sets the mapping ready after this takes the lock, too, and so notifies only
        // when this thread waits.
        let announced =
            self.readiness
                .compare_exchange(FILLING, AWAITED, Ordering::AcqRel, Ordering::Acquire);
        if announced == Err(READY) {
            return;
        }
        while !self.is_ready() {
            changed.wait(&mut guard);
        }
    }
}

/// `'a[0:100]' [begin, end) (n bytes)`.
impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        if !name.is_empty() {
            write!(f, "'{name}' ")?;
        }
        let Range { start, end } = self.host;
        write!(f, "[{start:#x}, {end:#x}) ({} bytes)", end - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(storage: Storage, name: &str) -> Mapping {
        Mapping::new(100..132, 96, DevicePtr(0x1010), storage, name)
    }

    #[test]
    fn addresses_and_names() {
        let owned = mapping(Storage::Owned { padding: 16 }, "a[4:8]");
        assert_eq!(owned.device_address(108), DevicePtr(0x1018));
        assert_eq!(owned.allocation(), Some(DevicePtr(0x1000)));
        assert_eq!(owned.name(), "a[4:8]");
        let foreign = mapping(Storage::Foreign, "");
        assert_eq!(
            (foreign.allocation(), foreign.name()),
            (None, String::new())
        );
        assert_eq!(owned.to_string(), "'a[4:8]' [0x64, 0x84) (32 bytes)");
        assert_eq!(foreign.to_string(), "[0x64, 0x84) (32 bytes)");
    }

    /// With the counts of an `Arc` and its own header, the allocator then takes 80 bytes.
    #[test]
    fn a_mapping_is_small() {
        assert!(size_of::<Mapping>() + 2 * size_of::<usize>() <= 72);
    }

    #[test]
    fn waiting_ends_when_the_mapping_is_ready() {
        for _ in 0..200 {
            let mapping = mapping(Storage::Foreign, "");
            std::thread::scope(|scope| {
                assert!(mapping.is_filled_by_this_thread());
                let elsewhere = scope.spawn(|| mapping.is_filled_by_this_thread());
                assert!(!elsewhere.join().unwrap());
                let waiters = [(); 3].map(|()| scope.spawn(|| mapping.wait_ready()));
                mapping.set_ready();
                waiters
                    .into_iter()
                    .for_each(|waiter| waiter.join().unwrap());
            });
            assert!(mapping.is_ready() && !mapping.is_filled_by_this_thread());
            mapping.wait_ready();
        }
    }
}
