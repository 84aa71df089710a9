//! Devices.

use std::ffi::{c_char, c_int};

use plugin_api::DevicePtr;

use crate::abi::DeviceProperties;
use crate::cuda_device::CudaDevice;
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::launch::MAX_BLOCK;
use crate::runtime::runtime;

/// The version of CUDA whose interface this is: 12.8.
const VERSION: c_int = 12080;
/// Bytes of `__constant__` variables, as on every NVIDIA GPU.
const CONSTANT_MEMORY: u32 = 64 << 10;
/// Threads that a multiprocessor of NVIDIA's holds at a time.
const RESIDENT_THREADS: i32 = 2048;

/// The number of devices.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetDeviceCount(count: *mut c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(count) };
    answer(place.and_then(|place| {
        *place = runtime().devices().len() as c_int;
        match *place {
            0 => Err(Code::NO_DEVICE),
            _ => Ok(()),
        }
    }))
}

/// The current device of this thread.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetDevice(device: *mut c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(device) };
    answer(place.and_then(|place| {
        *place = runtime().device()?.number as c_int;
        Ok(())
    }))
}

/// Chooses the current device of this thread.
pub extern "C" fn cudaSetDevice(device: c_int) -> i32 {
    answer(runtime().set_device(device))
}

/// Waits for everything on the current device.
pub extern "C" fn cudaDeviceSynchronize() -> i32 {
    answer(
        runtime()
            .device()
            .and_then(|device| device.synchronize_all()),
    )
}

/// Frees everything on the current device. A device that failed is usable again, if it survived that.
pub extern "C" fn cudaDeviceReset() -> i32 {
    let reset = || -> Result<()> {
        let runtime = runtime();
        let device = runtime.device()?;
        device.reset();
        runtime.forget_streams(device);
        runtime.variables.take_of(device.number);
        for allocation in runtime.allocations.take_of(device.number) {
            let freed = device.raw.free(DevicePtr(allocation.begin));
            freed.map_err(device.failed())?;
        }
        device.check()
    };
    answer(reset())
}

/// A number with which nobody computes.
fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// What a device is, and its limits.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetDeviceProperties_v2(
    properties: *mut DeviceProperties,
    device: c_int,
) -> i32 {
    let ask = || {
        if properties.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let device = runtime().device_numbered(device)?;
        // SAFETY: the address is valid (caller).
        unsafe { properties.write(describe(device)) };
        Ok(())
    };
    answer(ask())
}

fn describe(device: &CudaDevice) -> DeviceProperties {
    let info = device.raw.info();
    // SAFETY: zeros are numbers and an empty name.
    let mut properties: DeviceProperties = unsafe { std::mem::zeroed() };
    // The last byte stays NUL.
    let name = info.name.bytes().take(properties.name.len() - 1);
    for (place, byte) in properties.name.iter_mut().zip(name) {
        *place = byte as c_char;
    }
    let (major, minor) = device.capability();
    DeviceProperties {
        total_memory: info.total_memory as usize,
        shared_per_block: device.usual_shared() as usize,
        warp_size: signed(info.warp_size),
        memory_pitch: i32::MAX as usize,
        max_threads_per_block: signed(info.max_threads_per_block),
        max_block: MAX_BLOCK.map(signed),
        max_grid: info.max_blocks.map(signed),
        constant_memory: CONSTANT_MEMORY as usize,
        major,
        minor,
        overlap: 1,
        multiprocessors: signed(info.multiprocessors),
        maps_host_memory: 1,
        concurrent_kernels: 1,
        copy_engines: 1,
        unified_addressing: 1,
        threads_per_multiprocessor: RESIDENT_THREADS,
        shared_per_multiprocessor: info.max_shared_memory as usize,
        managed_memory: 1,
        shared_per_block_optin: info.max_shared_memory as usize,
        ..properties
    }
}

/// One attribute of a device.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(value)? };
        let device = runtime().device_numbered(device)?;
        *place = self::attribute(device, attribute).ok_or(Code::INVALID_VALUE)?;
        Ok(())
    };
    answer(ask())
}

/// The attribute of a number of `cudaDeviceAttr`; `None` if CUDA 12 has none of that number. No plugin tells the clocks'
/// rates (13, 36), but programs divide by them.
fn attribute(device: &CudaDevice, number: c_int) -> Option<c_int> {
    let info = device.raw.info();
    let (major, minor) = device.capability();
    Some(match number {
        1 => signed(info.max_threads_per_block),
        2..=4 => signed(MAX_BLOCK[number as usize - 2]),
        5..=7 => signed(info.max_blocks[number as usize - 5]),
        8 => signed(device.usual_shared()),
        9 => signed(CONSTANT_MEMORY),
        10 => signed(info.warp_size),
        11 => c_int::MAX,
        12 | 82 => 65_536,
        13 | 36 => 1_000_000,
        // Copies beside kernels, by one engine.
        15 | 40 => 1,
        16 => signed(info.multiprocessors),
        37 => 256,
        39 => RESIDENT_THREADS,
        81 => signed(info.max_shared_memory),
        // Cooperative launches.
        95 => 1,
        // Neither integrated nor for some processes alone.
        18 | 20 => 0,
        // Memory of `cudaHostAlloc` is mapped; kernels run beside each other; addresses are unified.
        19 | 31 | 41 => 1,
        75 => major,
        76 => minor,
        // Managed memory.
        83 => 1,
        97 => signed(info.max_shared_memory),
        106 => RESIDENT_THREADS / 32,
        1..=144 => 0,
        _ => return None,
    })
}

/// The priorities that streams of the current device may have: one.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaDeviceGetStreamPriorityRange(
    least: *mut c_int,
    greatest: *mut c_int,
) -> i32 {
    let ask = || {
        runtime().device()?.check()?;
        for address in [least, greatest] {
            // SAFETY: caller. A program may ask for one of the two.
            if let Some(place) = unsafe { address.as_mut() } {
                *place = 0;
            }
        }
        Ok(())
    };
    answer(ask())
}

/// Whether kernels of a device reach memory of another one: they do not. Copies between devices go on their own.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceCanAccessPeer(
    can: *mut c_int,
    device: c_int,
    peer: c_int,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(can)? };
        let runtime = runtime();
        runtime.device_numbered(device)?;
        runtime.device_numbered(peer)?;
        *place = 0;
        Ok(())
    };
    answer(ask())
}

/// The version of the driver: there is none, and this serves.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDriverGetVersion(version: *mut c_int) -> i32 {
    // SAFETY: caller.
    answer(unsafe { place(version) }.map(|place| *place = VERSION))
}

/// The version of this library.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaRuntimeGetVersion(version: *mut c_int) -> i32 {
    // SAFETY: caller.
    answer(unsafe { place(version) }.map(|place| *place = VERSION))
}
