//! Arrays.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use plugin_api::{DevicePtr, MemoryKind};

use crate::abi::Size;
use crate::entry::memory::allocate_on;
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::runtime::runtime;
use crate::texture::abi::ChannelFormat;
use crate::texture::array::{Array, Plan};
use crate::texture::format::Format;
use crate::texture::object::MAX_ROW;

/// The array of a handle.
pub fn array(handle: *const c_void) -> Result<Arc<Array>> {
    let found = runtime().arrays.get(handle as usize);
    found.ok_or(Code::INVALID_HANDLE)
}

/// Makes an array on the current device.
///
/// # Safety
/// The addresses are null or valid.
unsafe fn make(
    handle: *mut *mut c_void,
    described: *const ChannelFormat,
    extent: Size,
    flags: u32,
    levels: Option<u32>,
) -> Result<()> {
    // SAFETY: caller.
    let (handle, described) = unsafe { (place(handle)?, described.as_ref()) };
    let described = *described.ok_or(Code::INVALID_VALUE)?;
    let format = Format::of(&described)?;
    let mut plan = Plan::of(format, extent, flags, levels.unwrap_or(1))?;
    let runtime = runtime();
    let device = runtime.device()?;
    device.check()?;
    let memory = allocate_on(&device, plan.bytes, MemoryKind::Device)? as u64;
    plan.levels
        .iter_mut()
        .for_each(|level| level.address += memory);
    let array = Array {
        device: device.number,
        described,
        format,
        extent,
        flags,
        levels: plan.levels,
        layers: plan.layers,
        is_mipmapped: levels.is_some(),
        is_level: false,
        handles: Default::default(),
    };
    *handle = runtime.arrays.add(Arc::new(array)) as *mut c_void;
    Ok(())
}

/// Makes an array of one or two dimensions.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaMallocArray(
    array: *mut *mut c_void,
    described: *const ChannelFormat,
    width: usize,
    height: usize,
    flags: u32,
) -> i32 {
    let extent = Size {
        x: width,
        y: height,
        z: 0,
    };
    // SAFETY: caller.
    answer(unsafe { make(array, described, extent, flags, None) })
}

/// Makes an array of up to three dimensions, or of layers.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaMalloc3DArray(
    array: *mut *mut c_void,
    described: *const ChannelFormat,
    extent: Size,
    flags: u32,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { make(array, described, extent, flags, None) })
}

/// Makes an array with levels.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaMallocMipmappedArray(
    array: *mut *mut c_void,
    described: *const ChannelFormat,
    extent: Size,
    levels: u32,
    flags: u32,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { make(array, described, extent, flags, Some(levels)) })
}

fn free(handle: *mut c_void, is_mipmapped: bool) -> Result<()> {
    if handle.is_null() {
        return Ok(());
    }
    let array = array(handle)?;
    if array.is_mipmapped != is_mipmapped || array.is_level {
        return Err(Code::INVALID_HANDLE);
    }
    let runtime = runtime();
    runtime.arrays.remove(handle as usize);
    for level in array.handles.lock().values() {
        runtime.arrays.remove(*level);
    }
    let begin = array.levels[0].address;
    let found = runtime.allocations.remove(begin, |_| true);
    found.ok_or(Code::INVALID_HANDLE)?;
    let device = &runtime.devices()[array.device];
    device.synchronize_all()?;
    device.raw.free(DevicePtr(begin)).map_err(device.failed())
}

/// Frees an array, when every operation that may use it is complete.
pub extern "C" fn cudaFreeArray(array: *mut c_void) -> i32 {
    answer(free(array, false))
}

/// Frees an array with levels.
pub extern "C" fn cudaFreeMipmappedArray(array: *mut c_void) -> i32 {
    answer(free(array, true))
}

/// A level of an array.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetMipmappedArrayLevel(
    level: *mut *mut c_void,
    mipmapped: *const c_void,
    number: u32,
) -> i32 {
    let get = || {
        // SAFETY: caller.
        let place = unsafe { place(level)? };
        let whole = array(mipmapped)?;
        if !whole.is_mipmapped {
            return Err(Code::INVALID_HANDLE);
        }
        let mut handles = whole.handles.lock();
        let handle = match handles.get(&number) {
            Some(handle) => *handle,
            None => {
                let handle = runtime().arrays.add(Arc::new(whole.level(number)?));
                *handles.entry(number).or_insert(handle)
            }
        };
        *place = handle as *mut c_void;
        Ok(())
    };
    answer(get())
}

/// What an array is.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaArrayGetInfo(
    described: *mut ChannelFormat,
    extent: *mut Size,
    flags: *mut u32,
    handle: *mut c_void,
) -> i32 {
    let tell = || {
        let array = array(handle)?;
        // SAFETY: caller.
        unsafe {
            if let Some(place) = described.as_mut() {
                *place = array.described;
            }
            if let Some(place) = extent.as_mut() {
                *place = array.extent;
            }
            if let Some(place) = flags.as_mut() {
                *place = array.flags;
            }
        }
        Ok(())
    };
    answer(tell())
}

/// A plane of an array of a video's format: there are none.
pub extern "C" fn cudaArrayGetPlane(
    _plane: *mut *mut c_void,
    _array: *mut c_void,
    _number: u32,
) -> i32 {
    answer(Err(Code::INVALID_VALUE))
}

/// What the texels of an array are.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetChannelDesc(
    described: *mut ChannelFormat,
    handle: *const c_void,
) -> i32 {
    let tell = || {
        // SAFETY: caller.
        let place = unsafe { place(described)? };
        *place = array(handle)?.described;
        Ok(())
    };
    answer(tell())
}

/// Describes texels.
pub extern "C" fn cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    kind: c_int,
) -> ChannelFormat {
    ChannelFormat {
        bits: [x, y, z, w],
        kind,
    }
}

/// The longest row of memory that a texture can be.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaDeviceGetTexture1DLinearMaxWidth(
    width: *mut usize,
    described: *const ChannelFormat,
    device: c_int,
) -> i32 {
    let tell = || {
        // SAFETY: caller.
        let (place, described) = unsafe { (place(width)?, described.as_ref()) };
        Format::of(described.ok_or(Code::INVALID_VALUE)?)?;
        runtime().device_numbered(device)?;
        *place = MAX_ROW;
        Ok(())
    };
    answer(tell())
}
