//! The functions that make descriptors. `…Init_internal` is what inline functions of cuBLASLt's header call, with the
//! size of the program's record.

use std::ffi::{c_int, c_void};

use super::attributes::{Layout, Operation, Preference, Transform, create, init};

fn operation(compute: c_int, scale: c_int) -> Operation {
    Operation {
        compute,
        scale,
        ..Operation::default()
    }
}

fn layout(kind: c_int, rows: u64, columns: u64, leading: i64) -> Layout {
    Layout {
        kind: kind as u32,
        rows,
        columns,
        leading,
        ..Layout::default()
    }
}

fn transform(scale: c_int) -> Transform {
    Transform {
        scale,
        ..Transform::default()
    }
}

/// A product's descriptor.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create_operation(
    place: *mut *mut c_void,
    compute: c_int,
    scale: c_int,
) -> c_int {
    // SAFETY: caller.
    unsafe { create(place, operation(compute, scale)) }
}

/// The same in the program's memory.
///
/// # Safety
/// The address is null or valid for so many bytes.
pub unsafe extern "C" fn init_operation(
    memory: *mut c_void,
    size: usize,
    compute: c_int,
    scale: c_int,
) -> c_int {
    // SAFETY: caller.
    unsafe { init(memory, size, operation(compute, scale)) }
}

/// A matrix's descriptor.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create_layout(
    place: *mut *mut c_void,
    kind: c_int,
    rows: u64,
    columns: u64,
    leading: i64,
) -> c_int {
    // SAFETY: caller.
    unsafe { create(place, layout(kind, rows, columns, leading)) }
}

/// The same in the program's memory.
///
/// # Safety
/// The address is null or valid for so many bytes.
pub unsafe extern "C" fn init_layout(
    memory: *mut c_void,
    size: usize,
    kind: c_int,
    rows: u64,
    columns: u64,
    leading: i64,
) -> c_int {
    // SAFETY: caller.
    unsafe { init(memory, size, layout(kind, rows, columns, leading)) }
}

/// What the search for an algorithm should heed.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create_preference(place: *mut *mut c_void) -> c_int {
    // SAFETY: caller.
    unsafe { create(place, Preference::default()) }
}

/// The same in the program's memory.
///
/// # Safety
/// The address is null or valid for so many bytes.
pub unsafe extern "C" fn init_preference(memory: *mut c_void, size: usize) -> c_int {
    // SAFETY: caller.
    unsafe { init(memory, size, Preference::default()) }
}

/// The descriptor of a change of order.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create_transform(place: *mut *mut c_void, scale: c_int) -> c_int {
    // SAFETY: caller.
    unsafe { create(place, transform(scale)) }
}

/// The same in the program's memory.
///
/// # Safety
/// The address is null or valid for so many bytes.
pub unsafe extern "C" fn init_transform(memory: *mut c_void, size: usize, scale: c_int) -> c_int {
    // SAFETY: caller.
    unsafe { init(memory, size, transform(scale)) }
}
