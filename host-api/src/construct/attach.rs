//! Pointer attachment (OpenMP 5.2, 5.8.6): a pointer variable on the device gets the device address of what it points
//! at on the host.

use crate::construct::device_work::DeviceWork;
use crate::mapping::created::Created;
use crate::mapping::item_name::ItemName;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::mapped_range::Mapping;
use crate::mapping::table::Section;
use crate::ompt::{self, Operation, Side};
use crate::report::error::{Error, Result};
use crate::report::info::{self, Info};

/// A pointer to attach.
#[derive(Clone, Copy, Debug)]
pub struct AttachRequest {
    /// Host address of the pointer variable.
    pointer: u64,
    /// Bytes of the pointer variable: 8, or more for a Fortran descriptor.
    pointer_size: u64,
    /// Begin of the section it points into.
    pointee: u64,
    /// The value of the pointer on the host; `None`: read it when attaching.
    pointee_base: Option<u64>,
    /// Attach even if neither side is new in this construct.
    always: bool,
    /// The name in messages.
    name: ItemName,
}

impl AttachRequest {
    /// From an `ATTACH` item: base is the pointer variable, begin the pointee, size the pointer's.
    pub fn deferred(item: &MapItem) -> AttachRequest {
        AttachRequest {
            pointer: item.base,
            pointer_size: item.size.max(8),
            pointee: item.begin,
            pointee_base: None,
            always: item.kind.contains(MapType::ALWAYS),
            name: item.name,
        }
    }

    /// From a `PTR_AND_OBJ` item whose pointer holds `pointee_base`: always attached.
    pub fn immediate(item: &MapItem, pointee_base: u64) -> AttachRequest {
        AttachRequest {
            pointer: item.base,
            pointer_size: 8,
            pointee: item.begin,
            pointee_base: Some(pointee_base),
            always: true,
            name: item.name,
        }
    }
}

/// Attaches if both sides are on the device and the construct created one of them (`created`), or if the request is
/// unconditional.
///
/// # Safety
/// The host pointer variable of the request is readable.
pub unsafe fn attach(
    work: &DeviceWork<'_>,
    request: &AttachRequest,
    created: &Created,
) -> Result<()> {
    let table = &work.device.table;
    // Most pointers are not mapped themselves.
    let Some(pointer) = table.find(Section::inside(request.pointer, request.pointer_size)) else {
        return Ok(());
    };
    let Some(pointee) = table.find(Section::inside(request.pointee, 0)) else {
        return Ok(());
    };
    if !request.always && !created.contains(&pointee) && !created.contains(&pointer) {
        return Ok(());
    }
    // SAFETY: the pointer variable is readable (caller).
    let host_base = request
        .pointee_base
        .unwrap_or_else(|| unsafe { MapItem::read_pointer(request.pointer) });
    let device_base = pointee
        .device_address(request.pointee)
        .0
        .wrapping_sub(request.pointee.wrapping_sub(host_base));
    let mut bytes = vec![0u8; request.pointer_size as usize];
    // SAFETY: the pointer variable is readable for its size (caller).
    unsafe {
        std::ptr::copy_nonoverlapping(
            request.pointer as *const u8,
            bytes.as_mut_ptr(),
            bytes.len(),
        )
    };
    bytes[..8].copy_from_slice(&device_base.to_ne_bytes());

    put(work, &pointer, request.pointer, &bytes).map_err(|source| Error::Item {
        what: "attaching the device pointer of",
        item: format!(
            "'{}' at host address {:#x}",
            request.name.expression(),
            request.pointer
        ),
        source,
    })
}

/// Writes the device bytes of the pointer variable at `host`, unless they are there or already queued.
fn put(
    work: &DeviceWork<'_>,
    mapping: &Mapping,
    host: u64,
    bytes: &[u8],
) -> plugin_api::Result<()> {
    let mut guard = mapping.lock();
    guard.follow(work.stream())?;
    if !guard.attachments_mut().insert(host, bytes) {
        return Ok(());
    }
    let address = mapping.device_address(host);
    let device = Side::device(work.device.number, address.0);
    info::log(
        Info::DATA_TRANSFER,
        work.device.number,
        format_args!(
            "attaching the pointer at host address {host:#x}, on the device at {address:?}"
        ),
    );
    let sides = || (Side::host(host), device);
    let _event = ompt::operation(Operation::ToDevice, bytes.len() as u64, sides);
    work.stream().write_copied(address, bytes)?;
    guard.queued_on(work.stream())
}
