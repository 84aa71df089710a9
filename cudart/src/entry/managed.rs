//! Managed memory: advice on where it is needed. Host and kernels reach it at one place, so nothing ever moves.

use std::ffi::{c_int, c_void};

use plugin_api::MemoryKind;

use crate::abi::Location;
use crate::error::{Code, Result, answer};
use crate::runtime::runtime;

/// `cudaCpuDeviceId`.
const HOST: c_int = -1;
/// `cudaInvalidDeviceId`.
const NOWHERE: c_int = -2;

/// Whether this is a range of managed memory.
fn check_range(memory: *const c_void, bytes: usize) -> Result<()> {
    let begin = memory as u64;
    let found = runtime().find(begin);
    let found = found.filter(|found| {
        let left = found.size - (begin - found.begin);
        found.kind == MemoryKind::Shared && bytes as u64 <= left
    });
    found.map(drop).ok_or(Code::INVALID_VALUE)
}

/// Whether this is the host or a device.
fn check_device(device: c_int) -> Result<()> {
    match device {
        HOST => Ok(()),
        _ => runtime().device_numbered(device).map(drop),
    }
}

/// The host or a device, as a location names it.
fn number_of(location: Location) -> Result<c_int> {
    match location.kind {
        1 => Ok(location.number),
        // The host, or a part of its memory.
        2..=4 => Ok(HOST),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// Advice on where managed memory is needed next.
pub extern "C" fn cudaMemPrefetchAsync(
    memory: *const c_void,
    bytes: usize,
    device: c_int,
    stream: *mut c_void,
) -> i32 {
    let advise = || {
        runtime().stream(stream as usize)?;
        check_device(device)?;
        check_range(memory, bytes)
    };
    answer(advise())
}

/// The same.
pub extern "C" fn cudaMemPrefetchAsync_v2(
    memory: *const c_void,
    bytes: usize,
    location: Location,
    flags: u32,
    stream: *mut c_void,
) -> i32 {
    match number_of(location) {
        Ok(device) if flags == 0 => cudaMemPrefetchAsync(memory, bytes, device, stream),
        _ => answer(Err(Code::INVALID_VALUE)),
    }
}

/// Advice on how managed memory is used.
pub extern "C" fn cudaMemAdvise(
    memory: *const c_void,
    bytes: usize,
    advice: c_int,
    device: c_int,
) -> i32 {
    /// `cudaMemAdviseSetReadMostly` and `…Unset…`, for which no device counts.
    const READ_MOSTLY: [c_int; 2] = [1, 2];
    /// `cudaMemAdviseUnsetPreferredLocation`.
    const NO_PLACE: c_int = 4;
    let advise = || {
        match advice {
            1..=6 => {}
            _ => return Err(Code::INVALID_VALUE),
        }
        if !READ_MOSTLY.contains(&advice) && advice != NO_PLACE {
            check_device(device)?;
        }
        check_range(memory, bytes)
    };
    answer(advise())
}

/// The same.
pub extern "C" fn cudaMemAdvise_v2(
    memory: *const c_void,
    bytes: usize,
    advice: c_int,
    location: Location,
) -> i32 {
    // Where no device counts, the location may be anything.
    let device = number_of(location).unwrap_or(NOWHERE);
    cudaMemAdvise(memory, bytes, advice, device)
}

/// What was advised for managed memory: advice is not kept, so it is as before any.
///
/// # Safety
/// The address is null or valid for so many bytes.
pub unsafe extern "C" fn cudaMemRangeGetAttribute(
    data: *mut c_void,
    size: usize,
    attribute: c_int,
    memory: *const c_void,
    bytes: usize,
) -> i32 {
    /// `cudaMemRangeAttributeAccessedBy`, whose answer is a list.
    const ACCESSED_BY: c_int = 3;
    let ask = || {
        check_range(memory, bytes)?;
        let value: c_int = match attribute {
            1 | 5 | 7 => 0,
            2..=4 | 6 | 8 => NOWHERE,
            _ => return Err(Code::INVALID_VALUE),
        };
        let places = size / size_of::<c_int>();
        let exact = size == size_of::<c_int>() || attribute == ACCESSED_BY;
        if data.is_null() || places == 0 || !exact || !size.is_multiple_of(size_of::<c_int>()) {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let places = unsafe { std::slice::from_raw_parts_mut(data.cast::<c_int>(), places) };
        places.fill(value);
        Ok(())
    };
    answer(ask())
}

/// Several such answers.
///
/// # Safety
/// The lists have so many entries; each is as for [`cudaMemRangeGetAttribute`].
pub unsafe extern "C" fn cudaMemRangeGetAttributes(
    data: *mut *mut c_void,
    sizes: *const usize,
    attributes: *const c_int,
    count: usize,
    memory: *const c_void,
    bytes: usize,
) -> i32 {
    if count == 0 || data.is_null() || sizes.is_null() || attributes.is_null() {
        return answer(Err(Code::INVALID_VALUE));
    }
    for index in 0..count {
        // SAFETY: caller.
        let code = unsafe {
            let (data, size) = (*data.add(index), *sizes.add(index));
            cudaMemRangeGetAttribute(data, size, *attributes.add(index), memory, bytes)
        };
        if code != 0 {
            return code;
        }
    }
    0
}

/// Says which stream uses managed memory: any may, and so may the host.
pub extern "C" fn cudaStreamAttachMemAsync(
    stream: *mut c_void,
    memory: *mut c_void,
    bytes: usize,
    flags: u32,
) -> i32 {
    let attach = || {
        runtime().stream(stream as usize)?;
        // `cudaMemAttachGlobal`, `…Host`, `…Single`.
        match flags {
            1 | 2 | 4 => check_range(memory, bytes),
            _ => Err(Code::INVALID_VALUE),
        }
    };
    answer(attach())
}
