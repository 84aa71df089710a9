//! The functions about algorithms. There is one, which needs no memory to work with; its settings change nothing.

use std::ffi::{c_int, c_void};

use super::attributes::{Algorithm, Layout, Operation, Preference, Record, hand_out, init, record};
use super::entry::is_handle;
use super::plan::{Layouts, Plan};
use crate::status::{Result, Status, answer};

/// `cublasLtMatmulHeuristicResult_t`.
#[repr(C)]
pub struct Found {
    algorithm: [u64; 8],
    workspace: usize,
    state: c_int,
    waves: f32,
    reserved: [c_int; 4],
}

impl Found {
    fn one() -> Found {
        let mut found = Found {
            algorithm: [0; 8],
            workspace: 0,
            state: 0,
            waves: 1.0,
            reserved: [0; 4],
        };
        let place = (&raw mut found.algorithm).cast();
        // SAFETY: the place has the size of a record.
        unsafe { init(place, Algorithm::SIZE, Algorithm::default()) };
        found
    }
}

/// The plan of descriptors.
///
/// # Safety
/// The descriptors are null or the program's.
pub unsafe fn plan(
    descriptor: *const c_void,
    layouts: [*const c_void; 4],
) -> Result<(Plan, Operation, Layouts)> {
    // SAFETY: caller.
    let descriptor = unsafe { record::<Operation>(descriptor) }?;
    // SAFETY: caller.
    let [a, b, c, d] = layouts.map(|layout| unsafe { record::<Layout>(layout) });
    let layouts = [a?, b?, c?, d?];
    Ok((Plan::of(&descriptor, &layouts)?, descriptor, layouts))
}

/// The algorithms for a product, the best one first.
///
/// # Safety
/// The addresses are as cuBLASLt wants them.
pub unsafe extern "C" fn heuristic(
    handle: *mut c_void,
    descriptor: *const c_void,
    a: *const c_void,
    b: *const c_void,
    c: *const c_void,
    d: *const c_void,
    preference: *const c_void,
    wanted: c_int,
    results: *mut Found,
    count: *mut c_int,
) -> c_int {
    let find = || {
        // SAFETY: caller.
        let count = unsafe { count.as_mut() }.ok_or(Status::INVALID_VALUE)?;
        *count = 0;
        is_handle(handle)?;
        if wanted < 1 || results.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: caller.
        unsafe {
            record::<Preference>(preference)?;
            plan(descriptor, [a, b, c, d])?;
            results.write(Found::one());
        }
        *count = 1;
        Ok(())
    };
    answer(find())
}

/// The numbers of the algorithms for types.
///
/// # Safety
/// The addresses are as cuBLASLt wants them.
pub unsafe extern "C" fn ids(
    handle: *mut c_void,
    _compute: c_int,
    _scale: c_int,
    _a: c_int,
    _b: c_int,
    _c: c_int,
    _d: c_int,
    wanted: c_int,
    numbers: *mut c_int,
    count: *mut c_int,
) -> c_int {
    let list = || {
        is_handle(handle)?;
        // SAFETY: caller.
        let count = unsafe { count.as_mut() }.ok_or(Status::INVALID_VALUE)?;
        if wanted < 1 || numbers.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: caller.
        unsafe { numbers.write(0) };
        *count = 1;
        Ok(())
    };
    answer(list())
}

/// An algorithm by its number.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn init_algorithm(
    handle: *mut c_void,
    _compute: c_int,
    _scale: c_int,
    _a: c_int,
    _b: c_int,
    _c: c_int,
    _d: c_int,
    number: c_int,
    algorithm: *mut c_void,
) -> c_int {
    let make = || {
        is_handle(handle)?;
        match number == 0 && !algorithm.is_null() {
            true => Ok(()),
            false => Err(Status::INVALID_VALUE),
        }
    };
    match make() {
        // SAFETY: caller.
        Ok(()) => unsafe { init(algorithm, Algorithm::SIZE, Algorithm::default()) },
        Err(status) => status.0,
    }
}

/// Whether an algorithm serves for a product.
///
/// # Safety
/// The addresses are as cuBLASLt wants them.
pub unsafe extern "C" fn check(
    handle: *mut c_void,
    descriptor: *const c_void,
    a: *const c_void,
    b: *const c_void,
    c: *const c_void,
    d: *const c_void,
    algorithm: *const c_void,
    result: *mut Found,
) -> c_int {
    let check = || {
        is_handle(handle)?;
        // SAFETY: caller.
        unsafe {
            record::<Algorithm>(algorithm)?;
            plan(descriptor, [a, b, c, d])?;
            let result = result.as_mut().ok_or(Status::INVALID_VALUE)?;
            *result = Found::one();
            // The settings that the program has made stay.
            std::ptr::copy_nonoverlapping(algorithm.cast(), &raw mut result.algorithm, 1);
        }
        Ok(())
    };
    answer(check())
}

/// What an algorithm can do.
///
/// # Safety
/// The addresses are as cuBLASLt wants them.
pub unsafe extern "C" fn capability(
    algorithm: *const c_void,
    attribute: c_int,
    value: *mut c_void,
    size: usize,
    written: *mut usize,
) -> c_int {
    let ask = || {
        // SAFETY: caller.
        unsafe { record::<Algorithm>(algorithm) }?;
        let bytes: Vec<u8> = match attribute {
            // No parts of sums, no reductions, no swizzling, no triangles, tiles, custom settings or stages to choose.
            0 | 1 | 2 | 5 | 6 | 7 | 13 | 14 | 20 => 0_u32.to_ne_bytes().into(),
            // Batches, results in another place, other orders.
            3 | 4 | 10 => 1_u32.to_ne_bytes().into(),
            // All modes of pointers, and all epilogues.
            11 => 31_u32.to_ne_bytes().into(),
            12 => 0x3FF_u32.to_ne_bytes().into(),
            // Multiplications and additions of the host.
            15 => 1_u64.to_ne_bytes().into(),
            // Any alignment of elements.
            16..=19 => 1_u32.to_ne_bytes().into(),
            _ => return Err(Status::INVALID_VALUE),
        };
        let is_list = matches!(attribute, 6 | 13);
        // Of a list, programs take as much as they have room for.
        let room = if is_list && size > bytes.len() {
            bytes.len()
        } else {
            size
        };
        // SAFETY: caller.
        unsafe { hand_out(&bytes, value, room, written) }
    };
    answer(ask())
}
