//! Allocation.

use std::ffi::c_void;
use std::sync::Arc;

use plugin_api::{DevicePtr, Error as DeviceError, MemoryKind, Stream};

use crate::abi::{PitchedPointer, PointerAttributes, Size};
use crate::allocations::Allocation;
use crate::cuda_device::CudaDevice;
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::events::Point;
use crate::front::called;
use crate::graph::memory::GraphMemory;
use crate::runtime::{Runtime, runtime};

/// `cudaMemAttachGlobal`, `cudaMemAttachHost`.
const ATTACH: [u32; 2] = [1, 2];
/// Rows of `cudaMallocPitch` begin at multiples of this.
const PITCH: usize = 512;

/// Allocates memory of the current device. Nothing is at null.
pub fn allocate(bytes: usize, kind: MemoryKind) -> Result<*mut c_void> {
    let device = runtime().device()?;
    device.check()?;
    match bytes {
        0 => Ok(std::ptr::null_mut()),
        _ => allocate_on(&device, bytes as u64, kind),
    }
}

/// Allocates memory of a device. If there is too little, what streams free is waited for.
pub fn allocate_on(device: &CudaDevice, size: u64, kind: MemoryKind) -> Result<*mut c_void> {
    let runtime = runtime();
    runtime.free_passed(false)?;
    let _origin = called(match kind {
        MemoryKind::Device => "Malloc",
        MemoryKind::Host => "MallocHost",
        MemoryKind::Shared => "MallocManaged",
    });
    let mut allocated = device.raw.alloc(size, kind);
    if matches!(allocated, Err(DeviceError::OutOfMemory { .. })) && runtime.free_passed(true)? {
        allocated = device.raw.alloc(size, kind);
    }
    let address = allocated.map_err(device.failed())?;
    runtime.allocations.add(Allocation {
        begin: address.0,
        size,
        kind,
        device: device.number,
        context: device.id,
    });
    Ok(address.0 as *mut c_void)
}

/// Memory of a new graph's node.
pub fn graph_memory(bytes: usize) -> Result<(*mut c_void, Arc<GraphMemory>)> {
    let address = allocate(bytes, MemoryKind::Device)?;
    let (device, begin) = (runtime().device()?, address as u64);
    let memories = &runtime().graph_memory;
    memories.add(begin, device.number, bytes as u64);
    let release = move || {
        memories.remove(begin);
        // A device that failed frees everything when it is reset.
        let _ = free(begin as *mut c_void, false);
    };
    Ok((address, Arc::new(GraphMemory::new(release))))
}

/// Takes an allocation of one of two sorts from the tables.
fn take(memory: *mut c_void, is_host: bool) -> Result<Allocation> {
    let runtime = runtime();
    let of_sort = |found: &Allocation| (found.kind == MemoryKind::Host) == is_host;
    let found = runtime.allocations.remove(memory as u64, of_sort);
    runtime.pooled.remove(memory as u64);
    found.ok_or(Code::INVALID_VALUE)
}

/// Frees memory of one of two sorts, when every operation that may use it is complete. That of graphs stays.
pub fn free(memory: *mut c_void, is_host: bool) -> Result<()> {
    let runtime = runtime();
    if memory.is_null() || runtime.graph_memory.has(memory as u64) {
        return Ok(());
    }
    let found = take(memory, is_host)?;
    let device = &runtime.devices()[found.device];
    device.synchronize_all()?;
    let _origin = called("Free");
    device
        .raw
        .free(DevicePtr(found.begin))
        .map_err(device.failed())
}

impl Runtime {
    /// Frees what streams have passed. With `waits`, the streams are waited for. Whether anything was freed.
    fn free_passed(&self, waits: bool) -> Result<bool> {
        let mut freed = false;
        let mut deferred = self.deferred.lock();
        let mut kept = Vec::new();
        for (point, allocation) in deferred.drain(..) {
            let device = &self.devices()[allocation.device];
            if waits {
                point.synchronize().map_err(device.failed())?;
            }
            if point.has_happened().map_err(device.failed())? {
                let address = DevicePtr(allocation.begin);
                device.raw.free(address).map_err(device.failed())?;
                freed = true;
            } else {
                kept.push((point, allocation));
            }
        }
        *deferred = kept;
        Ok(freed)
    }
}

/// Allocates device memory.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaMalloc(memory: *mut *mut c_void, bytes: usize) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(memory) };
    answer(place.and_then(|place| {
        *place = allocate(bytes, MemoryKind::Device)?;
        Ok(())
    }))
}

/// Allocates rows of device memory.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaMallocPitch(
    memory: *mut *mut c_void,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> i32 {
    let allocate = || {
        // SAFETY: caller.
        let (memory, pitch) = unsafe { (place(memory)?, place(pitch)?) };
        pitched(memory, pitch, width, height)
    };
    answer(allocate())
}

/// Allocates planes of rows of device memory.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaMalloc3D(memory: *mut PitchedPointer, extent: Size) -> i32 {
    let allocate = || {
        // SAFETY: caller.
        let place = unsafe { place(memory)? };
        let rows = extent.y.checked_mul(extent.z);
        let (mut address, mut pitch) = (std::ptr::null_mut(), 0);
        let rows = rows.ok_or(Code::MEMORY_ALLOCATION)?;
        pitched(&mut address, &mut pitch, extent.x, rows)?;
        *place = PitchedPointer {
            address,
            pitch,
            width: extent.x,
            height: extent.y,
        };
        Ok(())
    };
    answer(allocate())
}

/// Allocates rows that begin at multiples of the pitch.
fn pitched(memory: &mut *mut c_void, pitch: &mut usize, width: usize, rows: usize) -> Result<()> {
    let row = width
        .checked_next_multiple_of(PITCH)
        .ok_or(Code::INVALID_VALUE)?;
    let bytes = row.checked_mul(rows).ok_or(Code::MEMORY_ALLOCATION)?;
    *memory = allocate(bytes, MemoryKind::Device)?;
    *pitch = row;
    Ok(())
}

/// Allocates memory that host and kernels use.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaMallocManaged(
    memory: *mut *mut c_void,
    bytes: usize,
    flags: u32,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(memory) };
    answer(place.and_then(|place| {
        if bytes == 0 || !ATTACH.contains(&flags) {
            return Err(Code::INVALID_VALUE);
        }
        *place = allocate(bytes, MemoryKind::Shared)?;
        Ok(())
    }))
}

/// Frees device memory or managed memory.
pub extern "C" fn cudaFree(memory: *mut c_void) -> i32 {
    answer(free(memory, false))
}

/// Frees device memory in a stream's order. The program must not use it any more; the device gets it back when the
/// stream has passed this.
pub extern "C" fn cudaFreeAsync(memory: *mut c_void, stream: *mut c_void) -> i32 {
    let free = || {
        let runtime = runtime();
        let own = runtime.stream(stream as usize)?;
        own.device.check()?;
        if memory.is_null() || runtime.graph_memory.has(memory as u64) {
            return Ok(());
        }
        if own.stream.is_captured() {
            return Err(Code::CAPTURE_UNSUPPORTED);
        }
        let found = take(memory, false)?;
        let number = own.device.number;
        let record = |stream: &dyn Stream| Point::record(stream, number);
        let point = own.device.enqueue(&own.stream, record)?;
        runtime.deferred.lock().push((point, found));
        runtime.free_passed(false).map(drop)
    };
    answer(free())
}

/// The memory of the current device.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaMemGetInfo(available: *mut usize, total: *mut usize) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let (available, total) = unsafe { (place(available)?, place(total)?) };
        let runtime = runtime();
        let device = runtime.device()?;
        let all = device.raw.info().total_memory;
        let used = runtime.allocations.bytes_of(device.number);
        *total = all as usize;
        *available = all.saturating_sub(used) as usize;
        Ok(())
    };
    answer(ask())
}

/// What is known about an address.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaPointerGetAttributes(
    attributes: *mut PointerAttributes,
    pointer: *const c_void,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(attributes) };
    answer(place.map(|place| {
        let found = runtime().find(pointer as u64);
        let address = pointer.cast_mut();
        let null = std::ptr::null_mut();
        let (kind, device_pointer, host_pointer) = match found.map(|found| found.kind) {
            None => (0, null, address),
            Some(MemoryKind::Host) => (1, address, address),
            Some(MemoryKind::Device) => (2, address, null),
            Some(MemoryKind::Shared) => (3, address, address),
        };
        *place = PointerAttributes {
            kind,
            // -2: no device.
            device: found.map_or(-2, |found| found.device as i32),
            device_pointer,
            host_pointer,
        };
    }))
}
