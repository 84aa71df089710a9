//! Copies of vectors and matrices between host and device: `cublasSetVector` and its like. They need no handle.

use std::ffi::{c_int, c_void};

use cuda_library::cudart::cudart;

use crate::call::size;
use crate::status::{Result, Status, answer};

/// `cudaMemcpyKind`.
#[derive(Clone, Copy)]
enum Direction {
    ToDevice = 1,
    FromDevice = 2,
}

/// Columns of elements, their distance in the source and in the target.
struct Columns {
    bytes: usize,
    count: usize,
    source: usize,
    target: usize,
}

fn transfer(
    columns: &Columns,
    source: *const c_void,
    target: *mut c_void,
    direction: Direction,
    stream: Option<*mut c_void>,
) -> Result<()> {
    let cudart = cudart().ok_or(Status::NOT_INITIALIZED)?;
    if columns.bytes == 0 || columns.count == 0 {
        return Ok(());
    }
    let kind = direction as c_int;
    let Columns {
        bytes,
        count,
        source: from,
        target: to,
    } = *columns;
    // SAFETY: `cudaMemcpy2D` checks addresses of device memory; the program vouches for its own.
    let code = unsafe {
        match stream {
            Some(stream) => {
                (cudart.memcpy_2d_async)(target, to, source, from, bytes, count, kind, stream)
            }
            None => (cudart.memcpy_2d)(target, to, source, from, bytes, count, kind),
        }
    };
    match code {
        0 => Ok(()),
        _ => Err(Status::MAPPING_ERROR),
    }
}

fn vector(count: c_int, element: c_int, from: c_int, to: c_int) -> Result<Columns> {
    let (count, bytes) = (size(count)?, size(element)?);
    if bytes == 0 || from <= 0 || to <= 0 {
        return Err(Status::INVALID_VALUE);
    }
    let (from, to) = (from as usize, to as usize);
    // Elements without gaps are one row.
    Ok(match (from, to) {
        (1, 1) => Columns {
            bytes: bytes * count,
            count: 1,
            source: bytes * count,
            target: bytes * count,
        },
        _ => Columns {
            bytes,
            count,
            source: bytes * from,
            target: bytes * to,
        },
    })
}

fn matrix(rows: c_int, columns: c_int, element: c_int, from: c_int, to: c_int) -> Result<Columns> {
    let (height, count, bytes) = (size(rows)?, size(columns)?, size(element)?);
    if bytes == 0 || from < rows.max(1) || to < rows.max(1) {
        return Err(Status::INVALID_VALUE);
    }
    Ok(Columns {
        bytes: bytes * height,
        count,
        source: bytes * from as usize,
        target: bytes * to as usize,
    })
}

macro_rules! transfers {
    ($($(#[$doc:meta])* $vector:ident $matrix:ident $vector_async:ident $matrix_async:ident = $direction:expr;)*) => {$(
        $(#[$doc])*
        pub extern "C" fn $vector(
            count: c_int, element: c_int, source: *const c_void, from: c_int, target: *mut c_void, to: c_int,
        ) -> c_int {
            let columns = vector(count, element, from, to);
            answer(columns.and_then(|columns| transfer(&columns, source, target, $direction, None)))
        }

        /// A matrix, likewise.
        pub extern "C" fn $matrix(
            rows: c_int, columns: c_int, element: c_int, source: *const c_void, from: c_int, target: *mut c_void,
            to: c_int,
        ) -> c_int {
            let columns = matrix(rows, columns, element, from, to);
            answer(columns.and_then(|columns| transfer(&columns, source, target, $direction, None)))
        }

        /// A vector, in a stream's order.
        pub extern "C" fn $vector_async(
            count: c_int, element: c_int, source: *const c_void, from: c_int, target: *mut c_void, to: c_int,
            stream: *mut c_void,
        ) -> c_int {
            let columns = vector(count, element, from, to);
            answer(columns.and_then(|columns| transfer(&columns, source, target, $direction, Some(stream))))
        }

        /// A matrix, in a stream's order.
        pub extern "C" fn $matrix_async(
            rows: c_int, columns: c_int, element: c_int, source: *const c_void, from: c_int, target: *mut c_void,
            to: c_int, stream: *mut c_void,
        ) -> c_int {
            let columns = matrix(rows, columns, element, from, to);
            answer(columns.and_then(|columns| transfer(&columns, source, target, $direction, Some(stream))))
        }
    )*};
}

transfers! {
    /// A vector to the device.
    set_vector set_matrix set_vector_async set_matrix_async = Direction::ToDevice;
    /// A vector from the device.
    get_vector get_matrix get_vector_async get_matrix_async = Direction::FromDevice;
}
