//! What cuBLAS has beyond BLAS: `geam` and `dgmm`.

use std::ffi::{c_int, c_void};

use crate::call::{Call, Operation, is_right};
use crate::operands::Matrix;
use crate::scalar::Scalar;
use crate::status::{Result, answer};

/// C := α op(A) + β op(B).
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn geam<T: Scalar>(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    alpha: *const T,
    a: *const T,
    a_leading: c_int,
    beta: *const T,
    b: *const T,
    b_leading: c_int,
    c: *mut T,
    c_leading: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.factor(alpha)?, call.factor(beta)?) };
        let operand = |address: *const T, operation, leading, reads: bool| -> Result<Matrix<T>> {
            let operation = Operation::of(operation)?;
            let stored = operation.stored(rows, columns);
            let matrix = match reads {
                true => call.matrix(address, stored.0, stored.1, leading)?,
                false => call.shape(stored.0, stored.1, leading)?,
            };
            Ok(operation.apply(matrix))
        };
        // An operand whose factor is zero may have any address.
        let a = operand(a, a_operation, a_leading, !alpha.is_known(T::zero()))?;
        let b = operand(b, b_operation, b_leading, !beta.is_known(T::zero()))?;
        let c = call.matrix(c, rows, columns, c_leading)?;
        call.run(move || {
            let (alpha, beta) = (alpha.get(), beta.get());
            let product = |factor: T, value: &dyn Fn() -> T| match factor == T::zero() {
                true => T::zero(),
                false => factor * value(),
            };
            c.fill(|row, column| {
                product(alpha, &|| a.get(row, column)) + product(beta, &|| b.get(row, column))
            });
        })
    };
    answer(update())
}

/// C := A diag(x) or diag(x) A.
pub extern "C" fn dgmm<T: Scalar>(
    handle: *mut c_void,
    side: c_int,
    rows: c_int,
    columns: c_int,
    a: *const T,
    a_leading: c_int,
    x: *const T,
    x_step: c_int,
    c: *mut T,
    c_leading: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let is_right = is_right(side)?;
        let a = call.matrix(a, rows, columns, a_leading)?;
        let x = call.vector(x, if is_right { columns } else { rows }, x_step)?;
        let c = call.matrix(c, rows, columns, c_leading)?;
        call.run(move || {
            c.fill(|row, column| a.get(row, column) * x.get(if is_right { column } else { row }));
        })
    };
    answer(update())
}
