//! Programs in an intermediate language, SPIR-V.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::compile::spirv;
use crate::context::Context;
use crate::entry::{answer, created};
use crate::handle::{Raw, create, get};
use crate::program::Program;

/// A program in SPIR-V.
///
/// # Safety
/// `bytes` is readable for `length` bytes or null, `code` is writable or null.
pub unsafe extern "C" fn clCreateProgramWithIL(
    context: Raw,
    bytes: *const c_void,
    length: usize,
    code: *mut i32,
) -> Raw {
    let made = || {
        let context = get::<Context>(context)?;
        if !spirv::is_available() {
            return Err(Code::INVALID_OPERATION);
        }
        if bytes.is_null() || length == 0 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) };
        let il = spirv::Source::new(bytes.to_vec())?;
        Ok(create(Program::of_il(context, il)))
    };
    // SAFETY: caller.
    unsafe { created(made(), code) }
}

/// Sets a constant of a program in SPIR-V, for the next build.
///
/// # Safety
/// `value` is readable for `size` bytes or null.
pub unsafe extern "C" fn clSetProgramSpecializationConstant(
    raw: Raw,
    id: u32,
    size: usize,
    value: *const c_void,
) -> i32 {
    let set = || -> Result<()> {
        let program = get::<Program>(raw)?;
        if !spirv::is_available() {
            return Err(Code::INVALID_OPERATION);
        }
        let il = program.il.as_ref().ok_or(Code::INVALID_PROGRAM)?;
        let expected = il.size_of(id).ok_or(Code::INVALID_SPEC_ID)?;
        if value.is_null() || size != expected {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        il.set(id, unsafe {
            std::slice::from_raw_parts(value.cast(), size)
        })
    };
    answer(set())
}
