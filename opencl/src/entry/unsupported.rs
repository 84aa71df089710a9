//! What the devices do not have: images, samplers, pipes, built-in kernels, and the objects of
//! other interfaces (GL, EGL, Direct3D, DX9).

use std::ffi::{c_char, c_void};

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::entry::{answer, answered};
use crate::handle::{Raw, get};
use crate::memory::Memory;
use crate::program::Program;

fn in_context(raw: Raw, why: Code) -> Result<Raw> {
    get::<Context>(raw).and(Err(why))
}

/// An image, which needs a device with images.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCreateImage(
    context: Raw,
    _bits: u64,
    _format: *const c_void,
    _description: *const c_void,
    _host: *mut c_void,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { answered(in_context(context, Code::INVALID_OPERATION), code) }
}

/// The same with properties.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCreateImageWithProperties(
    context: Raw,
    _list: *const u64,
    _bits: u64,
    _format: *const c_void,
    _description: *const c_void,
    _host: *mut c_void,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { answered(in_context(context, Code::INVALID_OPERATION), code) }
}

/// The same, of old.
///
/// # Safety
/// `code` is writable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCreateImage2D(
    context: Raw,
    _bits: u64,
    _format: *const c_void,
    _width: usize,
    _height: usize,
    _pitch: usize,
    _host: *mut c_void,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { answered(in_context(context, Code::INVALID_OPERATION), code) }
}

/// The same, of old.
///
/// # Safety
/// `code` is writable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCreateImage3D(
    context: Raw,
    _bits: u64,
    _format: *const c_void,
    _width: usize,
    _height: usize,
    _depth: usize,
    _row: usize,
    _slice: usize,
    _host: *mut c_void,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { answered(in_context(context, Code::INVALID_OPERATION), code) }
}

/// The formats of images: none.
///
/// # Safety
/// `found` is writable or null.
pub unsafe extern "C" fn clGetSupportedImageFormats(
    context: Raw,
    _bits: u64,
    _kind: u32,
    _count: u32,
    _formats: *mut c_void,
    found: *mut u32,
) -> i32 {
    let none = get::<Context>(context).map(|_| {
        if !found.is_null() {
            // SAFETY: caller.
            unsafe { *found = 0 };
        }
    });
    answer(none)
}

/// A sampler, which needs a device with images.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCreateSampler(
    context: Raw,
    _normalised: u32,
    _addressing: u32,
    _filter: u32,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { answered(in_context(context, Code::INVALID_OPERATION), code) }
}

/// The same with properties.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCreateSamplerWithProperties(
    context: Raw,
    _list: *const u64,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { answered(in_context(context, Code::INVALID_OPERATION), code) }
}

/// A pipe, which needs a device with pipes.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCreatePipe(
    context: Raw,
    _bits: u64,
    _packet: u32,
    _packets: u32,
    _list: *const isize,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { answered(in_context(context, Code::INVALID_OPERATION), code) }
}

/// A program of built-in kernels, of which the devices have none.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCreateProgramWithBuiltInKernels(
    context: Raw,
    _count: u32,
    _devices: *const Raw,
    _names: *const c_char,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { answered(in_context(context, Code::INVALID_VALUE), code) }
}

/// A function to call when a program ends, deprecated with constructors of programs.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clSetProgramReleaseCallback(
    raw: Raw,
    _notify: *const c_void,
    _argument: *mut c_void,
) -> i32 {
    answer(get::<Program>(raw).and(Err(Code::INVALID_OPERATION)))
}

/// Says what an image is: no memory object is one.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clGetImageInfo(raw: Raw) -> i32 {
    answer(get::<Memory>(raw).and(Err(Code::INVALID_MEM_OBJECT)))
}

/// An operation on a sampler: there is none.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn no_sampler() -> i32 {
    Code::INVALID_SAMPLER.0
}

/// An operation on an image or a pipe: no memory object is one.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn no_memory_object() -> i32 {
    Code::INVALID_MEM_OBJECT.0
}

/// A mapping of an image.
///
/// # Safety
/// `code` is writable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueMapImage(
    _queue: Raw,
    _image: Raw,
    _blocking: u32,
    _bits: u64,
    _origin: *const usize,
    _region: *const usize,
    _row: *mut usize,
    _slice: *mut usize,
    _count: u32,
    _list: *const Raw,
    _event: *mut Raw,
    code: *mut i32,
) -> *mut c_void {
    // SAFETY: caller.
    unsafe { answered(Err(Code::INVALID_MEM_OBJECT), code) }
}

/// An operation of another interface.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn no_interface() -> i32 {
    Code::INVALID_OPERATION.0
}

/// An object of another interface.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn no_object() -> Raw {
    std::ptr::null_mut()
}
