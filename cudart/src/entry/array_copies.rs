//! Copies to and from arrays.

use std::ffi::{c_int, c_void};

use crate::abi::Size;
use crate::copy::{self, Direction, Extent, Side, Waits};
use crate::entry::arrays::array;
use crate::error::{Code, Result, answer};
use crate::runtime::runtime;

/// The default stream.
const DEFAULT: *mut c_void = std::ptr::null_mut();

/// A side of a copy.
#[derive(Clone, Copy)]
enum End {
    /// An array from a byte and a row on.
    Array(*const c_void, usize, usize),
    /// Rows of memory: the first byte, and bytes from one row to the next.
    Memory(u64, usize),
}

impl End {
    /// The side of a copy of a rectangle.
    fn rows(self, width: usize, height: usize) -> Result<Side> {
        match self {
            End::Array(handle, x, y) => {
                let size = Size {
                    x: width,
                    y: height,
                    z: 1,
                };
                array(handle)?.side(Size { x, y, z: 0 }, size)
            }
            End::Memory(_, pitch) if width > pitch && height > 1 => Err(Code::INVALID_PITCH),
            End::Memory(address, pitch) => Ok(Side::rows(address, pitch)),
        }
    }

    /// The side of a copy of a range.
    fn range(self, bytes: usize) -> Result<Side> {
        match self {
            End::Array(handle, x, y) => array(handle)?.range(Size { x, y, z: 0 }, bytes),
            End::Memory(address, _) => Ok(Side::row(address)),
        }
    }
}

/// # Safety
/// As for [`copy::copy_rows`].
unsafe fn copy(
    sides: (Side, Side),
    extent: Extent,
    kind: c_int,
    stream: *mut c_void,
    waits: Waits,
) -> Result<()> {
    let direction = Direction::of(kind)?;
    let runtime = runtime();
    let own = runtime.stream(stream as usize)?;
    // SAFETY: caller.
    unsafe { copy::copy_rows(runtime, &own, sides, extent, direction, waits) }
}

/// # Safety
/// As for [`copy::copy_rows`].
unsafe fn rectangle(
    (to, from): (End, End),
    (width, height): (usize, usize),
    kind: c_int,
    stream: *mut c_void,
    waits: Waits,
) -> i32 {
    let all = || {
        let sides = (to.rows(width, height)?, from.rows(width, height)?);
        let extent = Extent {
            width,
            height,
            depth: 1,
        };
        // SAFETY: caller.
        unsafe { copy(sides, extent, kind, stream, waits) }
    };
    answer(all())
}

/// # Safety
/// As for [`copy::copy_rows`].
unsafe fn range(
    (to, from): (End, End),
    bytes: usize,
    kind: c_int,
    stream: *mut c_void,
    waits: Waits,
) -> i32 {
    let all = || {
        let sides = (to.range(bytes)?, from.range(bytes)?);
        // SAFETY: caller.
        unsafe { copy(sides, Extent::row(bytes), kind, stream, waits) }
    };
    answer(all())
}

/// Copies a rectangle to an array.
///
/// # Safety
/// The memory is valid.
pub unsafe extern "C" fn cudaMemcpy2DToArray(
    to: *mut c_void,
    x: usize,
    y: usize,
    from: *const c_void,
    pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> i32 {
    let ends = (End::Array(to, x, y), End::Memory(from as u64, pitch));
    // SAFETY: caller.
    unsafe { rectangle(ends, (width, height), kind, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// The memory is valid; pinned memory until the stream has passed the copy.
pub unsafe extern "C" fn cudaMemcpy2DToArrayAsync(
    to: *mut c_void,
    x: usize,
    y: usize,
    from: *const c_void,
    pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    let ends = (End::Array(to, x, y), End::Memory(from as u64, pitch));
    // SAFETY: caller.
    unsafe { rectangle(ends, (width, height), kind, stream, Waits::ForPageable) }
}

/// Copies a rectangle from an array.
///
/// # Safety
/// The memory is valid.
pub unsafe extern "C" fn cudaMemcpy2DFromArray(
    to: *mut c_void,
    pitch: usize,
    from: *const c_void,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> i32 {
    let ends = (End::Memory(to as u64, pitch), End::Array(from, x, y));
    // SAFETY: caller.
    unsafe { rectangle(ends, (width, height), kind, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// The memory is valid; pinned memory until the stream has passed the copy.
pub unsafe extern "C" fn cudaMemcpy2DFromArrayAsync(
    to: *mut c_void,
    pitch: usize,
    from: *const c_void,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    let ends = (End::Memory(to as u64, pitch), End::Array(from, x, y));
    // SAFETY: caller.
    unsafe { rectangle(ends, (width, height), kind, stream, Waits::ForPageable) }
}

/// Copies a rectangle from one array to another.
///
/// # Safety
/// None is needed: handles are numbers here.
pub unsafe extern "C" fn cudaMemcpy2DArrayToArray(
    to: *mut c_void,
    to_x: usize,
    to_y: usize,
    from: *const c_void,
    from_x: usize,
    from_y: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> i32 {
    // SAFETY: none is needed.
    unsafe {
        rectangle_between(
            to, to_x, to_y, from, from_x, from_y, width, height, kind, DEFAULT,
        )
    }
}

/// Copies a rectangle from one array to another, in a stream's order.
///
/// # Safety
/// None is needed: handles are numbers here.
pub unsafe extern "C" fn rectangle_between(
    to: *mut c_void,
    to_x: usize,
    to_y: usize,
    from: *const c_void,
    from_x: usize,
    from_y: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    let ends = (End::Array(to, to_x, to_y), End::Array(from, from_x, from_y));
    // SAFETY: arrays are memory of devices.
    unsafe { rectangle(ends, (width, height), kind, stream, Waits::Always) }
}

/// Copies bytes to an array, row after row.
///
/// # Safety
/// The memory is valid.
pub unsafe extern "C" fn cudaMemcpyToArray(
    to: *mut c_void,
    x: usize,
    y: usize,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> i32 {
    let ends = (End::Array(to, x, y), End::Memory(from as u64, 0));
    // SAFETY: caller.
    unsafe { range(ends, bytes, kind, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// The memory is valid; pinned memory until the stream has passed the copy.
pub unsafe extern "C" fn cudaMemcpyToArrayAsync(
    to: *mut c_void,
    x: usize,
    y: usize,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    let ends = (End::Array(to, x, y), End::Memory(from as u64, 0));
    // SAFETY: caller.
    unsafe { range(ends, bytes, kind, stream, Waits::ForPageable) }
}

/// Copies bytes from an array, row after row.
///
/// # Safety
/// The memory is valid.
pub unsafe extern "C" fn cudaMemcpyFromArray(
    to: *mut c_void,
    from: *const c_void,
    x: usize,
    y: usize,
    bytes: usize,
    kind: c_int,
) -> i32 {
    let ends = (End::Memory(to as u64, 0), End::Array(from, x, y));
    // SAFETY: caller.
    unsafe { range(ends, bytes, kind, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// The memory is valid; pinned memory until the stream has passed the copy.
pub unsafe extern "C" fn cudaMemcpyFromArrayAsync(
    to: *mut c_void,
    from: *const c_void,
    x: usize,
    y: usize,
    bytes: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    let ends = (End::Memory(to as u64, 0), End::Array(from, x, y));
    // SAFETY: caller.
    unsafe { range(ends, bytes, kind, stream, Waits::ForPageable) }
}

/// Copies bytes from one array to another, row after row.
///
/// # Safety
/// None is needed: handles are numbers here.
pub unsafe extern "C" fn cudaMemcpyArrayToArray(
    to: *mut c_void,
    to_x: usize,
    to_y: usize,
    from: *const c_void,
    from_x: usize,
    from_y: usize,
    bytes: usize,
    kind: c_int,
) -> i32 {
    // SAFETY: none is needed.
    unsafe { range_between(to, to_x, to_y, from, from_x, from_y, bytes, kind, DEFAULT) }
}

/// Copies bytes from one array to another, in a stream's order.
///
/// # Safety
/// None is needed: handles are numbers here.
pub unsafe extern "C" fn range_between(
    to: *mut c_void,
    to_x: usize,
    to_y: usize,
    from: *const c_void,
    from_x: usize,
    from_y: usize,
    bytes: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    let ends = (End::Array(to, to_x, to_y), End::Array(from, from_x, from_y));
    // SAFETY: arrays are memory of devices.
    unsafe { range(ends, bytes, kind, stream, Waits::Always) }
}
