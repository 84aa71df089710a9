//! `target update` (OpenMP 5.2, 13.9): copies between host and device, contiguous or not. References do not change.

use crate::check::misuse;
use crate::construct::device_work::{DeviceWork, OnCompletion};
use crate::construct::dimensions;
use crate::construct::transfer;
use crate::device::mapping_report::report_found;
use crate::mapping::constants;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::mapped_range::Mapping;
use crate::mapping::mapper;
use crate::mapping::table::Section;
use crate::report::error::{Error, Result};
use crate::report::info::{self, Info};

/// Copies `items`.
///
/// # Safety
/// The host ranges of the items are readable, and writable but for [`constants`], until the work is complete. A
/// non-contiguous item's begin points at its dimensions ([`dimensions::of`]).
pub unsafe fn update(work: &mut DeviceWork<'_>, items: &[MapItem]) -> Result<()> {
    for (_, &item) in mapper::flatten(items).iter() {
        if item.kind.is_unmapped() || item.kind.contains(MapType::ATTACH) {
            continue;
        }
        if !item.kind.contains(MapType::NON_CONTIGUOUS) {
            // SAFETY: forwarded from the caller.
            unsafe { section(work, &item)? };
            continue;
        }
        // SAFETY: a non-contiguous item points at its dimensions (caller).
        let dimensions = unsafe { dimensions::of(&item)? };
        for (offset, size) in dimensions::pieces(dimensions) {
            let piece = MapItem {
                begin: item.base.wrapping_add(offset),
                size,
                ..item
            };
            // SAFETY: forwarded from the caller.
            unsafe { section(work, &piece)? };
        }
    }
    Ok(())
}

/// # Safety
/// The item's host range is readable, and writable or constant.
unsafe fn section(work: &mut DeviceWork<'_>, item: &MapItem) -> Result<()> {
    let device = work.device;
    let Some(mapping) = device.table.pin(Section::inside(item.begin, item.size)) else {
        if item.kind.contains(MapType::PRESENT) && !device.unified_shared_memory() {
            return Err(Error::NotPresent {
                item: item.to_string(),
            });
        }
        misuse::not_mapped(device, item);
        return Ok(());
    };
    mapping.wait_ready();
    report_found(device, item, &mapping);
    // SAFETY: forwarded from the caller.
    let outcome = unsafe { copy(work, item, &mapping) };
    work.on_completion(OnCompletion::Unpin(mapping));
    outcome
}

/// # Safety
/// As [`section`].
unsafe fn copy(work: &DeviceWork<'_>, item: &MapItem, mapping: &Mapping) -> Result<()> {
    if item.size == 0 {
        return Ok(());
    }
    let range = item.part_inside(&mapping.host);
    let address = mapping.device_address(range.start);
    if item.kind.contains(MapType::TO) {
        info::log(
            Info::DATA_TRANSFER,
            work.device.number,
            format_args!("updating {item} on the device at {address:?}"),
        );
        // SAFETY: the range is inside the item (caller).
        unsafe { transfer::to_device(work, item, mapping, range.clone()) }.map_err(|source| {
            Error::Item {
                what: "copying to the device",
                item: item.to_string(),
                source,
            }
        })?;
    }
    if item.kind.contains(MapType::FROM) && !constants::keeps(item, &range)? {
        info::log(
            Info::DATA_TRANSFER,
            work.device.number,
            format_args!("updating {item} on the host from {address:?}"),
        );
        // SAFETY: as above.
        unsafe { transfer::from_device(work, item, mapping, range) }.map_err(|source| {
            Error::Item {
                what: "copying to the host",
                item: item.to_string(),
                source,
            }
        })?;
    }
    Ok(())
}
