//! Devices.

use std::ffi::{c_char, c_int};

use cudart::cuda_device::CudaDevice;
use cudart::error::{Code, Result, answer};
use cudart::runtime::runtime;

use crate::attributes::HipDeviceProperties;

/// The version of HIP whose interface this is: 6.0.
const VERSION: c_int = 60_000_000;

/// A place that the program gives for a result.
///
/// # Safety
/// The address is null or valid for a `T`.
unsafe fn place<'a, T>(address: *mut T) -> Result<&'a mut T> {
    // SAFETY: caller.
    unsafe { address.as_mut() }.ok_or(Code::INVALID_VALUE)
}

fn device(number: c_int) -> Result<&'static CudaDevice> {
    runtime().device_numbered(number).map(|device| &**device)
}

/// Prepares the library, which needs no preparation.
pub extern "C" fn hipInit(flags: u32) -> i32 {
    answer(match flags {
        0 if runtime().devices().is_empty() => Err(Code::NO_DEVICE),
        0 => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    })
}

/// The version of this library.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn hipRuntimeGetVersion(version: *mut c_int) -> i32 {
    // SAFETY: caller.
    answer(unsafe { place(version) }.map(|place| *place = VERSION))
}

/// What a device is, and its limits.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn hipGetDevicePropertiesR0600(
    properties: *mut HipDeviceProperties,
    number: c_int,
) -> i32 {
    let ask = || {
        if properties.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let known = HipDeviceProperties::of(device(number)?);
        // SAFETY: the address is valid (caller).
        unsafe { properties.write(known) };
        Ok(())
    };
    answer(ask())
}

/// One attribute of a device.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn hipDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    number: c_int,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(value)? };
        let known = HipDeviceProperties::of(device(number)?).attribute(attribute);
        *place = known.ok_or(Code::INVALID_VALUE)?;
        Ok(())
    };
    answer(ask())
}

/// A device's handle: its number.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn hipDeviceGet(handle: *mut c_int, number: c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(handle) };
    answer(place.and_then(|place| {
        *place = device(number)?.number as c_int;
        Ok(())
    }))
}

/// A device's name.
///
/// # Safety
/// The address is null or valid for so many bytes.
pub unsafe extern "C" fn hipDeviceGetName(text: *mut c_char, bytes: c_int, number: c_int) -> i32 {
    let ask = || {
        let name = &device(number)?.raw.info().name;
        let bytes = usize::try_from(bytes).unwrap_or_default();
        if text.is_null() || bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let place = unsafe { std::slice::from_raw_parts_mut(text, bytes) };
        place.fill(0);
        // The last byte stays NUL.
        for (place, byte) in place[..bytes - 1].iter_mut().zip(name.bytes()) {
            *place = byte as c_char;
        }
        Ok(())
    };
    answer(ask())
}

/// Bytes of a device's memory.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn hipDeviceTotalMem(bytes: *mut usize, number: c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(bytes) };
    answer(place.and_then(|place| {
        *place = device(number)?.raw.info().total_memory as usize;
        Ok(())
    }))
}

/// The numbers of a device's architecture.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn hipDeviceComputeCapability(
    major: *mut c_int,
    minor: *mut c_int,
    number: c_int,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let (major, minor) = unsafe { (place(major)?, place(minor)?) };
        let known = HipDeviceProperties::of(device(number)?).common;
        (*major, *minor) = (known.major, known.minor);
        Ok(())
    };
    answer(ask())
}
