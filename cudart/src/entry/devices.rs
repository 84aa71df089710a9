//! Devices.

use std::ffi::{CStr, c_char, c_int};

use crate::cuda_device::CudaDevice;
use crate::entry::place;
use crate::error::{Code, answer};
use crate::properties::DeviceProperties;
use crate::runtime::runtime;

/// The version of CUDA whose interface this is: 12.9.
const VERSION: c_int = 12090;
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
    let device = runtime().device();
    answer(device.and_then(|device| runtime().reset(&device)))
}

/// What a device is, and its limits.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetDeviceProperties_v2(
    properties: *mut DeviceProperties,
    device: c_int,
) -> i32 {
    // SAFETY: caller.
    unsafe { describe(properties, device, size_of::<DeviceProperties>()) }
}

/// The same for programs with CUDA 11's structure, which is shorter.
///
/// # Safety
/// The address is null or valid for that structure.
pub unsafe extern "C" fn cudaGetDeviceProperties(
    properties: *mut DeviceProperties,
    device: c_int,
) -> i32 {
    // SAFETY: caller.
    unsafe { describe(properties, device, DeviceProperties::OLD_SIZE) }
}

/// # Safety
/// The address is null or valid for so many bytes.
unsafe fn describe(properties: *mut DeviceProperties, device: c_int, bytes: usize) -> i32 {
    let ask = || {
        if properties.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let known = DeviceProperties::of(runtime().device_numbered(device)?);
        // SAFETY: the address is valid for so many bytes (caller).
        unsafe {
            std::ptr::copy_nonoverlapping((&raw const known).cast::<u8>(), properties.cast(), bytes)
        };
        Ok(())
    };
    answer(ask())
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
        let properties = DeviceProperties::of(runtime().device_numbered(device)?);
        *place = properties.attribute(attribute).ok_or(Code::INVALID_VALUE)?;
        Ok(())
    };
    answer(ask())
}

/// The device that suits wishes best: the first that has what they ask for, else the first.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaChooseDevice(
    device: *mut c_int,
    wishes: *const DeviceProperties,
) -> i32 {
    let choose = || {
        // SAFETY: caller.
        let (place, wishes) = unsafe { (place(device)?, wishes.as_ref()) };
        let wishes = wishes.ok_or(Code::INVALID_VALUE)?;
        let suits = |device: &CudaDevice| {
            let has = DeviceProperties::of(device);
            has.total_memory >= wishes.total_memory
                && (has.major, has.minor) >= (wishes.major, wishes.minor)
                && has.multiprocessors >= wishes.multiprocessors
        };
        let devices = runtime().devices();
        let found = devices.iter().position(|device| suits(device));
        *place = found.unwrap_or_default() as c_int;
        match devices.is_empty() {
            true => Err(Code::NO_DEVICE),
            false => Ok(()),
        }
    };
    answer(choose())
}

/// The devices that a thread may get. Each thread gets the first.
///
/// # Safety
/// The list has so many entries.
pub unsafe extern "C" fn cudaSetValidDevices(list: *const c_int, count: c_int) -> i32 {
    let set = || {
        let count = usize::try_from(count).map_err(|_| Code::INVALID_VALUE)?;
        if count == 0 {
            return Ok(());
        }
        if list.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let list = unsafe { std::slice::from_raw_parts(list, count) };
        for number in list {
            runtime().device_numbered(*number)?;
        }
        runtime().set_device(list[0])
    };
    answer(set())
}

/// The place of a device on the bus, as text. Those of virtual GPUs are made up.
///
/// # Safety
/// The address is null or valid for so many bytes.
pub unsafe extern "C" fn cudaDeviceGetPCIBusId(
    text: *mut c_char,
    bytes: c_int,
    device: c_int,
) -> i32 {
    let ask = || {
        let known = bus_id(runtime().device_numbered(device)?.number);
        let bytes = usize::try_from(bytes).map_err(|_| Code::INVALID_VALUE)?;
        if text.is_null() || bytes <= known.len() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: there is room for the text and a NUL (caller).
        unsafe {
            std::ptr::copy_nonoverlapping(known.as_ptr().cast(), text, known.len());
            text.add(known.len()).write(0);
        }
        Ok(())
    };
    answer(ask())
}

fn bus_id(number: usize) -> String {
    format!("0000:{number:02x}:00.0")
}

/// The device at a place on the bus.
///
/// # Safety
/// The address is null or valid, and the text is null or a string.
pub unsafe extern "C" fn cudaDeviceGetByPCIBusId(device: *mut c_int, text: *const c_char) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(device)? };
        if text.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let text = unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .to_lowercase();
        let mut numbers = 0..runtime().devices().len();
        let found = numbers.find(|number| bus_id(*number).ends_with(&text));
        *place = found.ok_or(Code::INVALID_DEVICE)? as c_int;
        Ok(())
    };
    answer(ask())
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
