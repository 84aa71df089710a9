//! Copies and fills. Which memory an address belongs to decides how a copy is done.

use std::sync::Arc;

use plugin_api::{DevicePtr, MemoryKind, Result as DeviceResult};

use crate::error::{Code, Result};
use crate::front::called;
use crate::own_stream::OwnStream;
use crate::runtime::Runtime;

/// `cudaMemcpyKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the host to the host.
    HostToHost,
    /// To the device.
    HostToDevice,
    /// From the device.
    DeviceToHost,
    /// Within a device, or between two.
    DeviceToDevice,
    /// What the addresses say.
    Default,
}

impl Direction {
    /// The direction of this number.
    pub fn of(number: i32) -> Result<Direction> {
        Ok(match number {
            0 => Direction::HostToHost,
            1 => Direction::HostToDevice,
            2 => Direction::DeviceToHost,
            3 => Direction::DeviceToDevice,
            4 => Direction::Default,
            _ => return Err(Code::INVALID_DIRECTION),
        })
    }

    /// Whether source and destination are on a device; `None`: the addresses say it.
    fn sides(self) -> (Option<bool>, Option<bool>) {
        match self {
            Direction::HostToHost => (Some(false), Some(false)),
            Direction::HostToDevice => (Some(false), Some(true)),
            Direction::DeviceToHost => (Some(true), Some(false)),
            Direction::DeviceToDevice => (Some(true), Some(true)),
            Direction::Default => (None, None),
        }
    }
}

/// When the caller may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// When the copy is complete.
    Always,
    /// At once, unless the memory is pageable: nobody promises that it stays.
    ForPageable,
}

/// Where a range is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the memory of the device with this number, which the host does not reach.
    Device(usize),
    /// In memory of `cudaMallocHost` or `cudaMallocManaged`.
    Pinned,
    /// In the program's own memory.
    Pageable,
}

/// One side of a copy: planes of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The first byte.
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Bytes from one plane to the next.
    pub plane: usize,
}

impl Side {
    /// A row of bytes.
    pub fn row(address: u64) -> Side {
        Side::rows(address, 0)
    }

    /// Rows of one plane.
    pub fn rows(address: u64, pitch: usize) -> Side {
        Side {
            address,
            pitch,
            plane: 0,
        }
    }

    /// Bytes from the first to the last one.
    fn span(&self, extent: Extent) -> Result<usize> {
        let rows = (extent.height - 1).checked_mul(self.pitch);
        let planes = (extent.depth - 1).checked_mul(self.plane);
        let span = rows.zip(planes).and_then(|(rows, planes)| {
            let before = rows.checked_add(planes)?;
            before.checked_add(extent.width)
        });
        span.ok_or(Code::INVALID_VALUE)
    }

    /// Where a row begins.
    fn at(&self, row: usize, plane: usize) -> u64 {
        self.address + (row * self.pitch + plane * self.plane) as u64
    }
}

/// How much a copy moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of a row.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Planes.
    pub depth: usize,
}

impl Extent {
    /// A row of bytes.
    pub fn row(width: usize) -> Extent {
        Extent {
            width,
            height: 1,
            depth: 1,
        }
    }

    /// Whether there is nothing to copy.
    fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// The same in one row, if the rows of all sides lie without gaps.
    fn joined(self, sides: &[Side]) -> Extent {
        let rows = |extent: Extent| sides.iter().all(|side| side.pitch == extent.width);
        if self.height == 1 && self.depth == 1 || !rows(self) {
            return self;
        }
        let plane = self.width * self.height;
        let planes = self.depth == 1 || sides.iter().all(|side| side.plane == plane);
        Extent {
            width: if planes { plane * self.depth } else { plane },
            height: 1,
            depth: if planes { 1 } else { self.depth },
        }
    }

    /// Its rows.
    fn rows(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.depth).flat_map(move |plane| (0..self.height).map(move |row| (row, plane)))
    }
}

/// Where `len` bytes at an address are. `on_device` is what the program says.
fn place(
    runtime: &Runtime,
    own: &OwnStream,
    address: u64,
    len: usize,
    on_device: Option<bool>,
) -> Result<Place> {
    if let Some(found) = runtime.find(address) {
        let fits = len as u64 <= found.size - (address - found.begin);
        // Several mappings may lie side by side.
        let goes_on = || {
            let device = &runtime.devices()[found.device];
            let reached = device.raw.reaches(DevicePtr(address), len);
            reached.map_err(device.failed())
        };
        if !fits && !goes_on()? {
            return Err(Code::INVALID_VALUE);
        }
        return match (found.kind, on_device) {
            (MemoryKind::Device, Some(false)) => Err(Code::INVALID_VALUE),
            (MemoryKind::Device, _) => Ok(Place::Device(found.device)),
            _ => Ok(Place::Pinned),
        };
    }
    // What kernels allocate is in no table.
    let reached = || own.device.raw.reaches(DevicePtr(address), len);
    match on_device {
        Some(false) => Ok(Place::Pageable),
        None if !reached().map_err(own.device.failed())? => Ok(Place::Pageable),
        Some(true) if !reached().map_err(own.device.failed())? => Err(Code::INVALID_VALUE),
        _ => Ok(Place::Device(own.device.number)),
    }
}

/// Copies bytes.
///
/// # Safety
/// As for [`copy_rows`].
pub unsafe fn copy(
    runtime: &Runtime,
    own: &OwnStream,
    (to, from, len): (u64, u64, usize),
    direction: Direction,
    waits: Waits,
) -> Result<()> {
    let sides = (Side::row(to), Side::row(from));
    // SAFETY: caller.
    unsafe { copy_rows(runtime, own, sides, Extent::row(len), direction, waits) }
}

/// Copies rows.
///
/// # Safety
/// Host memory is readable or writable as far as the sides reach: pinned memory until the stream has passed the copy,
/// and any memory as long as a graph may be launched that a captured copy is part of.
pub unsafe fn copy_rows(
    runtime: &Runtime,
    own: &OwnStream,
    (to, from): (Side, Side),
    extent: Extent,
    direction: Direction,
    waits: Waits,
) -> Result<()> {
    let _origin = called(match waits {
        Waits::Always => "Memcpy",
        Waits::ForPageable => "MemcpyAsync",
    });
    own.device.check()?;
    let (from_device, to_device) = direction.sides();
    if extent.is_empty() {
        return Ok(());
    }
    if to.address == 0 || from.address == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let source = place(runtime, own, from.address, from.span(extent)?, from_device)?;
    let target = place(runtime, own, to.address, to.span(extent)?, to_device)?;
    let extent = extent.joined(&[to, from]);
    let width = extent.width;
    let rows = || {
        extent
            .rows()
            .map(|(row, plane)| (to.at(row, plane), from.at(row, plane)))
    };
    let captured = own.stream.is_captured();
    match (source, target) {
        (Place::Device(one), Place::Device(other)) if one != other => {
            let mut rows = rows();
            return rows.try_for_each(|(to, from)| {
                between_devices(runtime, own, (to, other), (from, one), width)
            });
        }
        (Place::Device(number), _) | (_, Place::Device(number)) if number != own.device.number => {
            let ends = (source, target);
            return rows().try_for_each(|(to, from)| {
                // SAFETY: caller.
                unsafe { on_another_device(runtime, own, number, ends, (to, from, width)) }
            });
        }
        (Place::Device(_), Place::Device(_)) => enqueue(own, |stream| {
            rows().try_for_each(|(to, from)| stream.copy(DevicePtr(to), DevicePtr(from), width))
        })?,
        (Place::Pageable, Place::Device(_)) if waits == Waits::ForPageable && !captured => {
            enqueue(own, |stream| {
                rows().try_for_each(|(to, from)| {
                    // SAFETY: readable (caller).
                    let bytes = unsafe { std::slice::from_raw_parts(from as *const u8, width) };
                    stream.write_copied(DevicePtr(to), bytes)
                })
            })?;
        }
        (Place::Pinned | Place::Pageable, Place::Device(_)) => enqueue(own, |stream| {
            // SAFETY: readable until the stream has passed the copy: the memory is pinned, or this function waits, or
            // a graph has the copy.
            rows().try_for_each(|(to, from)| unsafe {
                stream.write(DevicePtr(to), from as *const u8, width)
            })
        })?,
        (Place::Device(_), Place::Pinned | Place::Pageable) => enqueue(own, |stream| {
            // SAFETY: writable until the stream has passed the copy, as above.
            rows().try_for_each(|(to, from)| unsafe {
                stream.read(to as *mut u8, DevicePtr(from), width)
            })
        })?,
        (Place::Pinned | Place::Pageable, Place::Pinned | Place::Pageable) => {
            let function = move || {
                for (row, plane) in extent.rows() {
                    let (to, from) = (to.at(row, plane), from.at(row, plane));
                    // SAFETY: both ranges are valid until the stream has passed the copy, as above.
                    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, width) };
                }
            };
            own.device.enqueue_call(&own.stream, Arc::new(function))?;
        }
    }
    let pageable_target = target == Place::Pageable;
    let pageable_source = source == Place::Pageable && !matches!(target, Place::Device(_));
    match waits {
        Waits::ForPageable if captured || !pageable_target && !pageable_source => Ok(()),
        _ => own.device.synchronize(&own.stream),
    }
}

fn enqueue(
    own: &OwnStream,
    work: impl FnOnce(&dyn plugin_api::Stream) -> DeviceResult<()>,
) -> Result<()> {
    own.device.enqueue(&own.stream, work)
}

/// Copies from, to or within the memory of a device that is not the stream's, when the stream's work is done: memory
/// has one address in all devices and in the host.
///
/// # Safety
/// Host memory is readable or writable for the length.
unsafe fn on_another_device(
    runtime: &Runtime,
    own: &OwnStream,
    number: usize,
    (source, target): (Place, Place),
    (to, from, len): (u64, u64, usize),
) -> Result<()> {
    own.device.synchronize(&own.stream)?;
    let device = &runtime.devices()[number];
    let copied = match (source, target) {
        (Place::Device(_), Place::Device(_)) => {
            device.raw.copy(DevicePtr(to), DevicePtr(from), len)
        }
        // SAFETY: caller.
        (Place::Device(_), _) => unsafe { device.raw.read(to as *mut u8, DevicePtr(from), len) },
        // SAFETY: caller.
        _ => unsafe { device.raw.write(DevicePtr(to), from as *const u8, len) },
    };
    copied.map_err(device.failed())
}

/// Copies from one device to another, when the stream's work is done.
fn between_devices(
    runtime: &Runtime,
    own: &OwnStream,
    (to, target): (u64, usize),
    (from, source): (u64, usize),
    len: usize,
) -> Result<()> {
    own.device.synchronize(&own.stream)?;
    let (target, source) = (&runtime.devices()[target], &runtime.devices()[source]);
    let (to, from) = (DevicePtr(to), DevicePtr(from));
    let direct = target.raw.copy_from(to, &*source.raw, from, len);
    if direct.map_err(target.failed())? {
        return Ok(());
    }
    let mut bytes = vec![0u8; len];
    // SAFETY: the vector is writable for its length.
    let read = unsafe { source.raw.read(bytes.as_mut_ptr(), from, len) };
    read.map_err(source.failed())?;
    // SAFETY: it is readable for its length.
    let written = unsafe { target.raw.write(to, bytes.as_ptr(), len) };
    written.map_err(target.failed())
}

/// Sets the bytes of rows.
///
/// # Safety
/// As for [`copy_rows`].
pub unsafe fn fill_rows(
    runtime: &Runtime,
    own: &OwnStream,
    to: Side,
    byte: u8,
    extent: Extent,
    waits: Waits,
) -> Result<()> {
    let _origin = called(match waits {
        Waits::Always => "Memset",
        Waits::ForPageable => "MemsetAsync",
    });
    own.device.check()?;
    if extent.is_empty() {
        return Ok(());
    }
    let target = place(runtime, own, to.address, to.span(extent)?, Some(true))?;
    let extent = extent.joined(&[to]);
    match target {
        Place::Device(number) if number != own.device.number => {
            own.device.synchronize(&own.stream)?;
            let device = &runtime.devices()[number];
            let mut rows = extent.rows().map(|(row, plane)| to.at(row, plane));
            let filled = rows.try_for_each(|to| device.raw.fill(DevicePtr(to), byte, extent.width));
            return filled.map_err(device.failed());
        }
        Place::Device(_) => enqueue(own, |stream| {
            let mut rows = extent.rows().map(|(row, plane)| to.at(row, plane));
            rows.try_for_each(|to| stream.fill(DevicePtr(to), byte, extent.width))
        })?,
        Place::Pinned | Place::Pageable => {
            let function = move || {
                for (row, plane) in extent.rows() {
                    let to = to.at(row, plane) as *mut u8;
                    // SAFETY: the memory is writable until the stream has passed the operation (caller).
                    unsafe { std::ptr::write_bytes(to, byte, extent.width) };
                }
            };
            own.device.enqueue_call(&own.stream, Arc::new(function))?;
        }
    }
    match waits {
        Waits::Always => own.device.synchronize(&own.stream),
        Waits::ForPageable => Ok(()),
    }
}

/// Repeats the bytes of an element of two or four bytes over rows.
///
/// # Safety
/// As for [`copy_rows`].
pub unsafe fn fill_elements(
    runtime: &Runtime,
    own: &OwnStream,
    to: Side,
    element: &[u8],
    extent: Extent,
) -> Result<()> {
    let _origin = called("MemsetAsync");
    own.device.check()?;
    if extent.is_empty() {
        return Ok(());
    }
    let target = place(runtime, own, to.address, to.span(extent)?, Some(true))?;
    let row: Arc<[u8]> = element.repeat(extent.width / element.len()).into();
    if let Place::Device(_) = target {
        return enqueue(own, |stream| {
            let mut rows = extent.rows().map(|(row, plane)| to.at(row, plane));
            rows.try_for_each(|to| stream.write_copied(DevicePtr(to), &row))
        });
    }
    let function = move || {
        for (number, plane) in extent.rows() {
            let to = to.at(number, plane) as *mut u8;
            // SAFETY: the memory is writable until the stream has passed the operation (caller).
            unsafe { std::ptr::copy_nonoverlapping(row.as_ptr(), to, row.len()) };
        }
    };
    own.device.enqueue_call(&own.stream, Arc::new(function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_gaps_are_one() {
        let side = |pitch, plane| Side {
            address: 0,
            pitch,
            plane,
        };
        let extent = Extent {
            width: 8,
            height: 4,
            depth: 2,
        };
        assert_eq!(extent.joined(&[side(8, 32)]), Extent::row(64));
        let planes = Extent {
            width: 32,
            height: 1,
            depth: 2,
        };
        assert_eq!(extent.joined(&[side(8, 40)]), planes);
        assert_eq!(extent.joined(&[side(8, 32), side(9, 32)]), extent);
        assert_eq!(side(8, 40).span(extent), Ok(8 * 3 + 40 + 8));
        assert_eq!(side(usize::MAX, 0).span(extent), Err(Code::INVALID_VALUE));
    }
}
