//! Memory of other processes: a part of their file, mapped where this process has room.

use std::os::fd::AsFd;
use std::sync::Arc;

use parking_lot::Mutex;
use plugin_api::{Access, DevicePtr, GRANULARITY, MemoryKind};

use super::{Handle, Kind};
use crate::allocations::Allocation;
use crate::cuda_device::CudaDevice;
use crate::error::{Code, Result};
use crate::runtime::runtime;

/// A handle of an allocation.
pub fn share(address: u64) -> Result<Handle> {
    let runtime = runtime();
    let found = runtime.allocations.find(address);
    let found = found.filter(|found| found.kind == MemoryKind::Device);
    let found = found.ok_or(Code::INVALID_VALUE)?;
    let device = &runtime.devices()[found.device];
    device.check()?;
    let shared = device.raw.share(DevicePtr(found.begin));
    let shared = shared
        .map_err(device.failed())?
        .ok_or(Code::NOT_SUPPORTED)?;
    let rest = [shared.offset, shared.len, shared.begin, found.size, 0];
    Handle::of(Kind::MEMORY, shared.file, rest)
}

/// Memory of another process that is mapped here.
struct Opened {
    handle: Handle,
    device: Arc<CudaDevice>,
    /// Where its part of the file is.
    at: u64,
    len: u64,
    /// Where the memory is.
    begin: u64,
    /// How often it was opened.
    count: usize,
}

static OPENED: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// Maps the memory of a handle. The address of memory that is mapped already is the same.
pub fn open(handle: Handle) -> Result<u64> {
    let device = runtime().device()?;
    device.check()?;
    let mut opened = OPENED.lock();
    let known = |one: &&mut Opened| one.handle == handle && one.device.id == device.id;
    if let Some(known) = opened.iter_mut().find(known) {
        known.count += 1;
        return Ok(known.begin);
    }
    let file = handle.open(Kind::MEMORY)?;
    // A process has its own memory already.
    if handle.is_own() {
        return Err(Code::DEVICE_UNINITIALIZED);
    }
    let [offset, len, within, size, _] = handle.rest;
    let stat = rustix::fs::fstat(&file).map_err(|_| Code::INVALID_HANDLE)?;
    let inside = offset
        .checked_add(len)
        .is_some_and(|end| end <= stat.st_size as u64);
    let fits = within.checked_add(size).is_some_and(|end| end <= len);
    if !inside || !fits || len == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let space = device.raw.address_space().ok_or(Code::NOT_SUPPORTED)?;
    let room = len
        .checked_next_multiple_of(GRANULARITY)
        .ok_or(Code::INVALID_VALUE)?;
    let at = space.reserve(room, GRANULARITY);
    let at = at.map_err(|_| Code::MEMORY_ALLOCATION)?;
    let mapped = space
        .map(at, len, file.as_fd(), offset)
        .and_then(|()| space.protect(at, len, Access::ReadWrite));
    if mapped.is_err() {
        space.release(at).map_err(device.failed())?;
        return Err(Code::MAP_BUFFER_OBJECT_FAILED);
    }
    let begin = at.0 + within;
    runtime().mapped.add(Allocation {
        begin,
        size,
        kind: MemoryKind::Device,
        device: device.number,
        context: device.id,
    });
    opened.push(Opened {
        handle,
        device,
        at: at.0,
        len,
        begin,
        count: 1,
    });
    Ok(begin)
}

/// Takes memory of another process away, when it was closed as often as it was opened and nothing uses it any more.
pub fn close(begin: u64) -> Result<()> {
    let mut opened = OPENED.lock();
    let found = opened.iter().position(|one| one.begin == begin);
    let found = found.ok_or(Code::INVALID_VALUE)?;
    opened[found].count -= 1;
    if opened[found].count > 0 {
        return Ok(());
    }
    let gone = opened.swap_remove(found);
    let device = &gone.device;
    device.synchronize_all()?;
    runtime().mapped.remove(begin, |_| true);
    let space = device.raw.address_space().ok_or(Code::NOT_SUPPORTED)?;
    let unmapped = space.unmap(DevicePtr(gone.at), gone.len);
    let released = unmapped.and_then(|()| space.release(DevicePtr(gone.at)));
    released.map_err(device.failed())
}
