//! Triangular matrices: `trmm`, `trsm`, of one pair or of many.

use std::ffi::{c_int, c_void};

use crate::batched::pointers::Batch;
use crate::call::{Call, is_right, size};
use crate::level2::triangular::operand;
use crate::operands::Matrix;
use crate::product::scale;
use crate::scalar::Scalar;
use crate::status::answer;
use crate::triangular::Triangular;

/// The matrix and the right sides as if it stood on the left: XA = B is AᵀXᵀ = Bᵀ.
fn on_the_left<T: Scalar>(
    is_right: bool,
    a: Triangular<T>,
    b: Matrix<T>,
) -> (Triangular<T>, Matrix<T>) {
    match is_right {
        true => (a.transposed(), b.transposed()),
        false => (a, b),
    }
}

/// Solves op(A) X = αB or X op(A) = αB. X takes B's place.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn trsm<T: Scalar>(
    handle: *mut c_void,
    side: c_int,
    fill: c_int,
    operation: c_int,
    diagonal: c_int,
    rows: c_int,
    columns: c_int,
    alpha: *const T,
    a: *const T,
    a_leading: c_int,
    b: *mut T,
    b_leading: c_int,
) -> c_int {
    let solve = || {
        let call = Call::of(handle)?;
        let is_right = is_right(side)?;
        // SAFETY: caller.
        let alpha = unsafe { call.factor(alpha) }?;
        let order = if is_right { columns } else { rows };
        let a = call.matrix(a, order, order, a_leading)?;
        let a = operand(a, fill, operation, diagonal)?;
        let b = call.matrix(b, rows, columns, b_leading)?;
        call.run(move || {
            let (a, b) = on_the_left(is_right, a, b);
            scale(alpha.get(), b);
            a.solve(b);
        })
    };
    answer(solve())
}

/// The same for matrices whose addresses lie in device memory.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn trsm_batched<T: Scalar>(
    handle: *mut c_void,
    side: c_int,
    fill: c_int,
    operation: c_int,
    diagonal: c_int,
    rows: c_int,
    columns: c_int,
    alpha: *const T,
    a: *const *const T,
    a_leading: c_int,
    b: *const *mut T,
    b_leading: c_int,
    count: c_int,
) -> c_int {
    let solve = || {
        let call = Call::of(handle)?;
        let is_right = is_right(side)?;
        // SAFETY: caller.
        let alpha = unsafe { call.factor(alpha) }?;
        let order = if is_right { columns } else { rows };
        let a_shape = call.shape(order, order, a_leading)?;
        operand::<T>(a_shape, fill, operation, diagonal)?;
        let b_shape = call.shape(rows, columns, b_leading)?;
        if size(count)? == 0 {
            return Ok(());
        }
        let a = Batch::listed(&call, a.cast(), a_shape, count)?;
        let b = Batch::listed(&call, b, b_shape, count)?;
        call.run(move || {
            if !(a.is_valid() && b.is_valid()) {
                return;
            }
            let alpha = alpha.get();
            b.for_each(|index, b| {
                if let Ok(a) = operand(a.matrix(index), fill, operation, diagonal) {
                    let (a, b) = on_the_left(is_right, a, b);
                    scale(alpha, b);
                    a.solve(b);
                }
            });
        })
    };
    answer(solve())
}

/// C := α op(A) B or αB op(A).
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn trmm<T: Scalar>(
    handle: *mut c_void,
    side: c_int,
    fill: c_int,
    operation: c_int,
    diagonal: c_int,
    rows: c_int,
    columns: c_int,
    alpha: *const T,
    a: *const T,
    a_leading: c_int,
    b: *const T,
    b_leading: c_int,
    c: *mut T,
    c_leading: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let is_right = is_right(side)?;
        // SAFETY: caller.
        let alpha = unsafe { call.factor(alpha) }?;
        let order = if is_right { columns } else { rows };
        let a = call.matrix(a, order, order, a_leading)?;
        let a = operand(a, fill, operation, diagonal)?;
        let b = call.matrix(b, rows, columns, b_leading)?;
        let c = call.matrix(c, rows, columns, c_leading)?;
        call.run(move || {
            let alpha = alpha.get();
            c.fill(|row, column| alpha * b.get(row, column));
            let (a, c) = on_the_left(is_right, a, c);
            a.apply(c);
        })
    };
    answer(update())
}
