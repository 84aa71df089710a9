//! Copies and fills. Which memory an address belongs to decides how a copy is done.

use plugin_api::{DevicePtr, MemoryKind, Result as DeviceResult};

use crate::error::{Code, Result};
use crate::runtime::{OwnStream, Runtime};

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

/// A host address for a function that a stream calls.
struct HostAddress(*mut u8);

// SAFETY: the program promises that the memory stays valid until the stream has passed the operation.
unsafe impl Send for HostAddress {}

impl HostAddress {
    /// The address. A method, so that closures capture the whole wrapper.
    fn get(&self) -> *mut u8 {
        self.0
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
        if len as u64 > found.size - (address - found.begin) {
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

/// Copies `len` bytes.
///
/// # Safety
/// Host memory is readable or writable for `len` bytes: pinned memory until the stream has passed the copy.
pub unsafe fn copy(
    runtime: &Runtime,
    own: &OwnStream,
    (to, from, len): (u64, u64, usize),
    direction: Direction,
    waits: Waits,
) -> Result<()> {
    own.device.check()?;
    let (from_device, to_device) = direction.sides();
    if len == 0 {
        return Ok(());
    }
    if to == 0 || from == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let source = place(runtime, own, from, len, from_device)?;
    let target = place(runtime, own, to, len, to_device)?;
    let mut complete = false;
    match (source, target) {
        (Place::Device(one), Place::Device(other)) if one != other => {
            between_devices(runtime, own, (to, other), (from, one), len)?;
            complete = true;
        }
        (Place::Device(_), Place::Device(_)) => {
            enqueue(own, |stream| {
                stream.copy(DevicePtr(to), DevicePtr(from), len)
            })?;
        }
        (Place::Pageable, Place::Device(_)) if waits == Waits::ForPageable => {
            // SAFETY: readable (caller).
            let bytes = unsafe { std::slice::from_raw_parts(from as *const u8, len) };
            enqueue(own, |stream| stream.write_copied(DevicePtr(to), bytes))?;
        }
        (Place::Pinned | Place::Pageable, Place::Device(_)) => {
            // SAFETY: readable until the stream has passed the copy: the memory is pinned, or this function waits.
            enqueue(own, |stream| unsafe {
                stream.write(DevicePtr(to), from as *const u8, len)
            })?;
        }
        (Place::Device(_), Place::Pinned | Place::Pageable) => {
            // SAFETY: writable until the stream has passed the copy, as above.
            enqueue(own, |stream| unsafe {
                stream.read(to as *mut u8, DevicePtr(from), len)
            })?;
        }
        (Place::Pinned | Place::Pageable, Place::Pinned | Place::Pageable) => {
            let (to, from) = (HostAddress(to as *mut u8), HostAddress(from as *mut u8));
            // SAFETY: both ranges are valid until the stream has passed the copy, as above.
            let function = move || unsafe { std::ptr::copy(from.get(), to.get(), len) };
            enqueue(own, |stream| stream.call(Box::new(function)))?;
        }
    }
    let pageable_target = target == Place::Pageable;
    let pageable_source = source == Place::Pageable && !matches!(target, Place::Device(_));
    match waits {
        _ if complete => Ok(()),
        Waits::ForPageable if !pageable_target && !pageable_source => Ok(()),
        _ => own.device.synchronize(&own.stream),
    }
}

fn enqueue(
    own: &OwnStream,
    work: impl FnOnce(&dyn plugin_api::Stream) -> DeviceResult<()>,
) -> Result<()> {
    own.device.enqueue(&own.stream, work)
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

/// Sets `len` bytes.
///
/// # Safety
/// As for [`copy`].
pub unsafe fn fill(
    runtime: &Runtime,
    own: &OwnStream,
    to: u64,
    byte: u8,
    len: usize,
    waits: Waits,
) -> Result<()> {
    own.device.check()?;
    if len == 0 {
        return Ok(());
    }
    match place(runtime, own, to, len, Some(true))? {
        Place::Device(_) => enqueue(own, |stream| stream.fill(DevicePtr(to), byte, len))?,
        Place::Pinned | Place::Pageable => {
            let to = HostAddress(to as *mut u8);
            // SAFETY: the memory is writable until the stream has passed the operation (caller).
            let function = move || unsafe { std::ptr::write_bytes(to.get(), byte, len) };
            enqueue(own, |stream| stream.call(Box::new(function)))?;
        }
    }
    match waits {
        Waits::Always => own.device.synchronize(&own.stream),
        Waits::ForPageable => Ok(()),
    }
}
