//! Leaving a data environment: the end of `target` and `target data`, and `target exit data`
//! (OpenMP 5.2, 5.8.3).
//!
//! First remove the references of all items. Then copy back what has no references left. Free its storage when the
//! copies are done. Because the decision comes after all references are gone, the order of the items does not matter: a
//! struct, its members and mapper components see the same answer.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::check::{contents, misuse};
use crate::construct::device_work::{DeviceWork, OnCompletion};
use crate::construct::transfer;
use crate::device::mapping_report::report_found;
use crate::device::omp_device::OmpDevice;
use crate::mapping::constants;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::mapped_range::Mapping;
use crate::mapping::mapper;
use crate::mapping::table::{Reference, Section};
use crate::report::error::{Error, Result};
use crate::report::info::{self, Info};

/// An item whose reference is removed; pinned until its copy is done.
struct Leaving {
    item: MapItem,
    mapping: Arc<Mapping>,
}

type LeavingItems = SmallVec<[Leaving; 4]>;

/// Unmaps `items` from the device of `work`.
///
/// # Safety
/// The host ranges of items with `FROM` are writable until the work is complete, but for [`constants`].
pub unsafe fn data_end(work: &mut DeviceWork<'_>, items: &[MapItem]) -> Result<()> {
    let mut leaving = LeavingItems::new();
    let mut outcome = release(work.device, items, &mut leaving);
    if outcome.is_ok() {
        // SAFETY: forwarded from the caller.
        outcome = leaving
            .iter()
            .try_for_each(|entry| unsafe { copy_back(work, entry) });
    }
    for entry in leaving.drain(..) {
        work.on_completion(OnCompletion::Unpin(entry.mapping));
    }
    outcome
}

fn release(device: &OmpDevice, items: &[MapItem], leaving: &mut LeavingItems) -> Result<()> {
    for (_, &item) in mapper::flatten(items).iter().rev() {
        if item.kind.is_unmapped() || item.kind.contains(MapType::ATTACH) {
            continue;
        }
        let suppressed = item.kind.is_member() && !item.kind.contains(MapType::PTR_AND_OBJ);
        let section = Section {
            begin: item.begin,
            size: item.size,
            may_overlap: item.kind.contains(MapType::IMPLICIT),
        };
        let reference = Reference::of(item.kind, suppressed);
        match device
            .table
            .release(section, reference, item.kind.contains(MapType::DELETE))
        {
            Some(mapping) => {
                report_found(device, &item, &mapping);
                if item.kind.contains(MapType::DELETE) {
                    contents::deleted(&mapping);
                }
                leaving.push(Leaving { item, mapping });
            }
            None if item.kind.contains(MapType::PRESENT) && !device.unified_shared_memory() => {
                return Err(Error::NotPresent {
                    item: item.to_string(),
                });
            }
            // Items that are not mapped are ignored (OpenMP 5.1, 2.21.7.1).
            None => misuse::not_mapped(device, &item),
        }
        release_pointer(device, &item, leaving);
    }
    Ok(())
}

/// Entering counted the pointer of a `PTR_AND_OBJ` item unless the item is a member.
fn release_pointer(device: &OmpDevice, item: &MapItem, leaving: &mut LeavingItems) {
    if !item.kind.contains(MapType::PTR_AND_OBJ) || item.kind.is_member() {
        return;
    }
    let reference = Reference::of(item.kind, false);
    if let Some(mapping) = device
        .table
        .release(Section::inside(item.base, 8), reference, false)
    {
        let item = MapItem {
            begin: item.base,
            size: 8,
            kind: MapType::empty(),
            ..*item
        };
        leaving.push(Leaving { item, mapping });
    }
}

/// # Safety
/// The item's host range is writable or constant if it has `FROM`.
unsafe fn copy_back(work: &DeviceWork<'_>, entry: &Leaving) -> Result<()> {
    let device = work.device;
    let Leaving { item, mapping } = entry;
    if item.size == 0 || !item.kind.contains(MapType::FROM) {
        return Ok(());
    }
    let is_last = device.table.is_unreferenced(mapping);
    if !item.kind.contains(MapType::ALWAYS) && !is_last {
        return Ok(());
    }
    // Constructs that had references gave them back when their work was complete.
    let _exclusive = findings::set_exclusive(is_last);
    mapping.wait_ready();
    let range = item.part_inside(&mapping.host);
    if constants::keeps(item, &range)? {
        return Ok(());
    }
    info::log(
        Info::DATA_TRANSFER,
        device.number,
        format_args!(
            "copying {item} to the host from {:?}",
            mapping.device_address(range.start)
        ),
    );
    // SAFETY: the range is inside the item (caller), and not constant.
    unsafe { transfer::from_device(work, item, mapping, range) }.map_err(|source| Error::Item {
        what: "copying to the host",
        item: item.to_string(),
        source,
    })
}
