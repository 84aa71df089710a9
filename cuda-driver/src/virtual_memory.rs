//! Virtual memory management: addresses that a program reserves, memory that it makes, and where it maps what.
//!
//! Memory is a file in memory (`memfd`), so that a descriptor of it is enough for another process. It is sealed: nobody
//! can shrink it under a kernel.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, OnceLock};

use cudart::allocations::Allocation;
use cudart::cuda_device::CudaDevice;
use cudart::error::{Code, Result};
use cudart::handles::Handles;
use cudart::runtime::runtime;
use parking_lot::Mutex;
use plugin_api::{Access, AddressSpace, DevicePtr, GRANULARITY, MemoryKind};
use rustix::fs::{MemfdFlags, SealFlags};

/// Memory that can be mapped.
pub struct Memory {
    /// The file.
    pub file: OwnedFd,
    /// Its size.
    pub size: u64,
    /// The device that it counts for.
    pub device: usize,
    /// Whether other processes may have it.
    pub shareable: bool,
}

/// What a mapping must never lose.
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW);

impl Memory {
    /// New memory of a device.
    pub fn make(size: u64, device: &CudaDevice, shareable: bool) -> Result<Memory> {
        space(device)?;
        if is_uneven(size) {
            return Err(Code::INVALID_VALUE);
        }
        let used = memories().sum(|memory| (memory.device == device.number) as u64 * memory.size);
        let used = used + runtime().allocations.bytes_of(device.number);
        if size > device.raw.info().total_memory.saturating_sub(used) {
            return Err(Code::MEMORY_ALLOCATION);
        }
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = rustix::fs::memfd_create(c"omptarget device memory", flags);
        let file = file.map_err(|_| Code::OPERATING_SYSTEM)?;
        let sized = rustix::fs::ftruncate(&file, size);
        let sealed = sized.and_then(|()| rustix::fs::fcntl_add_seals(&file, SEALS));
        sealed.map_err(|_| Code::MEMORY_ALLOCATION)?;
        let device = device.number;
        Ok(Memory {
            file,
            size,
            device,
            shareable,
        })
    }

    /// Memory that another process has made, by its file.
    pub fn received(file: OwnedFd, device: &CudaDevice) -> Result<Memory> {
        space(device)?;
        let seals = rustix::fs::fcntl_get_seals(&file).map_err(|_| Code::INVALID_VALUE)?;
        let stat = rustix::fs::fstat(&file).map_err(|_| Code::INVALID_VALUE)?;
        let size = stat.st_size as u64;
        if !seals.contains(SEALS) || is_uneven(size) {
            return Err(Code::INVALID_VALUE);
        }
        let device = device.number;
        Ok(Memory {
            file,
            size,
            device,
            shareable: true,
        })
    }
}

/// Whether a number cannot be a size, an offset or an address of memory that is mapped.
pub fn is_uneven(size: u64) -> bool {
    size == 0 || !size.is_multiple_of(GRANULARITY)
}

/// The memory of the process, by handles.
pub struct Memories(Handles<Arc<Memory>>);

impl Memories {
    /// A handle of memory.
    pub fn add(&self, memory: Arc<Memory>) -> u64 {
        self.0.add(memory) as u64
    }

    /// The memory of a handle.
    pub fn get(&self, handle: u64) -> Result<Arc<Memory>> {
        self.0.get(handle as usize).ok_or(Code::INVALID_VALUE)
    }

    /// Gives a handle back. What is mapped stays.
    pub fn remove(&self, handle: u64) -> Result<()> {
        let removed = self.0.remove(handle as usize);
        removed.map(drop).ok_or(Code::INVALID_VALUE)
    }

    fn sum(&self, of: impl Fn(&Memory) -> u64) -> u64 {
        let total = Mutex::new(0);
        self.0.find(|memory| {
            *total.lock() += of(memory);
            false
        });
        total.into_inner()
    }
}

/// See [`Memories`].
pub fn memories() -> &'static Memories {
    static MEMORIES: OnceLock<Memories> = OnceLock::new();
    MEMORIES.get_or_init(|| Memories(Handles::default()))
}

/// A mapping.
struct Mapping {
    size: u64,
    memory: Arc<Memory>,
    access: Access,
}

/// A reservation.
struct Reservation {
    size: u64,
    device: Arc<CudaDevice>,
    mappings: BTreeMap<u64, Mapping>,
}

type Reservations = Mutex<BTreeMap<u64, Reservation>>;

fn reservations() -> &'static Reservations {
    static RESERVATIONS: OnceLock<Reservations> = OnceLock::new();
    RESERVATIONS.get_or_init(Reservations::default)
}

fn space(device: &CudaDevice) -> Result<&dyn AddressSpace> {
    device.raw.address_space().ok_or(Code::NOT_SUPPORTED)
}

/// Reserves addresses.
pub fn reserve(device: &Arc<CudaDevice>, size: u64, align: u64) -> Result<u64> {
    if is_uneven(size) || align != 0 && !align.is_power_of_two() {
        return Err(Code::INVALID_VALUE);
    }
    let reserved = space(device)?.reserve(size, align.max(GRANULARITY));
    let at = reserved.map_err(|_| Code::MEMORY_ALLOCATION)?.0;
    let reservation = Reservation {
        size,
        device: device.clone(),
        mappings: BTreeMap::new(),
    };
    reservations().lock().insert(at, reservation);
    Ok(at)
}

/// Ends a reservation, in which nothing is mapped.
pub fn release(at: u64, size: u64) -> Result<()> {
    let mut all = reservations().lock();
    let found = all.get(&at).ok_or(Code::INVALID_VALUE)?;
    if found.size != size || !found.mappings.is_empty() {
        return Err(Code::INVALID_VALUE);
    }
    let device = found.device.clone();
    all.remove(&at);
    space(&device)?
        .release(DevicePtr(at))
        .map_err(device.failed())
}

/// Does something with the reservation that a range lies in.
fn within<R>(
    at: u64,
    size: u64,
    work: impl FnOnce(&mut Reservation, &dyn AddressSpace) -> Result<R>,
) -> Result<R> {
    if is_uneven(size) || !at.is_multiple_of(GRANULARITY) {
        return Err(Code::INVALID_VALUE);
    }
    let mut all = reservations().lock();
    let found = all.range_mut(..=at).next_back();
    let (begin, found) = found.ok_or(Code::INVALID_VALUE)?;
    let end = at.checked_add(size).ok_or(Code::INVALID_VALUE)?;
    if end > begin + found.size {
        return Err(Code::INVALID_VALUE);
    }
    let device = found.device.clone();
    work(found, space(&device)?)
}

/// The mappings that make up a range, which begins and ends with mappings and has no gap.
fn whole(reservation: &Reservation, at: u64, size: u64) -> Result<Vec<u64>> {
    let mut next = at;
    let mut found = Vec::new();
    for (begin, mapping) in reservation.mappings.range(at..at + size) {
        if *begin != next {
            return Err(Code::INVALID_VALUE);
        }
        found.push(*begin);
        next += mapping.size;
    }
    match next == at + size {
        true => Ok(found),
        false => Err(Code::INVALID_VALUE),
    }
}

/// Maps a part of memory.
pub fn map(at: u64, size: u64, memory: Arc<Memory>, offset: u64) -> Result<()> {
    let inside = offset
        .checked_add(size)
        .is_some_and(|end| end <= memory.size);
    if !inside || !offset.is_multiple_of(GRANULARITY) {
        return Err(Code::INVALID_VALUE);
    }
    within(at, size, |reservation, space| {
        let before = reservation.mappings.range(..at + size).next_back();
        if before.is_some_and(|(begin, mapping)| begin + mapping.size > at) {
            return Err(Code::INVALID_VALUE);
        }
        let mapped = space.map(DevicePtr(at), size, memory.file.as_fd(), offset);
        mapped.map_err(|_| Code::MEMORY_ALLOCATION)?;
        runtime().mapped.add(Allocation {
            begin: at,
            size,
            kind: MemoryKind::Device,
            device: reservation.device.number,
            context: reservation.device.id,
        });
        let access = Access::None;
        let mapping = Mapping {
            size,
            memory,
            access,
        };
        reservation.mappings.insert(at, mapping);
        Ok(())
    })
}

/// Takes whole mappings away, when nothing uses them any more.
pub fn unmap(at: u64, size: u64) -> Result<()> {
    within(at, size, |reservation, space| {
        let found = whole(reservation, at, size)?;
        match reservation.device.synchronize_all() {
            // Memory outlives the context that it was reserved in, whose work has come to its end.
            Ok(()) | Err(Code::CONTEXT_IS_DESTROYED) => {}
            Err(failure) => return Err(failure),
        }
        let unmapped = space.unmap(DevicePtr(at), size);
        unmapped.map_err(reservation.device.failed())?;
        for begin in found {
            reservation.mappings.remove(&begin);
            runtime().mapped.remove(begin, |_| true);
        }
        Ok(())
    })
}

/// Says what may be done with whole mappings.
pub fn protect(at: u64, size: u64, access: Access) -> Result<()> {
    within(at, size, |reservation, space| {
        let found = whole(reservation, at, size)?;
        let protected = space.protect(DevicePtr(at), size, access);
        protected.map_err(reservation.device.failed())?;
        for begin in found {
            if let Some(mapping) = reservation.mappings.get_mut(&begin) {
                mapping.access = access;
            }
        }
        Ok(())
    })
}

/// The memory that is mapped at an address, and what may be done with it.
pub fn at(address: u64) -> Result<(Arc<Memory>, Access)> {
    let all = reservations().lock();
    let found = all.range(..=address).next_back();
    let mappings = found.map(|(_, reservation)| &reservation.mappings);
    let found = mappings.and_then(|mappings| mappings.range(..=address).next_back());
    let (begin, mapping) = found.ok_or(Code::INVALID_VALUE)?;
    match address < begin + mapping.size {
        true => Ok((mapping.memory.clone(), mapping.access)),
        false => Err(Code::INVALID_VALUE),
    }
}
