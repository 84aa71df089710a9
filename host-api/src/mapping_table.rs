//! The mapping table of one device: which host ranges have device storage, and who counts on it.
//!
//! Ranges are disjoint and ordered by host address in a B-tree, so every operation is O(log n)
//! under a lock held only for the lookup and the count. What takes long (copies) happens outside,
//! under the lock of the one mapping concerned.
//!
//! Two things keep concurrent host threads right:
//! - a mapping is *ready* only when the construct that made it has copied its data and attached
//!   its pointers; others that find it wait for that ([`Mapping::wait_ready`]);
//! - a mapping whose references are gone stays in the table while it is *pinned* by a construct
//!   that still copies from it; whoever unpins last takes it out. A construct that maps the range
//!   again meanwhile simply finds it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use plugin_api::DevicePtr;

use crate::attachment::Attachments;

/// Storage on the device for a host range.
#[derive(Debug)]
pub struct Mapping {
    /// The host range.
    pub host: Range<u64>,
    /// The base address of what the range is a section of; `base..host.start` finds the mapping
    /// for zero-length sections.
    pub host_base: u64,
    /// Device address of `host.start`.
    pub address: DevicePtr,
    /// What to free when the mapping goes; `None` for storage the runtime does not own.
    pub allocation: Option<DevicePtr>,
    /// How the user wrote it; empty when unknown.
    pub name: Box<str>,
    state: Mutex<State>,
    became_ready: Condvar,
}

#[derive(Debug, Default)]
struct State {
    ready: bool,
    attachments: Attachments,
}

/// Exclusive right to copy to or from a mapping, with its attached pointers.
pub struct TransferGuard<'a>(MutexGuard<'a, State>);

impl TransferGuard<'_> {
    /// The pointers inside the mapping that hold device addresses.
    pub fn attachments(&mut self) -> &mut Attachments {
        &mut self.0.attachments
    }
}

impl Mapping {
    /// A mapping that is not in a table yet.
    pub fn new(
        host: Range<u64>,
        host_base: u64,
        address: DevicePtr,
        allocation: Option<DevicePtr>,
        name: &str,
    ) -> Mapping {
        Mapping {
            host,
            host_base,
            address,
            allocation,
            name: name.into(),
            state: Mutex::default(),
            became_ready: Condvar::new(),
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

    /// Takes the right to copy.
    pub fn lock(&self) -> TransferGuard<'_> {
        TransferGuard(self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells waiting constructs that data and pointers are in place.
    pub fn set_ready(&self) {
        self.lock().0.ready = true;
        self.became_ready.notify_all();
    }

    /// Waits until the construct that made the mapping has filled it.
    pub fn wait_ready(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(
            self.became_ready
                .wait_while(state, |state| !state.ready)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }
}

/// A reference count; storage that lives as long as the program has an infinite one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many.
    Finite(u64),
    /// Never goes away: `declare target` variables, `omp_target_associate_ptr`.
    Infinite,
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Count::Finite(count) => write!(f, "{count}"),
            Count::Infinite => write!(f, "inf"),
        }
    }
}

/// Which count an operation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// None: a member of an item that is counted itself.
    Suppressed,
    /// The count of OpenMP.
    Dynamic,
    /// The count of `ompx_hold`.
    Hold,
}

#[derive(Debug)]
struct Slot {
    mapping: Arc<Mapping>,
    dynamic: Count,
    hold: u64,
    pins: u64,
}

impl Slot {
    fn is_unreferenced(&self) -> bool {
        self.dynamic == Count::Finite(0) && self.hold == 0
    }

    fn add(&mut self, reference: Reference) {
        match (reference, &mut self.dynamic) {
            (Reference::Dynamic, Count::Finite(count)) => *count += 1,
            (Reference::Hold, _) => self.hold += 1,
            _ => {}
        }
    }

    fn remove(&mut self, reference: Reference, delete: bool) {
        match (reference, &mut self.dynamic) {
            (Reference::Hold, _) => self.hold = self.hold.saturating_sub(1),
            (_, Count::Finite(count)) if delete => *count = 0,
            (Reference::Dynamic, Count::Finite(count)) => *count = count.saturating_sub(1),
            _ => {}
        }
    }
}

/// How a host section relates to the mappings.
#[derive(Debug)]
enum Found<'a> {
    /// Inside one (or, of length zero, in the extended range of one).
    Contained(&'a mut Slot),
    /// Overlaps this one without lying inside.
    Overlaps(&'a mut Slot),
    /// Touches none.
    Absent,
}

/// What [`MappingTable::acquire`] found or made.
#[derive(Debug)]
pub struct Acquired {
    /// The mapping.
    pub mapping: Arc<Mapping>,
    /// Whether this call made it; the caller must then fill it and call [`Mapping::set_ready`].
    pub created: bool,
}

/// Why [`MappingTable::acquire`] gave nothing.
#[derive(Debug)]
pub enum AcquireError {
    /// The section overlaps this mapping without lying inside it.
    Overlaps(Arc<Mapping>),
    /// The allocation failed.
    Allocation(plugin_api::Error),
}

/// One line of a dump of the table.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The mapping.
    pub mapping: Arc<Mapping>,
    /// Its dynamic count.
    pub dynamic: Count,
    /// Its hold count.
    pub hold: u64,
}

/// A host section to look up.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// First byte.
    pub begin: u64,
    /// Bytes.
    pub size: u64,
    /// A section that merely overlaps a mapping counts as found (implicit maps).
    pub may_overlap: bool,
}

impl Section {
    /// A section that must lie inside one mapping.
    pub fn inside(begin: u64, size: u64) -> Section {
        Section {
            begin,
            size,
            may_overlap: false,
        }
    }
}

/// The mappings of one device.
#[derive(Debug, Default)]
pub struct MappingTable {
    slots: Mutex<BTreeMap<u64, Slot>>,
}

type Slots = BTreeMap<u64, Slot>;

impl MappingTable {
    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds `section` and counts it; if it is absent and not empty, makes a mapping from what
    /// `create` returns. `Ok(None)`: absent, and either empty or `create` declined.
    pub fn acquire(
        &self,
        section: Section,
        reference: Reference,
        create: impl FnOnce() -> Result<Option<Mapping>, plugin_api::Error>,
    ) -> Result<Option<Acquired>, AcquireError> {
        let mut slots = self.lock();
        match find(&mut slots, section.begin, section.size) {
            Found::Contained(slot) => Ok(Some(Self::count_in(slot, reference))),
            Found::Overlaps(slot) if section.may_overlap => {
                Ok(Some(Self::count_in(slot, reference)))
            }
            Found::Overlaps(slot) => Err(AcquireError::Overlaps(slot.mapping.clone())),
            Found::Absent => {
                let Some(mapping) = create().map_err(AcquireError::Allocation)? else {
                    return Ok(None);
                };
                let mapping = Arc::new(mapping);
                let (dynamic, hold) = if reference == Reference::Hold {
                    (0, 1)
                } else {
                    (1, 0)
                };
                let slot = Slot {
                    mapping: mapping.clone(),
                    dynamic: Count::Finite(dynamic),
                    hold,
                    pins: 0,
                };
                slots.insert(mapping.host.start, slot);
                Ok(Some(Acquired {
                    mapping,
                    created: true,
                }))
            }
        }
    }

    fn count_in(slot: &mut Slot, reference: Reference) -> Acquired {
        slot.add(reference);
        Acquired {
            mapping: slot.mapping.clone(),
            created: false,
        }
    }

    /// Finds `section` without counting.
    pub fn find(&self, section: Section) -> Option<Arc<Mapping>> {
        match find(&mut self.lock(), section.begin, section.size) {
            Found::Contained(slot) => Some(slot.mapping.clone()),
            Found::Overlaps(slot) if section.may_overlap => Some(slot.mapping.clone()),
            _ => None,
        }
    }

    /// Finds `section` and pins it, so that it stays until [`MappingTable::unpin`].
    pub fn pin(&self, section: Section) -> Option<Arc<Mapping>> {
        self.release(section, Reference::Suppressed, false)
    }

    /// Finds `section`, takes a reference off (all of them with `delete`), and pins it.
    pub fn release(
        &self,
        section: Section,
        reference: Reference,
        delete: bool,
    ) -> Option<Arc<Mapping>> {
        let mut slots = self.lock();
        let slot = match find(&mut slots, section.begin, section.size) {
            Found::Contained(slot) => slot,
            Found::Overlaps(slot) if section.may_overlap => slot,
            _ => return None,
        };
        slot.remove(reference, delete);
        slot.pins += 1;
        Some(slot.mapping.clone())
    }

    /// Whether nothing refers to a pinned mapping any more.
    pub fn is_unreferenced(&self, mapping: &Mapping) -> bool {
        self.lock()
            .get(&mapping.host.start)
            .is_some_and(Slot::is_unreferenced)
    }

    /// Gives a pin back. True: the mapping was the last user's and has left the table; the caller
    /// frees its allocation.
    #[must_use]
    pub fn unpin(&self, mapping: &Mapping) -> bool {
        let mut slots = self.lock();
        let Some(slot) = slots.get_mut(&mapping.host.start) else {
            return false;
        };
        slot.pins = slot.pins.saturating_sub(1);
        if slot.pins > 0 || !slot.is_unreferenced() {
            return false;
        }
        slots.remove(&mapping.host.start);
        true
    }

    /// Adds storage that stays whatever constructs do. Fails with what it overlaps.
    pub fn associate(&self, mapping: Mapping) -> Result<(), Arc<Mapping>> {
        let mut slots = self.lock();
        match find(
            &mut slots,
            mapping.host.start,
            mapping.host.end - mapping.host.start,
        ) {
            Found::Contained(slot) | Found::Overlaps(slot) => Err(slot.mapping.clone()),
            Found::Absent => {
                mapping.set_ready();
                let slot = Slot {
                    mapping: Arc::new(mapping),
                    dynamic: Count::Infinite,
                    hold: 0,
                    pins: 0,
                };
                slots.insert(slot.mapping.host.start, slot);
                Ok(())
            }
        }
    }

    /// Removes what [`MappingTable::associate`] added at `host`; says why not otherwise.
    pub fn disassociate(&self, host: u64) -> Result<Arc<Mapping>, &'static str> {
        let mut slots = self.lock();
        match slots.get(&host) {
            None => Err("no association starts at this address"),
            Some(slot) if slot.dynamic != Count::Infinite => {
                Err("the address is mapped, not associated")
            }
            Some(slot) if slot.hold > 0 || slot.pins > 0 => {
                Err("a construct still uses the association")
            }
            Some(_) => slots
                .remove(&host)
                .map(|slot| slot.mapping)
                .ok_or("no association starts at this address"),
        }
    }

    /// Every mapping with its counts, by host address.
    pub fn snapshot(&self) -> Vec<Snapshot> {
        self.lock()
            .values()
            .map(|slot| Snapshot {
                mapping: slot.mapping.clone(),
                dynamic: slot.dynamic,
                hold: slot.hold,
            })
            .collect()
    }
}

/// Looks a section up among disjoint ranges ordered by their begin.
fn find(slots: &mut Slots, begin: u64, size: u64) -> Found<'_> {
    let end = begin.saturating_add(size);
    let before = slots
        .range(..=begin)
        .next_back()
        .map(|(key, slot)| (*key, slot.mapping.host.end));
    if let Some((key, mapped_end)) = before
        && begin < mapped_end
    {
        return match slots.get_mut(&key) {
            Some(slot) if end <= mapped_end => Found::Contained(slot),
            Some(slot) => Found::Overlaps(slot),
            None => Found::Absent,
        };
    }
    let Some((_, slot)) = slots.range_mut(begin.saturating_add(1)..).next() else {
        return Found::Absent;
    };
    if size == 0 && begin >= slot.mapping.host_base {
        Found::Contained(slot)
    } else if end > slot.mapping.host.start {
        Found::Overlaps(slot)
    } else {
        Found::Absent
    }
}
