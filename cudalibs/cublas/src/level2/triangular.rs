//! Triangular matrices: `trmv`, `trsv`.

use std::ffi::{c_int, c_void};

use crate::call::{Call, Operation, is_unit, triangle};
use crate::operands::Matrix;
use crate::scalar::Scalar;
use crate::status::{Result, answer};
use crate::triangular::Triangular;

/// op(A), of which a triangle counts.
pub fn operand<T: Copy>(
    matrix: Matrix<T>,
    fill: c_int,
    operation: c_int,
    diagonal: c_int,
) -> Result<Triangular<T>>
where
    T: Scalar,
{
    let operation = Operation::of(operation)?;
    let stored = Triangular {
        matrix,
        triangle: triangle(fill)?,
        unit: is_unit(diagonal)?,
    };
    Ok(match operation {
        Operation::None => stored,
        Operation::Transpose => stored.transposed(),
        Operation::Adjoint => {
            let transposed = stored.transposed();
            let matrix = transposed.matrix.conjugate();
            Triangular {
                matrix,
                ..transposed
            }
        }
    })
}

macro_rules! operation {
    ($(#[$doc:meta])* $name:ident, $method:ident) => {
        $(#[$doc])*
        pub extern "C" fn $name<T: Scalar>(
            handle: *mut c_void,
            fill: c_int,
            operation: c_int,
            diagonal: c_int,
            order: c_int,
            a: *const T,
            leading: c_int,
            x: *mut T,
            step: c_int,
        ) -> c_int {
            let update = || {
                let call = Call::of(handle)?;
                let a = call.matrix(a, order, order, leading)?;
                let a = operand(a, fill, operation, diagonal)?;
                let x = call.stepped(x, order, step)?;
                call.run(move || a.$method(x.column()))
            };
            answer(update())
        }
    };
}

operation! {
    /// x := op(A) x.
    trmv, apply
}
operation! {
    /// x := op(A)⁻¹ x.
    trsv, solve
}
