//! Copies between host memory and a mapping that leave attached pointers alone.

use std::ops::Range;

use crate::device::OmpDevice;
use crate::map_item::MapItem;
use crate::mapping::Mapping;
use crate::trace::{self, Kind};

/// Copies the host bytes at `range` to their place on the device.
///
/// # Safety
/// `range` is readable host memory and lies inside `mapping.host`.
pub unsafe fn to_device(
    device: &OmpDevice,
    item: &MapItem,
    mapping: &Mapping,
    range: Range<u64>,
) -> plugin_api::Result<()> {
    let length = (range.end - range.start) as usize;
    let _span = trace::span(Kind::ToDevice, device.number, length as u64, || {
        item.to_string()
    });
    let device = &*device.device;
    let address = mapping.device_address(range.start);
    let guard = mapping.lock();
    let Some(attachments) = guard.attachments().filter(|those| those.touches(&range)) else {
        // SAFETY: the caller guarantees readable memory.
        return unsafe { device.write(address, range.start as *const u8, length) };
    };
    let mut image = vec![0u8; length];
    // SAFETY: the source is readable (caller), the destination is `length` bytes of our own.
    unsafe { std::ptr::copy_nonoverlapping(range.start as *const u8, image.as_mut_ptr(), length) };
    attachments.patch_for_device(&range, &mut image);
    // SAFETY: `image` is `length` readable bytes.
    unsafe { device.write(address, image.as_ptr(), length) }
}

/// Copies the device's bytes to the host at `range`.
///
/// # Safety
/// `range` is writable host memory and lies inside `mapping.host`.
pub unsafe fn from_device(
    device: &OmpDevice,
    item: &MapItem,
    mapping: &Mapping,
    range: Range<u64>,
) -> plugin_api::Result<()> {
    let length = (range.end - range.start) as usize;
    let _span = trace::span(Kind::ToHost, device.number, length as u64, || {
        item.to_string()
    });
    let device = &*device.device;
    let address = mapping.device_address(range.start);
    let guard = mapping.lock();
    let Some(attachments) = guard.attachments().filter(|those| those.touches(&range)) else {
        // SAFETY: the caller guarantees writable memory.
        return unsafe { device.read(range.start as *mut u8, address, length) };
    };
    let mut image = vec![0u8; length];
    // SAFETY: `image` is `length` writable bytes.
    unsafe { device.read(image.as_mut_ptr(), address, length)? };
    for gap in attachments.gaps(&range) {
        let destination = (range.start as *mut u8).wrapping_add(gap.start);
        // SAFETY: gaps lie inside the range, which is writable (caller); the image is our own.
        unsafe {
            std::ptr::copy_nonoverlapping(image[gap.clone()].as_ptr(), destination, gap.len())
        };
    }
    Ok(())
}
