//! Devices. A device's handle is its number.

use std::ffi::{c_char, c_int, c_void};

use cudart::cuda_device::CudaDevice;
use cudart::error::{Code, Result};
use cudart::properties::DeviceProperties;
use cudart::runtime::runtime;

use crate::contexts;
use crate::entry::{forward, place, started};
use crate::status::answer;

fn device(number: c_int) -> Result<&'static CudaDevice> {
    contexts::started()?;
    runtime().device_numbered(number).map(|device| &**device)
}

/// The number of devices.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> i32 {
    let ask = || {
        contexts::started()?;
        // SAFETY: caller.
        *unsafe { place(count)? } = runtime().devices().len() as c_int;
        Ok(())
    };
    answer(ask())
}

/// A device.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(handle: *mut c_int, ordinal: c_int) -> i32 {
    let ask = || {
        let number = device(ordinal)?.number;
        // SAFETY: caller.
        *unsafe { place(handle)? } = number as c_int;
        Ok(())
    };
    answer(ask())
}

/// Its name, cut to the room there is.
///
/// # Safety
/// The address is null or valid for so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(text: *mut c_char, bytes: c_int, number: c_int) -> i32 {
    let ask = || {
        let known = &device(number)?.raw.info().name;
        if text.is_null() || bytes <= 0 {
            return Err(Code::INVALID_VALUE);
        }
        let len = known.len().min(bytes as usize - 1);
        // SAFETY: there is room for so much and a NUL (caller).
        unsafe {
            std::ptr::copy_nonoverlapping(known.as_ptr().cast(), text, len);
            text.add(len).write(0);
        }
        Ok(())
    };
    answer(ask())
}

/// Bytes of a `CUuuid`.
type Uuid = [u8; 16];

/// A number that no other device has.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid(uuid: *mut Uuid, number: c_int) -> i32 {
    let ask = || {
        let properties = DeviceProperties::of(device(number)?);
        // SAFETY: caller.
        *unsafe { place(uuid)? } = properties.uuid;
        Ok(())
    };
    answer(ask())
}

/// The same.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid_v2(uuid: *mut Uuid, number: c_int) -> i32 {
    // SAFETY: caller.
    unsafe { cuDeviceGetUuid(uuid, number) }
}

/// Its memory in bytes.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, number: c_int) -> i32 {
    let ask = || {
        let total = device(number)?.raw.info().total_memory;
        // SAFETY: caller.
        *unsafe { place(bytes)? } = total as usize;
        Ok(())
    };
    answer(ask())
}

/// `CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED`.
const VIRTUAL_MEMORY: c_int = 102;
/// `CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED`.
const DESCRIPTORS: c_int = 103;
/// Attributes that only the driver's interface has, such as sparse arrays and memory of several hosts. There is none.
const ABSENT: std::ops::Range<c_int> = 92..160;

/// One of its attributes.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    number: c_int,
) -> i32 {
    let ask = || {
        let properties = DeviceProperties::of(device(number)?);
        let known = match attribute {
            VIRTUAL_MEMORY | DESCRIPTORS => {
                let has_one = device(number)?.raw.address_space().is_some();
                Some(c_int::from(has_one))
            }
            _ => properties.attribute(attribute),
        };
        let known = known.or_else(|| ABSENT.contains(&attribute).then_some(0));
        // SAFETY: caller.
        *unsafe { place(value)? } = known.ok_or(Code::INVALID_VALUE)?;
        Ok(())
    };
    answer(ask())
}

/// Compute capability.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceComputeCapability(
    major: *mut c_int,
    minor: *mut c_int,
    number: c_int,
) -> i32 {
    let ask = || {
        let known = device(number)?.capability();
        // SAFETY: caller.
        (*unsafe { place(major)? }, *unsafe { place(minor)? }) = known;
        Ok(())
    };
    answer(ask())
}

/// `CUdevprop`.
#[repr(C)]
pub struct Properties {
    max_threads: c_int,
    max_block: [c_int; 3],
    max_grid: [c_int; 3],
    shared: c_int,
    constant_memory: c_int,
    warp_size: c_int,
    pitch: c_int,
    registers: c_int,
    clock_rate: c_int,
    texture_alignment: c_int,
}

/// What a device is, as the first versions told.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetProperties(properties: *mut Properties, number: c_int) -> i32 {
    let ask = || {
        let known = DeviceProperties::of(device(number)?);
        let one = |attribute| known.attribute(attribute).unwrap_or_default();
        // SAFETY: caller.
        *unsafe { place(properties)? } = Properties {
            max_threads: one(1),
            max_block: [one(2), one(3), one(4)],
            max_grid: [one(5), one(6), one(7)],
            shared: one(8),
            constant_memory: one(9),
            warp_size: one(10),
            pitch: one(11),
            registers: one(12),
            clock_rate: one(13),
            texture_alignment: one(14),
        };
        Ok(())
    };
    answer(ask())
}

/// Whether contexts can be limited to some multiprocessors: they cannot.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetExecAffinitySupport(
    value: *mut c_int,
    _kind: c_int,
    number: c_int,
) -> i32 {
    let ask = || {
        device(number)?;
        // SAFETY: caller.
        *unsafe { place(value)? } = 0;
        Ok(())
    };
    answer(ask())
}

forward! {
    started;
    /// Its place on the bus.
    cuDeviceGetPCIBusId = devices::cudaDeviceGetPCIBusId(text: *mut c_char, bytes: c_int, device: c_int);
    /// The device at a place on the bus.
    cuDeviceGetByPCIBusId = devices::cudaDeviceGetByPCIBusId(device: *mut c_int, text: *const c_char);
    /// Its own pool of memory.
    cuDeviceGetDefaultMemPool = pools::cudaDeviceGetDefaultMemPool(pool: *mut *mut c_void, device: c_int);
    /// The pool that `cuMemAllocAsync` uses.
    cuDeviceGetMemPool = pools::cudaDeviceGetMemPool(pool: *mut *mut c_void, device: c_int);
    /// Chooses that pool.
    cuDeviceSetMemPool = pools::cudaDeviceSetMemPool(device: c_int, pool: *mut c_void);
}
