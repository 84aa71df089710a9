//! Symmetric and Hermitian matrices: `symv`, `hemv`, `spmv`, `syr`, `her`, `syr2`, `her2`.

use std::ffi::{c_int, c_void};

use crate::call::{Call, Factor, Operation, size, triangle};
use crate::operands::{Matrix, Vector};
use crate::product::{Symmetry, multiply_triangle, symmetric_element};
use crate::scalar::Scalar;
use crate::status::answer;

/// y := αAx + βy, with A's elements from a function.
pub fn multiply_elements<T: Scalar>(
    alpha: T,
    element: impl Fn(usize, usize) -> T,
    x: Vector<T>,
    beta: T,
    y: Vector<T>,
) {
    for row in 0..y.len {
        let products = x.iter().enumerate();
        let sum = products.fold(T::zero(), |sum, (column, x)| sum + element(row, column) * x);
        let before = match beta == T::zero() {
            true => T::zero(),
            false => beta * y.get(row),
        };
        y.set(row, alpha * sum + before);
    }
}

unsafe fn multiply_symmetric<T: Scalar>(
    (handle, fill, order): (*mut c_void, c_int, c_int),
    (alpha, beta): (*const T, *const T),
    (a, leading): (*const T, c_int),
    (x, x_step): (*const T, c_int),
    (y, y_step): (*mut T, c_int),
    symmetry: Symmetry,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let triangle = triangle(fill)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.factor(alpha)?, call.factor(beta)?) };
        let a = call.matrix(a, order, order, leading)?;
        let (x, y) = (
            call.stepped(x, order, x_step)?,
            call.stepped(y, order, y_step)?,
        );
        call.run(move || {
            let element = |row, column| symmetric_element(a, triangle, symmetry, row, column);
            multiply_elements(alpha.get(), element, x, beta.get(), y);
        })
    };
    answer(update())
}

/// y := αAx + βy, A symmetric.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn symv<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    alpha: *const T,
    a: *const T,
    leading: c_int,
    x: *const T,
    x_step: c_int,
    beta: *const T,
    y: *mut T,
    y_step: c_int,
) -> c_int {
    let (shape, factors) = ((handle, fill, order), (alpha, beta));
    let (a, x, y) = ((a, leading), (x, x_step), (y, y_step));
    // SAFETY: caller.
    unsafe { multiply_symmetric(shape, factors, a, x, y, Symmetry::Symmetric) }
}

/// y := αAx + βy, A Hermitian.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn hemv<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    alpha: *const T,
    a: *const T,
    leading: c_int,
    x: *const T,
    x_step: c_int,
    beta: *const T,
    y: *mut T,
    y_step: c_int,
) -> c_int {
    let (shape, factors) = ((handle, fill, order), (alpha, beta));
    let (a, x, y) = ((a, leading), (x, x_step), (y, y_step));
    // SAFETY: caller.
    unsafe { multiply_symmetric(shape, factors, a, x, y, Symmetry::Hermitian) }
}

/// y := αAx + βy, A symmetric and packed: the columns of a triangle one behind the other.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn spmv<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    alpha: *const T,
    packed: *const T,
    x: *const T,
    x_step: c_int,
    beta: *const T,
    y: *mut T,
    y_step: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let is_lower = triangle(fill)? == crate::product::Triangle::Lower;
        let count = size(order)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.factor(alpha)?, call.factor(beta)?) };
        let packed = call.elements(packed, count * (count + 1) / 2)?;
        let (x, y) = (
            call.stepped(x, order, x_step)?,
            call.stepped(y, order, y_step)?,
        );
        call.run(move || {
            let element = move |row: usize, column: usize| {
                let (low, high) = (row.min(column), row.max(column));
                let index = match is_lower {
                    true => low * (2 * count - low + 1) / 2 + (high - low),
                    false => high * (high + 1) / 2 + low,
                };
                // SAFETY: the triangle was checked as a whole.
                unsafe { { packed }.read(index) }
            };
            multiply_elements(alpha.get(), element, x, beta.get(), y);
        })
    };
    answer(update())
}

/// A triangle of A := Σ αxyᴴ + A, of vectors as matrices of one column.
fn add_products<T: Scalar>(
    call: &Call,
    a: Matrix<T>,
    fill: c_int,
    symmetry: Symmetry,
    terms: impl FnOnce() -> Vec<(T, Vector<T>, Vector<T>)> + Send + 'static,
) -> crate::status::Result<()> {
    let triangle = triangle(fill)?;
    let turn = Operation::of_symmetry(symmetry);
    call.run(move || {
        let term =
            |(alpha, x, y): (T, Vector<T>, Vector<T>)| (alpha, x.column(), turn.apply(y.column()));
        let terms: Vec<_> = terms().into_iter().map(term).collect();
        multiply_triangle(&terms, T::one(), a, triangle, symmetry);
    })
}

/// A := αxxᵀ + A, A symmetric.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn syr<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    alpha: *const T,
    x: *const T,
    x_step: c_int,
    a: *mut T,
    leading: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let alpha = unsafe { call.factor(alpha) }?;
        let (x, a) = (
            call.stepped(x, order, x_step)?,
            call.matrix(a, order, order, leading)?,
        );
        add_products(&call, a, fill, Symmetry::Symmetric, move || {
            vec![(alpha.get(), x, x)]
        })
    };
    answer(update())
}

/// A := αxxᴴ + A, A Hermitian.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn her<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    alpha: *const T::Real,
    x: *const T,
    x_step: c_int,
    a: *mut T,
    leading: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let alpha = unsafe { call.factor(alpha) }?;
        let (x, a) = (
            call.stepped(x, order, x_step)?,
            call.matrix(a, order, order, leading)?,
        );
        let terms = move || vec![(T::of(alpha.get()), x, x)];
        add_products(&call, a, fill, Symmetry::Hermitian, terms)
    };
    answer(update())
}

unsafe fn rank_two<T: Scalar>(
    (handle, fill, order): (*mut c_void, c_int, c_int),
    alpha: *const T,
    (x, x_step): (*const T, c_int),
    (y, y_step): (*const T, c_int),
    (a, leading): (*mut T, c_int),
    symmetry: Symmetry,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let alpha: Factor<T> = unsafe { call.factor(alpha) }?;
        let (x, y) = (
            call.stepped(x, order, x_step)?,
            call.stepped(y, order, y_step)?,
        );
        let a = call.matrix(a, order, order, leading)?;
        add_products(&call, a, fill, symmetry, move || {
            let alpha = alpha.get();
            let other = match symmetry {
                Symmetry::Symmetric => alpha,
                Symmetry::Hermitian => alpha.conj(),
            };
            vec![(alpha, x, y), (other, y, x)]
        })
    };
    answer(update())
}

/// A := αxyᵀ + αyxᵀ + A, A symmetric.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn syr2<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    alpha: *const T,
    x: *const T,
    x_step: c_int,
    y: *const T,
    y_step: c_int,
    a: *mut T,
    leading: c_int,
) -> c_int {
    let (shape, a) = ((handle, fill, order), (a, leading));
    // SAFETY: caller.
    unsafe {
        rank_two(
            shape,
            alpha,
            (x, x_step),
            (y, y_step),
            a,
            Symmetry::Symmetric,
        )
    }
}

/// A := αxyᴴ + ᾱyxᴴ + A, A Hermitian.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn her2<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    order: c_int,
    alpha: *const T,
    x: *const T,
    x_step: c_int,
    y: *const T,
    y_step: c_int,
    a: *mut T,
    leading: c_int,
) -> c_int {
    let (shape, a) = ((handle, fill, order), (a, leading));
    // SAFETY: caller.
    unsafe {
        rank_two(
            shape,
            alpha,
            (x, x_step),
            (y, y_step),
            a,
            Symmetry::Hermitian,
        )
    }
}
