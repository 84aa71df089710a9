//! What the devices do not have: pipes, built-in kernels, and the objects of other interfaces (GL, EGL, Direct3D, DX9).

use std::ffi::{c_char, c_void};

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::entry::{answer, answered};
use crate::handle::{Raw, get};
use crate::program::Program;

fn in_context(raw: Raw, why: Code) -> Result<Raw> {
    get::<Context>(raw).and(Err(why))
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

/// An operation on a pipe: no memory object is one.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn no_memory_object() -> i32 {
    Code::INVALID_MEM_OBJECT.0
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
