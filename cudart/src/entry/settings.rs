//! What a program wishes of a device: limits, flags, caches. And the profiler, which looks on from outside.

use std::cell::Cell;
use std::ffi::c_int;

use crate::entry::place;
use crate::error::{Code, answer};
use crate::runtime::runtime;

/// Remembers a limit. The devices have no such limits: stacks and heaps grow as needed.
pub extern "C" fn cudaDeviceSetLimit(limit: c_int, value: usize) -> i32 {
    let set = || {
        let device = runtime().device()?;
        device.check()?;
        let mut limits = device.limits.lock();
        let place = usize::try_from(limit)
            .ok()
            .and_then(|limit| limits.get_mut(limit));
        *place.ok_or(Code::UNSUPPORTED_LIMIT)? = value;
        Ok(())
    };
    answer(set())
}

/// A limit: as set, or as usual on NVIDIA's GPUs.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceGetLimit(value: *mut usize, limit: c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(value) };
    answer(place.and_then(|place| {
        let device = runtime().device()?;
        device.check()?;
        let limits = device.limits.lock();
        let found = usize::try_from(limit)
            .ok()
            .and_then(|limit| limits.get(limit));
        *place = *found.ok_or(Code::UNSUPPORTED_LIMIT)?;
        Ok(())
    }))
}

thread_local! {
    static FLAGS: Cell<u32> = const { Cell::new(0) };
    static CACHE: Cell<c_int> = const { Cell::new(0) };
    static BANKS: Cell<c_int> = const { Cell::new(0) };
}

/// How the host waits (`cudaDeviceSchedule…`), and `cudaDeviceMapHost`, `…LmemResizeToMax`, `…SyncMemops`.
const FLAGS_KNOWN: u32 = 0x7 | 0x8 | 0x10 | 0x80;
/// `cudaDeviceMapHost`: host memory is always mapped.
const MAP_HOST: u32 = 0x8;

/// Advice on how the host waits for the device.
pub extern "C" fn cudaSetDeviceFlags(flags: u32) -> i32 {
    answer(match flags & !FLAGS_KNOWN {
        0 => {
            FLAGS.set(flags);
            Ok(())
        }
        _ => Err(Code::INVALID_VALUE),
    })
}

/// These flags.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetDeviceFlags(flags: *mut u32) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(flags) };
    answer(place.map(|place| *place = FLAGS.get() | MAP_HOST))
}

/// Prepares a device, without choosing it.
pub extern "C" fn cudaInitDevice(device: c_int, _device_flags: u32, _flags: u32) -> i32 {
    answer(runtime().device_numbered(device).map(drop))
}

/// Advice on how a GPU divides its memory between cache and shared memory.
pub extern "C" fn cudaDeviceSetCacheConfig(preference: c_int) -> i32 {
    answer(runtime().device().and_then(|_| match preference {
        0..=3 => {
            CACHE.set(preference);
            Ok(())
        }
        _ => Err(Code::INVALID_VALUE),
    }))
}

/// This advice.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceGetCacheConfig(preference: *mut c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(preference) };
    answer(place.map(|place| *place = CACHE.get()))
}

/// Advice on the width of the banks of shared memory.
pub extern "C" fn cudaDeviceSetSharedMemConfig(width: c_int) -> i32 {
    answer(runtime().device().and_then(|_| match width {
        0..=2 => {
            BANKS.set(width);
            Ok(())
        }
        _ => Err(Code::INVALID_VALUE),
    }))
}

/// This advice.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceGetSharedMemConfig(width: *mut c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(width) };
    answer(place.map(|place| *place = BANKS.get()))
}

/// Lets go of lines that a cache was to keep: none was.
pub extern "C" fn cudaCtxResetPersistingL2Cache() -> i32 {
    answer(runtime().device().map(drop))
}

/// Has a profiler begin to look on. One that traces the process sees this call.
pub extern "C" fn cudaProfilerStart() -> i32 {
    answer(runtime().device().map(drop))
}

/// Has a profiler look away.
pub extern "C" fn cudaProfilerStop() -> i32 {
    answer(runtime().device().map(drop))
}

/// `cudaDeviceSynchronize` by its old name.
pub extern "C" fn cudaThreadSynchronize() -> i32 {
    crate::entry::devices::cudaDeviceSynchronize()
}

/// `cudaDeviceReset` by its old name.
pub extern "C" fn cudaThreadExit() -> i32 {
    crate::entry::devices::cudaDeviceReset()
}
