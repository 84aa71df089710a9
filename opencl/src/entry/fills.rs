//! Fills with a pattern.

use std::ffi::c_void;
use std::sync::Arc;

use plugin_api::{Device, DevicePtr};

use crate::codes::{Code, Result};
use crate::entry::prepared::{Prepared, Repeatable};
use crate::entry::transfers::failed;
use crate::entry::{answer, queue_and_buffer};
use crate::handle::Raw;

/// `CL_COMMAND_FILL_BUFFER`.
const FILL: u32 = 0x1207;
/// Bytes that are written at a time.
const CHUNK: usize = 64 << 10;

/// The bytes of a pattern.
///
/// # Safety
/// `pattern` is readable for `size` bytes or null.
pub unsafe fn pattern(pattern: *const c_void, size: usize) -> Result<Vec<u8>> {
    if pattern.is_null() || !size.is_power_of_two() || size > 128 {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: caller.
    Ok(unsafe { std::slice::from_raw_parts(pattern.cast::<u8>(), size) }.to_vec())
}

/// Fills memory; `size` is a multiple of the pattern's.
pub fn fill(
    device: &Arc<dyn Device>,
    address: DevicePtr,
    size: usize,
    pattern: &[u8],
) -> plugin_api::Result<()> {
    if pattern.iter().all(|byte| *byte == pattern[0]) {
        return device.fill(address, pattern[0], size);
    }
    let chunk = pattern.repeat(CHUNK.min(size) / pattern.len());
    let mut done = 0;
    while done < size {
        let length = chunk.len().min(size - done);
        // SAFETY: the chunk has so many bytes.
        unsafe { device.write(address.offset(done as i64), chunk.as_ptr(), length) }?;
        done += length;
    }
    Ok(())
}

/// A fill of a part of a buffer with a pattern of some size.
///
/// # Safety
/// The pattern is readable or null.
pub unsafe fn fill_buffer(
    queue: Raw,
    buffer: Raw,
    (given, given_size): (*const c_void, usize),
    offset: usize,
    size: usize,
) -> Result<Prepared<impl Repeatable>> {
    let (queue, buffer) = queue_and_buffer(queue, buffer)?;
    buffer.check(offset, size)?;
    // SAFETY: caller.
    let pattern = unsafe { pattern(given, given_size) }?;
    if size == 0 || !offset.is_multiple_of(given_size) || !size.is_multiple_of(given_size) {
        return Err(Code::INVALID_VALUE);
    }
    let failed = failed(&queue);
    let work = move || {
        let home = buffer.context.home();
        fill(home, buffer.at(offset), size, &pattern).map_err(&failed)
    };
    Ok(Prepared {
        queue,
        number: FILL,
        work,
    })
}

/// Fills a part of a buffer.
///
/// # Safety
/// `given` is readable for `given_size` bytes or null; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueFillBuffer(
    queue: Raw,
    buffer: Raw,
    given: *const c_void,
    given_size: usize,
    offset: usize,
    size: usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    // SAFETY: caller.
    let fill = unsafe { fill_buffer(queue, buffer, (given, given_size), offset, size) };
    // SAFETY: caller.
    answer(fill.and_then(|fill| unsafe { fill.enqueue((count, list), event) }))
}
