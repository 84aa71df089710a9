//! Copies and fills.

use std::ffi::{c_int, c_void};

use crate::copy::{self, Direction, Waits};
use crate::error::{Code, Result, answer};
use crate::runtime::runtime;

/// The default stream.
const DEFAULT: *mut c_void = std::ptr::null_mut();

/// # Safety
/// As for [`copy::copy`].
unsafe fn copy(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
    stream: *mut c_void,
    waits: Waits,
) -> i32 {
    let copy = || {
        let direction = Direction::of(kind)?;
        let runtime = runtime();
        let own = runtime.stream(stream as usize)?;
        let ranges = (to as u64, from as u64, bytes);
        // SAFETY: caller.
        unsafe { copy::copy(runtime, &own, ranges, direction, waits) }
    };
    answer(copy())
}

/// Copies.
///
/// # Safety
/// Both ranges are valid.
pub unsafe extern "C" fn cudaMemcpy(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> i32 {
    // SAFETY: caller.
    unsafe { copy(to, from, bytes, kind, DEFAULT, Waits::Always) }
}

/// Copies in a stream's order.
///
/// # Safety
/// Both ranges are valid; pinned memory until the stream has passed the copy.
pub unsafe extern "C" fn cudaMemcpyAsync(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe { copy(to, from, bytes, kind, stream, Waits::ForPageable) }
}

/// A rectangle: its address, and the bytes from one row to the next.
type Rows = (u64, usize);

/// # Safety
/// As for [`copy::copy`], for each row.
unsafe fn copy_rows(
    (to, to_pitch): Rows,
    (from, from_pitch): Rows,
    (width, height): (usize, usize),
    kind: c_int,
    stream: *mut c_void,
    waits: Waits,
) -> Result<()> {
    let direction = Direction::of(kind)?;
    if width > to_pitch || width > from_pitch {
        return Err(Code::INVALID_PITCH);
    }
    let runtime = runtime();
    let own = runtime.stream(stream as usize)?;
    for row in 0..height {
        let at = |begin: u64, pitch: usize| begin + (row * pitch) as u64;
        let ranges = (at(to, to_pitch), at(from, from_pitch), width);
        // SAFETY: caller.
        unsafe { copy::copy(runtime, &own, ranges, direction, waits)? };
    }
    Ok(())
}

/// Copies a rectangle.
///
/// # Safety
/// Both are valid.
pub unsafe extern "C" fn cudaMemcpy2D(
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> i32 {
    let (to, from) = ((to as u64, to_pitch), (from as u64, from_pitch));
    let size = (width, height);
    // SAFETY: caller.
    answer(unsafe { copy_rows(to, from, size, kind, DEFAULT, Waits::Always) })
}

/// Copies a rectangle in a stream's order.
///
/// # Safety
/// Both are valid; pinned memory until the stream has passed the copy.
pub unsafe extern "C" fn cudaMemcpy2DAsync(
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    let (to, from) = ((to as u64, to_pitch), (from as u64, from_pitch));
    let size = (width, height);
    // SAFETY: caller.
    answer(unsafe { copy_rows(to, from, size, kind, stream, Waits::ForPageable) })
}

/// # Safety
/// As for [`copy::fill`].
unsafe fn fill(
    memory: *mut c_void,
    value: c_int,
    bytes: usize,
    stream: *mut c_void,
    waits: Waits,
) -> i32 {
    let fill = || {
        let runtime = runtime();
        let own = runtime.stream(stream as usize)?;
        // SAFETY: caller. The value is a byte, as with C's `memset`.
        unsafe { copy::fill(runtime, &own, memory as u64, value as u8, bytes, waits) }
    };
    answer(fill())
}

/// Sets bytes.
///
/// # Safety
/// The range is valid.
pub unsafe extern "C" fn cudaMemset(memory: *mut c_void, value: c_int, bytes: usize) -> i32 {
    // SAFETY: caller.
    unsafe { fill(memory, value, bytes, DEFAULT, Waits::Always) }
}

/// Sets bytes in a stream's order.
///
/// # Safety
/// The range is valid until the stream has passed the operation.
pub unsafe extern "C" fn cudaMemsetAsync(
    memory: *mut c_void,
    value: c_int,
    bytes: usize,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe { fill(memory, value, bytes, stream, Waits::ForPageable) }
}

/// # Safety
/// As for [`copy::fill`], for each row.
unsafe fn fill_rows(
    (memory, pitch): Rows,
    value: c_int,
    (width, height): (usize, usize),
    stream: *mut c_void,
    waits: Waits,
) -> Result<()> {
    if width > pitch {
        return Err(Code::INVALID_PITCH);
    }
    let runtime = runtime();
    let own = runtime.stream(stream as usize)?;
    for row in 0..height {
        let begin = memory + (row * pitch) as u64;
        // SAFETY: caller.
        unsafe { copy::fill(runtime, &own, begin, value as u8, width, waits)? };
    }
    Ok(())
}

/// Sets the bytes of a rectangle.
///
/// # Safety
/// It is valid.
pub unsafe extern "C" fn cudaMemset2D(
    memory: *mut c_void,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
) -> i32 {
    let (rows, size) = ((memory as u64, pitch), (width, height));
    // SAFETY: caller.
    answer(unsafe { fill_rows(rows, value, size, DEFAULT, Waits::Always) })
}

/// The same in a stream's order.
///
/// # Safety
/// It is valid until the stream has passed the operation.
pub unsafe extern "C" fn cudaMemset2DAsync(
    memory: *mut c_void,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
    stream: *mut c_void,
) -> i32 {
    let (rows, size) = ((memory as u64, pitch), (width, height));
    // SAFETY: caller.
    answer(unsafe { fill_rows(rows, value, size, stream, Waits::ForPageable) })
}

/// Copies from one device to another. The addresses say which.
///
/// # Safety
/// Both ranges are valid.
pub unsafe extern "C" fn cudaMemcpyPeer(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
    bytes: usize,
) -> i32 {
    // SAFETY: caller.
    unsafe { cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, DEFAULT) }
}

/// The same when the work of a stream is done. The call waits for it.
///
/// # Safety
/// Both ranges are valid.
pub unsafe extern "C" fn cudaMemcpyPeerAsync(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
    bytes: usize,
    stream: *mut c_void,
) -> i32 {
    let copy = || {
        let runtime = runtime();
        let is_on = |address: u64, device: c_int| {
            let number = runtime.device_numbered(device)?.number;
            let found = runtime.allocations.find(address);
            let found = found.filter(|found| found.device == number);
            found.map(drop).ok_or(Code::INVALID_VALUE)
        };
        let (to, from) = (to as u64, from as u64);
        is_on(to, to_device)?;
        is_on(from, from_device)?;
        let own = runtime.stream(stream as usize)?;
        let direction = Direction::DeviceToDevice;
        // SAFETY: caller.
        unsafe { copy::copy(runtime, &own, (to, from, bytes), direction, Waits::Always) }
    };
    answer(copy())
}
