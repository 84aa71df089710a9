//! Products with a symmetric or Hermitian matrix: `symm`, `hemm`.

use std::ffi::{c_int, c_void};

use crate::call::{Call, is_right, triangle};
use crate::operands::Matrix;
use crate::product::{Symmetry, multiply, symmetric_element};
use crate::scalar::Scalar;
use crate::status::answer;

unsafe fn multiply_symmetric<T: Scalar>(
    (handle, side, fill): (*mut c_void, c_int, c_int),
    (rows, columns): (c_int, c_int),
    (alpha, beta): (*const T, *const T),
    (a, a_leading): (*const T, c_int),
    (b, b_leading): (*const T, c_int),
    (c, c_leading): (*mut T, c_int),
    symmetry: Symmetry,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let (is_right, triangle) = (is_right(side)?, triangle(fill)?);
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.factor(alpha)?, call.factor(beta)?) };
        let order = if is_right { columns } else { rows };
        let a = call.matrix(a, order, order, a_leading)?;
        let b = call.matrix(b, rows, columns, b_leading)?;
        let c = call.matrix(c, rows, columns, c_leading)?;
        call.run(move || {
            let mut storage = vec![T::zero(); a.rows * a.rows];
            let whole = Matrix::over(&mut storage, a.rows, a.rows);
            whole.fill(|row, column| symmetric_element(a, triangle, symmetry, row, column));
            let (left, right) = if is_right { (b, whole) } else { (whole, b) };
            multiply(alpha.get(), left, right, beta.get(), c);
        })
    };
    answer(update())
}

macro_rules! product {
    ($(#[$doc:meta])* $name:ident, $symmetry:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The addresses are as cuBLAS wants them.
        pub unsafe extern "C" fn $name<T: Scalar>(
            handle: *mut c_void,
            side: c_int,
            fill: c_int,
            rows: c_int,
            columns: c_int,
            alpha: *const T,
            a: *const T,
            a_leading: c_int,
            b: *const T,
            b_leading: c_int,
            beta: *const T,
            c: *mut T,
            c_leading: c_int,
        ) -> c_int {
            let (modes, shape, factors) = ((handle, side, fill), (rows, columns), (alpha, beta));
            let (a, b, c) = ((a, a_leading), (b, b_leading), (c, c_leading));
            // SAFETY: caller.
            unsafe { multiply_symmetric(modes, shape, factors, a, b, c, $symmetry) }
        }
    };
}

product! {
    /// C := αAB + βC or αBA + βC, A symmetric.
    symm, Symmetry::Symmetric
}
product! {
    /// C := αAB + βC or αBA + βC, A Hermitian.
    hemm, Symmetry::Hermitian
}
