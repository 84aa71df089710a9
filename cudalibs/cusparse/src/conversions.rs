//! Sparse matrices to dense ones, and back.

use std::ffi::{c_int, c_void};

use cuda_library::elements::Complex64;

use crate::call::Call;
use crate::descriptors::{DenseMatrix, Described, Format, SparseMatrix};
use crate::products::some;
use crate::status::{Result, Status, answer};

/// Memory for a conversion.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn conversion_size(
    handle: *mut c_void,
    _a: *const c_void,
    _b: *mut c_void,
    _algorithm: c_int,
    bytes: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { some(handle, bytes) }
}

/// B := A, B dense.
pub extern "C" fn sparse_to_dense(
    handle: *mut c_void,
    a: *const c_void,
    b: *mut c_void,
    _algorithm: c_int,
    _memory: *mut c_void,
) -> c_int {
    let convert = || {
        let call = Call::of(handle)?;
        let (a, b) = (SparseMatrix::copy_of(a)?, DenseMatrix::copy_of(b)?);
        if a.shape != b.shape {
            return Err(Status::INVALID_VALUE);
        }
        a.check(&call)?;
        b.check(&call)?;
        call.run(move || {
            for row in 0..b.shape.0 {
                for column in 0..b.shape.1 {
                    b.values.set(b.index(row, column), Complex64::ZERO);
                }
            }
            a.visit(|row, column, number| {
                b.values
                    .set(b.index(row, column), a.values.get::<Complex64>(number));
            });
        })
    };
    answer(convert())
}

/// Calls something with each element that is not zero, in the order of a format, and after each list with nothing.
fn visit(a: &DenseMatrix, format: Format, mut each: impl FnMut(Option<(usize, usize, Complex64)>)) {
    let (lists, len) = match format {
        Format::Columns => (a.shape.1, a.shape.0),
        _ => a.shape,
    };
    for list in 0..lists {
        for place in 0..len {
            let (row, column) = if format == Format::Columns {
                (place, list)
            } else {
                (list, place)
            };
            let value = a.values.get::<Complex64>(a.index(row, column));
            if value != Complex64::ZERO {
                each(Some((row, column, value)));
            }
        }
        each(None);
    }
}

fn operands(call: &Call, a: *const c_void, b: *mut c_void) -> Result<(DenseMatrix, SparseMatrix)> {
    let (a, b) = (DenseMatrix::copy_of(a)?, SparseMatrix::copy_of(b)?);
    if a.shape != b.shape {
        return Err(Status::INVALID_VALUE);
    }
    a.check(call)?;
    Ok((a, b))
}

/// Counts the elements of B := A, and writes where B's rows or columns begin.
pub extern "C" fn dense_to_sparse_analysis(
    handle: *mut c_void,
    a: *const c_void,
    b: *mut c_void,
    _algorithm: c_int,
    _memory: *mut c_void,
) -> c_int {
    let count = || {
        let call = Call::of(handle)?;
        let (a, sparse) = operands(&call, a, b)?;
        if sparse.format != Format::Coordinates {
            sparse.offsets.check(&call, sparse.lists() + 1)?;
        }
        let target = SparseMatrix::of(b)?;
        call.run_now(move || {
            let (mut count, mut list) = (0, 0);
            let has_offsets = sparse.format != Format::Coordinates;
            if has_offsets {
                sparse.offsets.set(0, 0);
            }
            visit(&a, sparse.format, |element| match element {
                Some(_) => count += 1,
                None if has_offsets => {
                    list += 1;
                    sparse.offsets.set(list, count);
                }
                None => {}
            });
            target.lock().count = count;
        })
    };
    answer(count())
}

/// B := A, B sparse.
pub extern "C" fn dense_to_sparse(
    handle: *mut c_void,
    a: *const c_void,
    b: *mut c_void,
    _algorithm: c_int,
    _memory: *mut c_void,
) -> c_int {
    let convert = || {
        let call = Call::of(handle)?;
        let (a, b) = operands(&call, a, b)?;
        b.check(&call)?;
        call.run(move || {
            let mut number = 0;
            visit(&a, b.format, |element| {
                // What has changed since the elements were counted must not go beyond the memory.
                let Some((row, column, value)) = element.filter(|_| number < b.count) else {
                    return;
                };
                match b.format {
                    Format::Columns => b.indices.set(number, row),
                    _ => b.indices.set(number, column),
                }
                if b.format == Format::Coordinates {
                    b.offsets.set(number, row);
                }
                b.values.set(number, value);
                number += 1;
            });
        })
    };
    answer(convert())
}
