//! Allocation.

use std::ffi::{c_int, c_void};

use plugin_api::{DevicePtr, MemoryKind};

use crate::abi::PointerAttributes;
use crate::allocations::Allocation;
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::runtime::runtime;

/// `cudaHostAllocPortable`, `…Mapped` and `…WriteCombined`: they change nothing here.
const HOST_FLAGS: u32 = 0x7;
/// `cudaMemAttachGlobal`, `cudaMemAttachHost`.
const ATTACH: [u32; 2] = [1, 2];
/// Rows of `cudaMallocPitch` begin at multiples of this.
const PITCH: usize = 512;

/// Allocates memory of the current device. Nothing is at null.
fn allocate(bytes: usize, kind: MemoryKind) -> Result<*mut c_void> {
    let runtime = runtime();
    let device = runtime.device()?;
    device.check()?;
    if bytes == 0 {
        return Ok(std::ptr::null_mut());
    }
    let size = bytes as u64;
    let address = device.raw.alloc(size, kind).map_err(device.failed())?;
    runtime.allocations.add(Allocation {
        begin: address.0,
        size,
        kind,
        device: device.number,
    });
    Ok(address.0 as *mut c_void)
}

/// Frees memory of one of two sorts, when every operation that may use it is complete.
fn free(memory: *mut c_void, is_host: bool) -> Result<()> {
    if memory.is_null() {
        return Ok(());
    }
    let runtime = runtime();
    let of_sort = |found: &Allocation| (found.kind == MemoryKind::Host) == is_host;
    let found = runtime.allocations.remove(memory as u64, of_sort);
    let found = found.ok_or(Code::INVALID_VALUE)?;
    let device = &runtime.devices()[found.device];
    device.synchronize_all()?;
    device
        .raw
        .free(DevicePtr(found.begin))
        .map_err(device.failed())
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
        let row = width
            .checked_next_multiple_of(PITCH)
            .ok_or(Code::INVALID_VALUE)?;
        let bytes = row.checked_mul(height).ok_or(Code::MEMORY_ALLOCATION)?;
        *memory = allocate(bytes, MemoryKind::Device)?;
        *pitch = row;
        Ok(())
    };
    answer(allocate())
}

/// Allocates host memory that kernels reach.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaMallocHost(memory: *mut *mut c_void, bytes: usize) -> i32 {
    // SAFETY: caller.
    unsafe { cudaHostAlloc(memory, bytes, 0) }
}

/// The same with flags.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaHostAlloc(memory: *mut *mut c_void, bytes: usize, flags: u32) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(memory) };
    answer(place.and_then(|place| {
        if flags & !HOST_FLAGS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        *place = allocate(bytes, MemoryKind::Host)?;
        Ok(())
    }))
}

/// The address that kernels use for memory of `cudaHostAlloc`: the same.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaHostGetDevicePointer(
    device: *mut *mut c_void,
    host: *mut c_void,
    flags: u32,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(device) };
    answer(place.and_then(|place| {
        let found = runtime().allocations.find(host as u64);
        match found.filter(|found| found.kind == MemoryKind::Host && flags == 0) {
            Some(_) => {
                *place = host;
                Ok(())
            }
            None => Err(Code::INVALID_VALUE),
        }
    }))
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

/// Frees memory of `cudaMallocHost`.
pub extern "C" fn cudaFreeHost(memory: *mut c_void) -> i32 {
    answer(free(memory, true))
}

/// Allocates device memory in a stream's order: at once, which is earlier.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaMallocAsync(
    memory: *mut *mut c_void,
    bytes: usize,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(memory) };
    answer(place.and_then(|place| {
        runtime().stream(stream as usize)?;
        *place = allocate(bytes, MemoryKind::Device)?;
        Ok(())
    }))
}

/// Frees device memory in a stream's order: the call waits for the stream.
pub extern "C" fn cudaFreeAsync(memory: *mut c_void, stream: *mut c_void) -> i32 {
    let own = runtime().stream(stream as usize);
    let done = own.and_then(|own| own.device.synchronize(&own.stream));
    answer(done.and_then(|()| free(memory, false)))
}

/// Advice on where managed memory is needed next. Nothing moves here.
pub extern "C" fn cudaMemPrefetchAsync(
    memory: *const c_void,
    bytes: usize,
    device: c_int,
    stream: *mut c_void,
) -> i32 {
    /// `cudaCpuDeviceId`.
    const HOST: c_int = -1;
    let advise = || {
        let runtime = runtime();
        runtime.stream(stream as usize)?;
        if device != HOST {
            runtime.device_numbered(device)?;
        }
        let begin = memory as u64;
        let found = runtime.allocations.find(begin);
        let found = found.filter(|found| {
            let left = found.size - (begin - found.begin);
            found.kind == MemoryKind::Shared && bytes as u64 <= left
        });
        found.map(drop).ok_or(Code::INVALID_VALUE)
    };
    answer(advise())
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
