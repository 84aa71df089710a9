//! The memory of a device.

use std::ffi::{c_uint, c_void};

use cudart::runtime::runtime;

use crate::session::{device, place};
use crate::status::{Result, Status, answer};

/// `nvmlMemory_t`.
#[repr(C)]
pub struct Memory {
    total: u64,
    free: u64,
    used: u64,
}

/// `nvmlMemory_v2_t`.
#[repr(C)]
pub struct VersionedMemory {
    version: c_uint,
    total: u64,
    reserved: u64,
    free: u64,
    used: u64,
}

/// What the version of a structure says: its size, and the version's number.
const VERSION: c_uint = size_of::<VersionedMemory>() as c_uint | 2 << 24;

fn memory(handle: *mut c_void) -> Result<Memory> {
    let device = device(handle)?;
    let total = device.raw.info().total_memory;
    let used = runtime().allocations.bytes_of(device.number).min(total);
    Ok(Memory {
        total,
        free: total - used,
        used,
    })
}

/// How much memory there is, and how much of it this program uses.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryInfo(handle: *mut c_void, found: *mut Memory) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(found) };
    answer(place.and_then(|place| {
        *place = memory(handle)?;
        Ok(())
    }))
}

/// The same in a structure that says its version.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryInfo_v2(
    handle: *mut c_void,
    found: *mut VersionedMemory,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(found) };
    answer(place.and_then(|place| {
        if place.version != VERSION {
            return Err(Status::VERSION_MISMATCH);
        }
        let Memory { total, free, used } = memory(handle)?;
        *place = VersionedMemory {
            version: VERSION,
            total,
            reserved: 0,
            free,
            used,
        };
        Ok(())
    }))
}
