//! General matrices: `gemv`, `ger`.

use std::ffi::{c_int, c_void};

use crate::call::{Call, Operation, conjugate_if};
use crate::operands::{Matrix, Vector};
use crate::product::multiply;
use crate::scalar::Scalar;
use crate::status::answer;

/// y := α op(A) x + βy.
pub fn multiply_vector<T: Scalar>(alpha: T, a: Matrix<T>, x: Vector<T>, beta: T, y: Vector<T>) {
    multiply(alpha, a, x.column(), beta, y.column());
}

/// y := α op(A) x + βy.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn gemv<T: Scalar>(
    handle: *mut c_void,
    operation: c_int,
    rows: c_int,
    columns: c_int,
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
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.factor(alpha)?, call.factor(beta)?) };
        let a = operation.apply(call.matrix(a, rows, columns, leading)?);
        let (y_len, x_len) = operation.stored(rows, columns);
        let (x, y) = (
            call.stepped(x, x_len, x_step)?,
            call.stepped(y, y_len, y_step)?,
        );
        call.run(move || multiply_vector(alpha.get(), a, x, beta.get(), y))
    };
    answer(update())
}

unsafe fn rank_one<T: Scalar>(
    (handle, rows, columns): (*mut c_void, c_int, c_int),
    alpha: *const T,
    (x, x_step): (*const T, c_int),
    (y, y_step): (*const T, c_int),
    (a, leading): (*mut T, c_int),
    conjugated: bool,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let alpha = unsafe { call.factor(alpha) }?;
        let (x, y) = (
            call.stepped(x, rows, x_step)?,
            call.stepped(y, columns, y_step)?,
        );
        let a = call.matrix(a, rows, columns, leading)?;
        call.run(move || {
            let alpha = alpha.get();
            for (column, y) in y.iter().enumerate() {
                let factor = alpha * conjugate_if(conjugated, y);
                a.transposed().row(column).update(x, |x, a| a + factor * x);
            }
        })
    };
    answer(update())
}

/// A := αxyᵀ + A.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn ger<T: Scalar>(
    handle: *mut c_void,
    rows: c_int,
    columns: c_int,
    alpha: *const T,
    x: *const T,
    x_step: c_int,
    y: *const T,
    y_step: c_int,
    a: *mut T,
    leading: c_int,
) -> c_int {
    let shape = (handle, rows, columns);
    // SAFETY: caller.
    unsafe { rank_one(shape, alpha, (x, x_step), (y, y_step), (a, leading), false) }
}

/// A := αxyᴴ + A.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn gerc<T: Scalar>(
    handle: *mut c_void,
    rows: c_int,
    columns: c_int,
    alpha: *const T,
    x: *const T,
    x_step: c_int,
    y: *const T,
    y_step: c_int,
    a: *mut T,
    leading: c_int,
) -> c_int {
    let shape = (handle, rows, columns);
    // SAFETY: caller.
    unsafe { rank_one(shape, alpha, (x, x_step), (y, y_step), (a, leading), true) }
}
