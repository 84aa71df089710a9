//! Entering a data environment: `target`, `target data`, `target enter data`
//! (OpenMP 5.2, 5.8.3 "map clause").
//!
//! For every item: look it up or allocate storage, count a reference, and copy if the storage is new in this construct
//! or the user wrote `always`. When all items are in place, attach the pointers. Then mark the new mappings ready, and
//! only then wait for mappings that other threads still fill. So two constructs that wait for each other have both
//! filled their own mappings.

use std::sync::Arc;

use plugin_api::DevicePtr;
use smallvec::SmallVec;

use crate::check::{contents, mappings, misuse};
use crate::construct::attach::{self, AttachRequest};
use crate::construct::device_work::DeviceWork;
use crate::construct::transfer;
use crate::device::mapping_report::{report_created, report_found};
use crate::device::omp_device::OmpDevice;
use crate::mapping::created::Created;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::mapped_range::{Mapping, Storage};
use crate::mapping::mapper;
use crate::mapping::table::{AcquireError, Reference, Section};
use crate::ompt::{self, Side};
use crate::report::error::{Error, Result};
use crate::report::info::{self, Info};
use crate::trace;

/// Device storage keeps the host address modulo at least this number, what the largest scalars are aligned to.
const LEAST_KEPT: u64 = 16;
/// Of a base that is aligned to more, it keeps the address modulo that, up to this number. What the compiler knows
/// about the alignment of the base then also holds for its sections.
const MOST_KEPT: u64 = 64;

/// Bytes between the beginning of a device block, which is aligned to [`MOST_KEPT`] at least, and that of the storage
/// for a section of `base`. Most arrays have none, and warps then access whole lines of a cache. `malloc` aligns large
/// arrays to 16 bytes and no more.
fn padding(base: u64, begin: u64) -> u64 {
    let aligned = 1 << base.trailing_zeros().min(u64::BITS - 1);
    begin % u64::clamp(aligned, LEAST_KEPT, MOST_KEPT)
}

/// The device address for a `use_device_ptr` or `use_device_addr` item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returned {
    /// Index of the item.
    pub index: usize,
    /// What replaces its base.
    pub base: u64,
}

/// A construct that is entering its data environment.
#[derive(Default)]
struct Entering {
    created: Created,
    found: SmallVec<[Arc<Mapping>; 4]>,
    attach: SmallVec<[AttachRequest; 2]>,
    returned: Vec<Returned>,
}

/// Maps `items` on the device of `work`.
///
/// # Safety
/// The host ranges of items that are copied are readable until the work is complete, and the bases of items with
/// `PTR_AND_OBJ` or `ATTACH` are readable pointers, as clang guarantees for a valid program.
pub unsafe fn data_begin(work: &DeviceWork<'_>, items: &[MapItem]) -> Result<Vec<Returned>> {
    let mut entering = Entering::default();
    for (index, item) in mapper::flatten(items).iter() {
        if item.kind.contains(MapType::ATTACH) {
            if !item.kind.contains(MapType::PRIVATE) {
                entering.attach.push(AttachRequest::deferred(item));
            }
        } else if !item.kind.is_unmapped() {
            // SAFETY: forwarded from the caller.
            unsafe { entering.item(work, index, item)? };
        }
    }
    for request in &entering.attach {
        // SAFETY: forwarded from the caller.
        unsafe { attach::attach(work, request, &entering.created)? };
    }
    entering.created.set_ready();
    for mapping in &entering.found {
        mapping.wait_ready();
        let follows = mapping.follow(work.stream());
        follows.map_err(|source| Error::Device {
            what: "waiting for the copies of another construct".into(),
            source,
        })?;
    }
    Ok(entering.returned)
}

impl Entering {
    /// # Safety
    /// As [`data_begin`].
    unsafe fn item(&mut self, work: &DeviceWork<'_>, index: usize, item: &MapItem) -> Result<()> {
        let device = work.device;
        let reference = Reference::of(item.kind, item.kind.is_member());
        let (base, reference) = if item.kind.contains(MapType::PTR_AND_OBJ) {
            let pointer = MapItem {
                begin: item.base,
                size: 8,
                kind: item.kind - MapType::TO,
                ..*item
            };
            self.acquire(device, &pointer, item.base, reference)?;
            // SAFETY: the base of such an item is the address of a pointer (caller).
            (
                unsafe { MapItem::read_pointer(item.base) },
                Reference::of(item.kind, false),
            )
        } else {
            (item.base, reference)
        };
        let mapping = self.acquire(device, item, base, reference)?;
        if let Some(mapping) = &mapping {
            // SAFETY: forwarded from the caller.
            unsafe { self.copy(work, item, mapping)? };
        } else if !item.kind.is_empty()
            && !item.kind.is_member()
            && !item.kind.contains(MapType::IMPLICIT)
            // Host memory that the device uses in place has no device counterpart.
            && !device.unified_shared_memory()
        {
            info::log(
                Info::EMPTY_MAPPING,
                device.number,
                format_args!("{item} has no device counterpart"),
            );
        }
        if item.kind.contains(MapType::RETURN_PARAM) {
            self.returned.push(Returned {
                index,
                base: returned_base(item, base, mapping.as_deref()),
            });
        }
        if item.kind.contains(MapType::PTR_AND_OBJ) && mapping.is_some() {
            let request = AttachRequest::immediate(item, base);
            // SAFETY: forwarded from the caller.
            unsafe { attach::attach(work, &request, &self.created)? };
        }
        Ok(())
    }

    /// Finds or creates the item's mapping. Returns `None` for host memory that the device uses in place and for empty
    /// sections that are not mapped.
    fn acquire(
        &mut self,
        device: &OmpDevice,
        item: &MapItem,
        base: u64,
        reference: Reference,
    ) -> Result<Option<Arc<Mapping>>> {
        let kind = item.kind;
        let section = Section {
            begin: item.begin,
            size: item.size,
            may_overlap: kind.contains(MapType::IMPLICIT),
        };
        let create = || -> plugin_api::Result<Option<Arc<Mapping>>> {
            misuse::check_mapped(item);
            let in_place = device.unified_shared_memory() && !kind.contains(MapType::CLOSE);
            if item.size == 0 || kind.contains(MapType::PRESENT) || in_place {
                return Ok(None);
            }
            // What a pointer in another object points at: nobody but its type says how it is aligned.
            let by_pointer = kind.contains(MapType::PTR_AND_OBJ);
            let padding = padding(if by_pointer { item.begin } else { item.base }, item.begin);
            let event = ompt::allocation(device.number, Side::host(item.begin), item.size);
            let allocation = device.device.alloc(
                padding.saturating_add(item.size),
                plugin_api::MemoryKind::Device,
            )?;
            let address = DevicePtr(allocation.0 + padding);
            event.at(address.0);
            let mapping = Arc::new(Mapping::new(
                item.begin..item.begin + item.size,
                base,
                address,
                Storage::Owned {
                    padding: padding as u8,
                },
                &item.name.expression(),
            ));
            mapping.set_origin(trace::location());
            Ok(Some(mapping))
        };
        let acquired =
            device
                .table
                .acquire(section, reference, create)
                .map_err(|error| match error {
                    AcquireError::Overlaps(mapped) => Error::Extends {
                        item: item.to_string(),
                        mapped: mapped.to_string(),
                    },
                    AcquireError::Allocation(source) => Error::Item {
                        what: "allocating device memory for",
                        item: item.to_string(),
                        source,
                    },
                })?;
        let Some(acquired) = acquired else {
            if kind.contains(MapType::PRESENT) && !device.unified_shared_memory() {
                return Err(Error::NotPresent {
                    item: item.to_string(),
                });
            }
            return Ok(None);
        };
        if acquired.created {
            report_created(device, item, &acquired.mapping);
            mappings::created(item, &acquired.mapping);
            self.created.add(acquired.mapping.clone());
        } else {
            report_found(device, item, &acquired.mapping);
            mappings::found(item, &acquired.mapping);
            contents::check_host(item, &acquired.mapping);
            self.found.push(acquired.mapping.clone());
        }
        Ok(Some(acquired.mapping))
    }

    /// Copies the item to the device if its storage is new in this construct or the item has `ALWAYS`.
    ///
    /// # Safety
    /// The item's host range is readable.
    unsafe fn copy(
        &self,
        work: &DeviceWork<'_>,
        item: &MapItem,
        mapping: &Arc<Mapping>,
    ) -> Result<()> {
        if item.size == 0 || !item.kind.contains(MapType::TO) {
            return Ok(());
        }
        let is_new = self.created.contains(mapping);
        if !is_new && !item.kind.contains(MapType::ALWAYS) {
            return Ok(());
        }
        // Constructs that find the mapping wait until it is ready.
        let _exclusive = findings::set_exclusive(is_new);
        let range = item.part_inside(&mapping.host);
        info::log(
            Info::DATA_TRANSFER,
            work.device.number,
            format_args!(
                "copying {item} to the device at {:?}",
                mapping.device_address(range.start)
            ),
        );
        // SAFETY: the range is inside the item, which the caller guarantees to be readable.
        unsafe { transfer::to_device(work, item, mapping, range) }.map_err(|source| Error::Item {
            what: "copying to the device",
            item: item.to_string(),
            source,
        })
    }
}

/// `use_device_ptr`: the device address. If nothing is mapped: the pointer itself (OpenMP 5.2, 5.4.8), or null if the
/// user asked for that.
fn returned_base(item: &MapItem, base: u64, mapping: Option<&Mapping>) -> u64 {
    match mapping {
        Some(mapping) => mapping
            .device_address(item.begin)
            .0
            .wrapping_sub(item.begin.wrapping_sub(base)),
        None if item.kind.contains(MapType::NULLIFY) => 0,
        None => {
            misuse::not_translated(item);
            base
        }
    }
}

#[cfg(test)]
mod tests {
    use super::padding;

    #[test]
    fn sections_keep_the_alignment_of_their_base() {
        // Memory of malloc, from its beginning and in it.
        assert_eq!(padding(0x7f00_0010, 0x7f00_0010), 0);
        assert_eq!(padding(0x7f00_0010, 0x7f00_0014), 4);
        assert_eq!(padding(0x7f00_0010, 0x7f00_0050), 0);
        // A member of an object that is aligned to 64 bytes, or to more.
        assert_eq!(padding(0x7f00_0040, 0x7f00_0048), 8);
        assert_eq!(padding(0x7f00_0000, 0x7f00_0070), 48);
        // One that is aligned to 32, or hardly.
        assert_eq!(padding(0x7f00_0020, 0x7f00_0070), 16);
        assert_eq!(padding(0x7f00_0001, 0x7f00_0019), 9);
        assert_eq!(padding(0, 8), 8);
    }
}
