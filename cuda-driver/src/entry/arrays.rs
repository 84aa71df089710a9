//! Arrays.

use std::ffi::c_void;

use cudart::entry::arrays::{
    array, cudaFreeArray, cudaFreeMipmappedArray, cudaGetMipmappedArrayLevel, cudaMalloc3DArray,
    cudaMallocMipmappedArray,
};
use cudart::error::{Code, Result, without_trace};

use crate::contexts;
use crate::entry::{in_context, outcome, place};
use crate::status::answer;
use crate::texture::array::{Plane, Volume};

/// # Safety
/// The addresses are null or valid.
unsafe fn make(
    handle: *mut *mut c_void,
    described: Option<Volume>,
    levels: Option<u32>,
) -> Result<()> {
    contexts::current()?;
    let (texels, extent, flags) = described.ok_or(Code::INVALID_VALUE)?.parts()?;
    // SAFETY: caller.
    outcome(without_trace(|| unsafe {
        match levels {
            Some(levels) => cudaMallocMipmappedArray(handle, &texels, extent, levels, flags),
            None => cudaMalloc3DArray(handle, &texels, extent, flags),
        }
    }))
}

/// Makes an array of one or two dimensions.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayCreate_v2(
    handle: *mut *mut c_void,
    described: *const Plane,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { make(handle, described.as_ref().map(|it| (*it).into()), None) })
}

/// Makes an array of up to three dimensions, or of layers.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DCreate_v2(
    handle: *mut *mut c_void,
    described: *const Volume,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { make(handle, described.as_ref().copied(), None) })
}

/// Makes an array with levels.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayCreate(
    handle: *mut *mut c_void,
    described: *const Volume,
    levels: u32,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { make(handle, described.as_ref().copied(), Some(levels)) })
}

/// What an array is. One with a depth has more than this says.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayGetDescriptor_v2(
    described: *mut Plane,
    handle: *mut c_void,
) -> i32 {
    let tell = || {
        contexts::current()?;
        // SAFETY: caller.
        let place = unsafe { place(described)? };
        *place = Volume::of(&*array(handle)?)
            .plane()
            .ok_or(Code::INVALID_VALUE)?;
        Ok(())
    };
    answer(tell())
}

/// What an array is.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DGetDescriptor_v2(
    described: *mut Volume,
    handle: *mut c_void,
) -> i32 {
    let tell = || {
        contexts::current()?;
        // SAFETY: caller.
        let place = unsafe { place(described)? };
        *place = Volume::of(&*array(handle)?);
        Ok(())
    };
    answer(tell())
}

/// Destroys an array, when every operation that may use it is complete.
#[unsafe(no_mangle)]
pub extern "C" fn cuArrayDestroy(handle: *mut c_void) -> i32 {
    answer(destroy(handle, cudaFreeArray))
}

/// Destroys an array with levels.
#[unsafe(no_mangle)]
pub extern "C" fn cuMipmappedArrayDestroy(handle: *mut c_void) -> i32 {
    answer(destroy(handle, cudaFreeMipmappedArray))
}

fn destroy(handle: *mut c_void, free: extern "C" fn(*mut c_void) -> i32) -> Result<()> {
    contexts::current()?;
    // The runtime's functions take null for nothing.
    array(handle)?;
    outcome(without_trace(|| free(handle)))
}

/// A level of an array.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayGetLevel(
    level: *mut *mut c_void,
    mipmapped: *mut c_void,
    number: u32,
) -> i32 {
    // SAFETY: caller.
    in_context(|| unsafe { cudaGetMipmappedArrayLevel(level, mipmapped, number) })
}
