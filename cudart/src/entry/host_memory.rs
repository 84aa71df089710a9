//! Host memory: that of the library, and the program's own, which it registers.

use std::ffi::c_void;

use plugin_api::{DevicePtr, MemoryKind};

use crate::allocations::Allocation;
use crate::entry::memory::{allocate, free};
use crate::entry::place;
use crate::error::{Code, answer, report};
use crate::runtime::runtime;

/// `cudaHostAllocPortable`, `…Mapped` and `…WriteCombined`: they change nothing here.
const HOST_FLAGS: u32 = 0x7;
/// `cudaHostAllocMapped`: memory is always mapped.
const MAPPED: u32 = 0x2;
/// `cudaHostRegisterPortable`, `…Mapped`, `…IoMemory`, `…ReadOnly`.
const REGISTER_FLAGS: u32 = 0xf;

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

/// Frees memory of `cudaMallocHost`.
pub extern "C" fn cudaFreeHost(memory: *mut c_void) -> i32 {
    answer(free(memory, true))
}

/// The address that kernels use for memory of `cudaHostAlloc`, and for registered memory: the same.
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
        let runtime = runtime();
        if let Some(found) = runtime.registered.find(host as u64) {
            let device = &runtime.devices()[found.device];
            let reached = device.raw.reaches(DevicePtr(host as u64), 1);
            if flags != 0 || !reached.map_err(device.failed())? {
                report(
                    "not supported",
                    &"kernels of an NVIDIA GPU do not reach memory of cudaHostRegister",
                );
                return Err(Code::NOT_SUPPORTED);
            }
            *place = host;
            return Ok(());
        }
        let found = runtime.allocations.find(host as u64);
        match found.filter(|found| found.kind == MemoryKind::Host && flags == 0) {
            Some(_) => {
                *place = host;
                Ok(())
            }
            None => Err(Code::INVALID_VALUE),
        }
    }))
}

/// The flags of memory of `cudaHostAlloc`.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaHostGetFlags(flags: *mut u32, host: *mut c_void) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(flags) };
    answer(place.and_then(|place| {
        let found = runtime().allocations.find(host as u64);
        let is_host = found.is_some_and(|found| found.kind == MemoryKind::Host);
        match is_host || runtime().registered.find(host as u64).is_some() {
            true => *place = MAPPED,
            false => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }))
}

/// The program promises that its memory stays until `cudaHostUnregister`: copies need not wait for it, and kernels of
/// the virtual GPU reach it.
pub extern "C" fn cudaHostRegister(memory: *mut c_void, bytes: usize, flags: u32) -> i32 {
    let register = || {
        if memory.is_null() || bytes == 0 || flags & !REGISTER_FLAGS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let runtime = runtime();
        let device = runtime.device()?;
        device.check()?;
        let begin = memory as u64;
        let last = begin
            .checked_add(bytes as u64 - 1)
            .ok_or(Code::INVALID_VALUE)?;
        if runtime.registered.overlaps(begin, last) {
            return Err(Code::HOST_REGISTERED);
        }
        let _reached = (device.raw.register_host(begin, bytes)).map_err(device.failed())?;
        runtime.registered.add(Allocation {
            begin,
            size: bytes as u64,
            kind: MemoryKind::Host,
            device: device.number,
            context: device.id,
        });
        Ok(())
    };
    answer(register())
}

/// Ends this promise.
pub extern "C" fn cudaHostUnregister(memory: *mut c_void) -> i32 {
    let unregister = || {
        let runtime = runtime();
        let found = runtime.registered.remove(memory as u64, |_| true);
        let found = found.ok_or(Code::HOST_NOT_REGISTERED)?;
        let device = &runtime.devices()[found.device];
        let done = device.synchronize_all();
        let ended = device.raw.unregister_host(found.begin);
        done.and(ended.map_err(device.failed()))
    };
    answer(unregister())
}
