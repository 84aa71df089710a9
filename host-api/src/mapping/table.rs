//! The mapping table of one device: which host ranges have device storage, and how many references they have.
//!
//! Ranges are disjoint and ordered by host address ([`SortedBlocks`]), so every operation is O(log n). The lock of the
//! table is held for the look-up and the count only. Copies take long; they run outside, under the lock of the one
//! mapping.
//!
//! Two things keep concurrent host threads right:
//! - a mapping is *ready* only when the construct that made it has copied its data and attached
//!   its pointers; others that find it wait for that ([`Mapping::wait_ready`]);
//! - a mapping whose references are gone stays in the table while it is *pinned* by a construct
//!   that still copies from it; whoever unpins last takes it out. A construct that maps the range
//!   again meanwhile simply finds it.

use std::sync::Arc;

use parking_lot::Mutex;
use plugin_api::DevicePtr;

use crate::mapping::map_type::MapType;
use crate::mapping::mapped_range::Mapping;
use crate::mapping::sorted_blocks::{Position, SortedBlocks};

/// A reference count. Storage that lives as long as the program has an infinite one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// A number of references.
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

/// The count that an operation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// None: a member of an item that is counted itself.
    Suppressed,
    /// The count of OpenMP.
    Dynamic,
    /// The count of `ompx_hold`.
    Hold,
}

impl Reference {
    /// The count that an item of type `kind` changes; none if it is `suppressed`.
    pub fn of(kind: MapType, suppressed: bool) -> Reference {
        match (suppressed, kind.contains(MapType::HOLD)) {
            (true, _) => Reference::Suppressed,
            (false, true) => Reference::Hold,
            (false, false) => Reference::Dynamic,
        }
    }
}

/// Stands for [`Count::Infinite`] in a slot.
const INFINITE: u32 = u32::MAX;

#[derive(Debug)]
struct Slot {
    mapping: Arc<Mapping>,
    dynamic: u32,
    hold: u32,
    pins: u32,
}

impl Slot {
    fn snapshot(&self) -> Snapshot {
        Snapshot {
            mapping: self.mapping.clone(),
            dynamic: self.dynamic(),
            hold: self.hold.into(),
        }
    }

    /// A slot with the first reference to its mapping.
    fn first(mapping: Arc<Mapping>, reference: Reference) -> Slot {
        let hold = u32::from(reference == Reference::Hold);
        Slot {
            mapping,
            dynamic: 1 - hold,
            hold,
            pins: 0,
        }
    }

    fn dynamic(&self) -> Count {
        match self.dynamic {
            INFINITE => Count::Infinite,
            count => Count::Finite(count.into()),
        }
    }

    fn is_unreferenced(&self) -> bool {
        self.dynamic == 0 && self.hold == 0
    }

    /// Adds a reference. A count that reaches its largest value saturates. The mapping is then never freed, which is
    /// right unless the program removes four thousand million references.
    fn add(&mut self, reference: Reference) {
        match reference {
            Reference::Dynamic => self.dynamic = self.dynamic.saturating_add(1),
            Reference::Hold => self.hold = self.hold.saturating_add(1),
            Reference::Suppressed => {}
        }
    }

    fn remove(&mut self, reference: Reference, delete: bool) {
        match reference {
            Reference::Hold => self.hold = self.hold.saturating_sub(1),
            _ if self.dynamic == INFINITE => {}
            _ if delete => self.dynamic = 0,
            Reference::Dynamic => self.dynamic = self.dynamic.saturating_sub(1),
            Reference::Suppressed => {}
        }
    }
}

/// How a host section relates to the mappings.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// Inside one; a section of length zero may also lie in the extended range of one.
    Contained(Position),
    /// Overlaps this one without lying inside.
    Overlaps(Position),
    /// Touches no mapping.
    Absent,
}

/// What [`MappingTable::acquire`] found or made.
#[derive(Debug)]
pub struct Acquired {
    /// The mapping.
    pub mapping: Arc<Mapping>,
    /// Whether this call created it. The caller must then fill it and call [`Mapping::set_ready`].
    pub created: bool,
}

/// Why [`MappingTable::acquire`] gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum AcquireError {
    /// The section overlaps this mapping without lying inside it.
    #[error("the section overlaps {0} without lying inside it")]
    Overlaps(Arc<Mapping>),
    /// The allocation failed.
    #[error(transparent)]
    Allocation(plugin_api::Error),
}

/// Why [`MappingTable::disassociate`] removed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DisassociateError {
    /// Nothing starts at the address.
    #[error("no association starts at this address")]
    Unknown,
    /// A construct maps it.
    #[error("the address is mapped, not associated")]
    Mapped,
    /// A construct uses it.
    #[error("a construct still uses the association")]
    InUse,
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
    /// Whether a section that only overlaps a mapping counts as found (implicit maps).
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

    /// Position of the mapping that the section counts as part of.
    fn position(self, slots: &Slots) -> Option<Position> {
        match find(slots, self.begin, self.size) {
            Found::Contained(position) => Some(position),
            Found::Overlaps(position) if self.may_overlap => Some(position),
            _ => None,
        }
    }
}

/// The mappings of one device.
#[derive(Debug, Default)]
pub struct MappingTable {
    slots: Mutex<Slots>,
}

type Slots = SortedBlocks<Slot>;

impl MappingTable {
    /// Finds `section` and counts a reference. If the section is absent and not empty, makes a mapping from what
    /// `create` returns. `Ok(None)`: the section is absent, and it is empty or `create` declined.
    pub fn acquire(
        &self,
        section: Section,
        reference: Reference,
        create: impl FnOnce() -> Result<Option<Arc<Mapping>>, plugin_api::Error>,
    ) -> Result<Option<Acquired>, AcquireError> {
        let mut slots = self.slots.lock();
        let found = match find(&slots, section.begin, section.size) {
            Found::Contained(position) => position,
            Found::Overlaps(position) if section.may_overlap => position,
            Found::Overlaps(position) => {
                let other = slots.value(position).mapping.clone();
                return Err(AcquireError::Overlaps(other));
            }
            Found::Absent => {
                let Some(mapping) = create().map_err(AcquireError::Allocation)? else {
                    return Ok(None);
                };
                let slot = Slot::first(mapping.clone(), reference);
                slots.insert(mapping.host.clone(), slot);
                return Ok(Some(Acquired {
                    mapping,
                    created: true,
                }));
            }
        };
        let slot = slots.value_mut(found);
        slot.add(reference);
        Ok(Some(Acquired {
            mapping: slot.mapping.clone(),
            created: false,
        }))
    }

    /// Finds `section` without counting.
    pub fn find(&self, section: Section) -> Option<Arc<Mapping>> {
        let slots = self.slots.lock();
        section
            .position(&slots)
            .map(|position| slots.value(position).mapping.clone())
    }

    /// Whether `section` is mapped.
    pub fn contains(&self, section: Section) -> bool {
        section.position(&self.slots.lock()).is_some()
    }

    /// Device address of the begin of `section`, if it is mapped.
    pub fn device_address(&self, section: Section) -> Option<DevicePtr> {
        let slots = self.slots.lock();
        section
            .position(&slots)
            .map(|position| slots.value(position).mapping.device_address(section.begin))
    }

    /// Finds `section` and pins it, so that it stays until [`MappingTable::unpin`].
    pub fn pin(&self, section: Section) -> Option<Arc<Mapping>> {
        self.release(section, Reference::Suppressed, false)
    }

    /// Finds `section`, removes a reference (all of them with `delete`), and pins it.
    pub fn release(
        &self,
        section: Section,
        reference: Reference,
        delete: bool,
    ) -> Option<Arc<Mapping>> {
        let mut slots = self.slots.lock();
        let position = section.position(&slots)?;
        let slot = slots.value_mut(position);
        slot.remove(reference, delete);
        slot.pins += 1;
        Some(slot.mapping.clone())
    }

    /// Whether a pinned mapping has no references left.
    pub fn is_unreferenced(&self, mapping: &Mapping) -> bool {
        let slots = self.slots.lock();
        slots
            .position(mapping.host.start)
            .is_some_and(|position| slots.value(position).is_unreferenced())
    }

    /// Removes a pin. Returns true if that was the last use of the mapping and it has left the table. The caller then
    /// frees its allocation.
    #[must_use]
    pub fn unpin(&self, mapping: &Mapping) -> bool {
        let mut slots = self.slots.lock();
        let Some(position) = slots.position(mapping.host.start) else {
            return false;
        };
        let slot = slots.value_mut(position);
        slot.pins = slot.pins.saturating_sub(1);
        if slot.pins > 0 || !slot.is_unreferenced() {
            return false;
        }
        slots.remove(position);
        true
    }

    /// Adds storage that constructs never remove. Fails with the mapping that it overlaps.
    pub fn associate(&self, mapping: Mapping) -> Result<(), Arc<Mapping>> {
        let mut slots = self.slots.lock();
        let host = mapping.host.clone();
        match find(&slots, host.start, host.end - host.start) {
            Found::Contained(position) | Found::Overlaps(position) => {
                Err(slots.value(position).mapping.clone())
            }
            Found::Absent => {
                mapping.set_ready();
                let slot = Slot {
                    mapping: Arc::new(mapping),
                    dynamic: INFINITE,
                    hold: 0,
                    pins: 0,
                };
                slots.insert(host, slot);
                Ok(())
            }
        }
    }

    /// Removes the storage that [`MappingTable::associate`] added at `host`.
    pub fn disassociate(&self, host: u64) -> Result<Arc<Mapping>, DisassociateError> {
        let mut slots = self.slots.lock();
        let position = slots.position(host).ok_or(DisassociateError::Unknown)?;
        let slot = slots.value(position);
        if slot.dynamic != INFINITE {
            return Err(DisassociateError::Mapped);
        }
        if slot.hold > 0 || slot.pins > 0 {
            return Err(DisassociateError::InUse);
        }
        Ok(slots.remove(position).mapping)
    }

    /// A mapping with its counts, unless it has left the table.
    pub fn snapshot_of(&self, mapping: &Mapping) -> Option<Snapshot> {
        let slots = self.slots.lock();
        let slot = slots.value(slots.position(mapping.host.start)?);
        Some(slot.snapshot())
    }

    /// Every mapping with its counts, by host address.
    pub fn snapshot(&self) -> Vec<Snapshot> {
        self.slots.lock().values().map(Slot::snapshot).collect()
    }
}

/// Looks a section up among disjoint ranges ordered by their begin.
fn find(slots: &Slots, begin: u64, size: u64) -> Found {
    let end = begin.saturating_add(size);
    let before = slots.last_at_most(begin);
    if let Some(position) = before {
        let mapped_end = slots.end(position);
        if end <= mapped_end && begin < mapped_end {
            return Found::Contained(position);
        }
        if begin < mapped_end {
            return Found::Overlaps(position);
        }
    }
    let Some(position) = slots.next(before) else {
        return Found::Absent;
    };
    let after = &slots.value(position).mapping;
    if size == 0 && begin >= after.host_base {
        Found::Contained(position)
    } else if end > after.host.start {
        Found::Overlaps(position)
    } else {
        Found::Absent
    }
}
