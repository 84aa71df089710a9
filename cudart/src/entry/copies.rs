//! Copies and fills.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use crate::abi::{CopyBox, PeerCopyBox, PitchedPointer, Size};
use crate::copy::{self, Direction, Extent, Side, Waits};
use crate::entry::arrays::array;
use crate::error::{Code, Result, answer};
use crate::own_stream::OwnStream;
use crate::runtime::runtime;
use crate::texture::array::Array;

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
/// As for [`copy::copy_rows`].
unsafe fn copy_rows(
    to: Rows,
    from: Rows,
    (width, height): (usize, usize),
    kind: c_int,
    stream: *mut c_void,
    waits: Waits,
) -> Result<()> {
    let direction = Direction::of(kind)?;
    if width > to.1 || width > from.1 {
        return Err(Code::INVALID_PITCH);
    }
    let runtime = runtime();
    let own = runtime.stream(stream as usize)?;
    let sides = (Side::rows(to.0, to.1), Side::rows(from.0, from.1));
    let extent = Extent {
        width,
        height,
        depth: 1,
    };
    // SAFETY: caller.
    unsafe { copy::copy_rows(runtime, &own, sides, extent, direction, waits) }
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
/// As for [`copy::fill_rows`].
unsafe fn fill(
    side: Side,
    value: c_int,
    extent: Extent,
    stream: *mut c_void,
    waits: Waits,
) -> Result<()> {
    if extent.height > 1 && extent.width > side.pitch {
        return Err(Code::INVALID_PITCH);
    }
    let runtime = runtime();
    let own = runtime.stream(stream as usize)?;
    // SAFETY: caller. The value is a byte, as with C's `memset`.
    unsafe { copy::fill_rows(runtime, &own, side, value as u8, extent, waits) }
}

/// Sets bytes.
///
/// # Safety
/// The range is valid.
pub unsafe extern "C" fn cudaMemset(memory: *mut c_void, value: c_int, bytes: usize) -> i32 {
    // SAFETY: caller.
    answer(unsafe {
        let (side, extent) = (Side::row(memory as u64), Extent::row(bytes));
        fill(side, value, extent, DEFAULT, Waits::Always)
    })
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
    answer(unsafe {
        let (side, extent) = (Side::row(memory as u64), Extent::row(bytes));
        fill(side, value, extent, stream, Waits::ForPageable)
    })
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
    let side = Side::rows(memory as u64, pitch);
    let extent = Extent {
        width,
        height,
        depth: 1,
    };
    // SAFETY: caller.
    answer(unsafe { fill(side, value, extent, DEFAULT, Waits::Always) })
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
    let side = Side::rows(memory as u64, pitch);
    let extent = Extent {
        width,
        height,
        depth: 1,
    };
    // SAFETY: caller.
    answer(unsafe { fill(side, value, extent, stream, Waits::ForPageable) })
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

/// A box of memory from a position in it on.
fn side(memory: &PitchedPointer, position: Size) -> Result<Side> {
    let plane = memory.pitch.checked_mul(memory.height);
    let plane = plane.ok_or(Code::INVALID_VALUE)?;
    let before = [
        position.x,
        position.y.wrapping_mul(memory.pitch),
        position.z.wrapping_mul(plane),
    ];
    let before = before
        .iter()
        .fold(0u64, |sum, part| sum.wrapping_add(*part as u64));
    Ok(Side {
        address: (memory.address as u64).wrapping_add(before),
        pitch: memory.pitch,
        plane,
    })
}

/// A side of a copy of a box. Places in an array count in its texels.
fn end(
    array: &Option<Arc<Array>>,
    memory: &PitchedPointer,
    mut position: Size,
    size: Size,
) -> Result<Side> {
    let Some(array) = array else {
        if size.y > 1 && size.x > memory.pitch {
            return Err(Code::INVALID_PITCH);
        }
        return side(memory, position);
    };
    let bytes = position.x.checked_mul(array.format.bytes());
    position.x = bytes.ok_or(Code::INVALID_VALUE)?;
    array.side(position, size)
}

/// # Safety
/// As for [`copy::copy_rows`].
unsafe fn copy_box(parameters: *const CopyBox, stream: *mut c_void, waits: Waits) -> Result<()> {
    // SAFETY: null or valid (caller).
    let parameters = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
    let runtime = runtime();
    let own = runtime.stream(stream as usize)?;
    // SAFETY: caller.
    unsafe { copy_box_on(&own, parameters, waits) }
}

/// Copies a box on a stream.
///
/// # Safety
/// As for [`copy::copy_rows`].
pub unsafe fn copy_box_on(own: &OwnStream, parameters: &CopyBox, waits: Waits) -> Result<()> {
    let direction = Direction::of(parameters.kind)?;
    let array_of = |handle: *mut c_void| (!handle.is_null()).then(|| array(handle)).transpose();
    let arrays = [
        array_of(parameters.to_array)?,
        array_of(parameters.from_array)?,
    ];
    // With an array, the extent counts in its texels.
    let mut size = parameters.extent;
    if let Some(array) = arrays.iter().flatten().next() {
        let bytes = size.x.checked_mul(array.format.bytes());
        size.x = bytes.ok_or(Code::INVALID_VALUE)?;
    }
    let [to_array, from_array] = &arrays;
    let to = end(to_array, &parameters.to, parameters.to_position, size)?;
    let from = end(from_array, &parameters.from, parameters.from_position, size)?;
    let extent = Extent {
        width: size.x,
        height: size.y,
        depth: size.z,
    };
    // SAFETY: caller.
    unsafe { copy::copy_rows(runtime(), own, (to, from), extent, direction, waits) }
}

/// Copies a box.
///
/// # Safety
/// The address is null or valid, and so is the memory.
pub unsafe extern "C" fn cudaMemcpy3D(parameters: *const CopyBox) -> i32 {
    // SAFETY: caller.
    answer(unsafe { copy_box(parameters, DEFAULT, Waits::Always) })
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cudaMemcpy3D`]; pinned memory until the stream has passed the copy.
pub unsafe extern "C" fn cudaMemcpy3DAsync(parameters: *const CopyBox, stream: *mut c_void) -> i32 {
    // SAFETY: caller.
    answer(unsafe { copy_box(parameters, stream, Waits::ForPageable) })
}

/// Copies a box from one device to another. The addresses say which.
///
/// # Safety
/// As for [`cudaMemcpy3D`].
pub unsafe extern "C" fn cudaMemcpy3DPeer(parameters: *const PeerCopyBox) -> i32 {
    // SAFETY: caller.
    unsafe { cudaMemcpy3DPeerAsync(parameters, DEFAULT) }
}

/// The same when the work of a stream is done.
///
/// # Safety
/// As for [`cudaMemcpy3D`].
pub unsafe extern "C" fn cudaMemcpy3DPeerAsync(
    parameters: *const PeerCopyBox,
    stream: *mut c_void,
) -> i32 {
    /// `cudaMemcpyDeviceToDevice`.
    const WITHIN: c_int = 3;
    let copy = || {
        // SAFETY: null or valid (caller).
        let peers = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        runtime().device_numbered(peers.from_device)?;
        runtime().device_numbered(peers.to_device)?;
        let parameters = CopyBox {
            from_array: peers.from_array,
            from_position: peers.from_position,
            from: peers.from,
            to_array: peers.to_array,
            to_position: peers.to_position,
            to: peers.to,
            extent: peers.extent,
            kind: WITHIN,
        };
        // SAFETY: caller.
        unsafe { copy_box(&parameters, stream, Waits::Always) }
    };
    answer(copy())
}

/// # Safety
/// As for [`copy::fill_rows`].
unsafe fn fill_box(
    memory: PitchedPointer,
    value: c_int,
    extent: Size,
    stream: *mut c_void,
    waits: Waits,
) -> Result<()> {
    let side = side(&memory, Size::default())?;
    let extent = Extent {
        width: extent.x,
        height: extent.y,
        depth: extent.z,
    };
    // SAFETY: caller.
    unsafe { fill(side, value, extent, stream, waits) }
}

/// Sets the bytes of a box.
///
/// # Safety
/// It is valid.
pub unsafe extern "C" fn cudaMemset3D(memory: PitchedPointer, value: c_int, extent: Size) -> i32 {
    // SAFETY: caller.
    answer(unsafe { fill_box(memory, value, extent, DEFAULT, Waits::Always) })
}

/// The same in a stream's order.
///
/// # Safety
/// It is valid until the stream has passed the operation.
pub unsafe extern "C" fn cudaMemset3DAsync(
    memory: PitchedPointer,
    value: c_int,
    extent: Size,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { fill_box(memory, value, extent, stream, Waits::ForPageable) })
}
