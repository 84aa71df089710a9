//! Copies between host memory and a mapping that leave attached pointers alone.

use std::ops::Range;

use crate::check::contents;
use crate::construct::device_work::DeviceWork;
use crate::mapping::map_item::MapItem;
use crate::mapping::mapped_range::Mapping;
use crate::ompt::{self, Operation, Side};
use crate::trace::Kind;

/// Copies the host bytes at `range` to their place on the device.
///
/// # Safety
/// `range` is host memory that stays readable until the work is complete, and lies inside `mapping.host`.
pub unsafe fn to_device(
    work: &DeviceWork<'_>,
    item: &MapItem,
    mapping: &Mapping,
    range: Range<u64>,
) -> plugin_api::Result<()> {
    let length = (range.end - range.start) as usize;
    let address = mapping.device_address(range.start);
    let source = range.start as *const u8;
    let sides = || {
        let device = Side::device(work.device.number, address.0);
        (Side::host(range.start), device)
    };
    let _event = ompt::operation(Operation::ToDevice, length as u64, sides);
    let mut guard = mapping.lock();
    guard.follow(work.stream())?;
    work.traced(
        Kind::ToDevice,
        length as u64,
        || item.to_string(),
        |stream| {
            let Some(attachments) = guard.attachments().filter(|those| those.touches(&range))
            else {
                // SAFETY: the caller guarantees readable memory.
                return unsafe { stream.write(address, source, length) };
            };
            let mut image = vec![0u8; length];
            // SAFETY: the source is readable (caller), the destination is `length` bytes of our own.
            unsafe { std::ptr::copy_nonoverlapping(source, image.as_mut_ptr(), length) };
            attachments.patch_for_device(&range, &mut image);
            stream.write_copied(address, &image)
        },
    )?;
    contents::copied_to_device(mapping, &range);
    guard.queued_on(work.stream())
}

/// Copies the device's bytes to the host at `range`.
///
/// # Safety
/// `range` is host memory that stays writable until the work is complete, and lies inside `mapping.host`.
pub unsafe fn from_device(
    work: &DeviceWork<'_>,
    item: &MapItem,
    mapping: &Mapping,
    range: Range<u64>,
) -> plugin_api::Result<()> {
    let length = (range.end - range.start) as usize;
    let address = mapping.device_address(range.start);
    let sides = || {
        let device = Side::device(work.device.number, address.0);
        (device, Side::host(range.start))
    };
    let _event = ompt::operation(Operation::FromDevice, length as u64, sides);
    let mut guard = mapping.lock();
    guard.follow(work.stream())?;
    work.traced(
        Kind::ToHost,
        length as u64,
        || item.to_string(),
        |stream| {
            let Some(attachments) = guard.attachments().filter(|those| those.touches(&range))
            else {
                // SAFETY: the caller guarantees writable memory.
                return unsafe { stream.read(range.start as *mut u8, address, length) };
            };
            let gaps = attachments.gaps(&range);
            let mut image = vec![0u8; length];
            // SAFETY: the vector's `length` bytes stay in place until the function queued next drops it. After an error
            // the stream writes nothing more.
            unsafe { stream.read(image.as_mut_ptr(), address, length)? };
            stream.call(Box::new(move || {
                for gap in gaps {
                    let destination = (range.start as *mut u8).wrapping_add(gap.start);
                    // SAFETY: gaps lie inside the range, which is writable (caller); the image is our own.
                    unsafe {
                        std::ptr::copy_nonoverlapping(
                            image[gap.clone()].as_ptr(),
                            destination,
                            gap.len(),
                        )
                    };
                }
            }))
        },
    )?;
    contents::copied_to_host(work.stream(), mapping, range)?;
    guard.queued_on(work.stream())
}
