//! Triangles as packed columns, and as parts of matrices: `tpttr`, `trttp`.

use std::ffi::{c_int, c_void};

use crate::call::{Call, Target, size, triangle};
use crate::operands::Matrix;
use crate::product::Triangle;
use crate::scalar::Scalar;
use crate::status::{Result, answer};

/// The places of a triangle, column by column: row, column.
fn places(order: usize, triangle: Triangle) -> impl Iterator<Item = (usize, usize)> {
    (0..order).flat_map(move |column| {
        let rows = match triangle {
            Triangle::Lower => column..order,
            Triangle::Upper => 0..column + 1,
        };
        rows.map(move |row| (row, column))
    })
}

/// A call with a matrix and a packed triangle of it.
fn both<T>(
    (handle, order): (*mut c_void, c_int),
    (a, leading): (*const T, c_int),
    packed: *const T,
) -> Result<(Call, Matrix<T>, Target<T>)> {
    let call = Call::of(handle)?;
    let count = size(order)?;
    let matrix = call.matrix(a, order, order, leading)?;
    let packed = call.elements(packed, count * (count + 1) / 2)?;
    Ok((call, matrix, packed))
}

/// A's triangle := the packed one.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn tpttr<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    packed: *const T,
    a: *mut T,
    leading: c_int,
) -> c_int {
    let update = || {
        let triangle = triangle(fill)?;
        let (call, matrix, packed) = both((handle, order), (a, leading), packed)?;
        call.run(move || {
            for (index, (row, column)) in places(matrix.rows, triangle).enumerate() {
                // SAFETY: the triangle was checked as a whole.
                matrix.set(row, column, unsafe { { packed }.read(index) });
            }
        })
    };
    answer(update())
}

/// The packed triangle := A's.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn trttp<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    a: *const T,
    leading: c_int,
    packed: *mut T,
) -> c_int {
    let update = || {
        let triangle = triangle(fill)?;
        let (call, matrix, packed) = both((handle, order), (a, leading), packed)?;
        call.run(move || {
            for (index, (row, column)) in places(matrix.rows, triangle).enumerate() {
                // SAFETY: the triangle was checked as a whole.
                unsafe { { packed }.write(index, matrix.get(row, column)) }
            }
        })
    };
    answer(update())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_are_packed_by_columns() {
        let lower: Vec<_> = places(3, Triangle::Lower).collect();
        assert_eq!(lower, [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2)]);
        let upper: Vec<_> = places(3, Triangle::Upper).collect();
        assert_eq!(upper, [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]);
    }
}
