//! Banded matrices: `gbmv`, `sbmv`, `hbmv`. An element (i, j) of a band lies in row i − j + (diagonals above) of column j.

use std::ffi::{c_int, c_void};

use crate::call::{Call, Operation, conjugate_if, size, triangle};
use crate::level2::symmetric::multiply_elements;
use crate::product::{Symmetry, Triangle, symmetric_element};
use crate::scalar::Scalar;
use crate::status::{Status, answer};

/// y := α op(A) x + βy, A with `below` and `above` diagonals beside the main one.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn gbmv<T: Scalar>(
    handle: *mut c_void,
    operation: c_int,
    rows: c_int,
    columns: c_int,
    below: c_int,
    above: c_int,
    alpha: *const T,
    a: *const T,
    leading: c_int,
    x: *const T,
    x_step: c_int,
    beta: *const T,
    y: *mut T,
    y_step: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let operation = Operation::of(operation)?;
        let (low, high) = (size(below)?, size(above)?);
        let height = below
            .checked_add(above)
            .and_then(|both| both.checked_add(1));
        let height = height.ok_or(Status::INVALID_VALUE)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.factor(alpha)?, call.factor(beta)?) };
        let band = call.matrix(a, height, columns, leading)?;
        size(rows)?;
        let (y_len, x_len) = operation.stored(rows, columns);
        let (x, y) = (
            call.stepped(x, x_len, x_step)?,
            call.stepped(y, y_len, y_step)?,
        );
        call.run(move || {
            let stored =
                |row: usize, column: usize| match row + high >= column && row <= column + low {
                    true => band.get(row + high - column, column),
                    false => T::zero(),
                };
            let element = |row, column| match operation {
                Operation::None => stored(row, column),
                other => conjugate_if(other == Operation::Adjoint, stored(column, row)),
            };
            multiply_elements(alpha.get(), element, x, beta.get(), y);
        })
    };
    answer(update())
}

unsafe fn multiply_symmetric<T: Scalar>(
    (handle, fill): (*mut c_void, c_int),
    (order, diagonals): (c_int, c_int),
    (alpha, beta): (*const T, *const T),
    (a, leading): (*const T, c_int),
    (x, x_step): (*const T, c_int),
    (y, y_step): (*mut T, c_int),
    symmetry: Symmetry,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let triangle = triangle(fill)?;
        let width = size(diagonals)?;
        let height = diagonals.checked_add(1).ok_or(Status::INVALID_VALUE)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.factor(alpha)?, call.factor(beta)?) };
        let band = call.matrix(a, height, order, leading)?;
        let (x, y) = (
            call.stepped(x, order, x_step)?,
            call.stepped(y, order, y_step)?,
        );
        call.run(move || {
            // A column of the band from the diagonal on is a column of the matrix, one row further down: so this is
            // the matrix, of which elements outside of the band are not there.
            let mut matrix = band;
            matrix.column_step -= 1;
            matrix.rows = matrix.columns;
            if triangle == Triangle::Upper {
                matrix.base = matrix.base.wrapping_add(width);
            }
            let element = |row: usize, column: usize| match row.abs_diff(column) <= width {
                true => symmetric_element(matrix, triangle, symmetry, row, column),
                false => T::zero(),
            };
            multiply_elements(alpha.get(), element, x, beta.get(), y);
        })
    };
    answer(update())
}

/// y := αAx + βy, A symmetric.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn sbmv<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    diagonals: c_int,
    alpha: *const T,
    a: *const T,
    leading: c_int,
    x: *const T,
    x_step: c_int,
    beta: *const T,
    y: *mut T,
    y_step: c_int,
) -> c_int {
    let (shape, factors) = ((order, diagonals), (alpha, beta));
    let (a, x, y) = ((a, leading), (x, x_step), (y, y_step));
    // SAFETY: caller.
    unsafe { multiply_symmetric((handle, fill), shape, factors, a, x, y, Symmetry::Symmetric) }
}

/// y := αAx + βy, A Hermitian.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn hbmv<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    diagonals: c_int,
    alpha: *const T,
    a: *const T,
    leading: c_int,
    x: *const T,
    x_step: c_int,
    beta: *const T,
    y: *mut T,
    y_step: c_int,
) -> c_int {
    let (shape, factors) = ((order, diagonals), (alpha, beta));
    let (a, x, y) = ((a, leading), (x, x_step), (y, y_step));
    // SAFETY: caller.
    unsafe { multiply_symmetric((handle, fill), shape, factors, a, x, y, Symmetry::Hermitian) }
}
