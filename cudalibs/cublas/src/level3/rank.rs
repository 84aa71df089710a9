//! Products that are symmetric or Hermitian: `syrk`, `herk`, `syrkx`, `syr2k`, `her2k`.

use std::ffi::{c_int, c_void};

use crate::call::{Call, Operation, triangle};
use crate::operands::Matrix;
use crate::product::{Symmetry, multiply_triangle};
use crate::scalar::Scalar;
use crate::status::{Result, Status, answer};

/// The matrices of an update, and how they are used.
struct Update<T> {
    call: Call,
    operation: Operation,
    symmetry: Symmetry,
    fill: c_int,
    c: Matrix<T>,
    shape: (c_int, c_int),
}

impl<T: Scalar> Update<T> {
    /// Checks modes, and C.
    fn of(
        (handle, fill, operation): (*mut c_void, c_int, c_int),
        (order, inner): (c_int, c_int),
        (c, leading): (*mut T, c_int),
        symmetry: Symmetry,
    ) -> Result<Update<T>> {
        let call = Call::of(handle)?;
        let operation = Operation::of(operation)?;
        // What is not of the matrix's own kind is no operation: the adjoint of complex matrices that are symmetric.
        let is_complex = size_of::<T>() != size_of::<T::Real>();
        let own = Operation::of_symmetry(symmetry);
        if is_complex && operation != Operation::None && operation != own {
            return Err(Status::INVALID_VALUE);
        }
        let c = call.matrix(c, order, order, leading)?;
        Ok(Update {
            call,
            operation,
            symmetry,
            fill,
            c,
            shape: operation.stored(order, inner),
        })
    }

    /// An operand as op wants it.
    fn operand(&self, a: *const T, leading: c_int) -> Result<Matrix<T>> {
        let stored = self.call.matrix(a, self.shape.0, self.shape.1, leading)?;
        Ok(self.operation.apply(stored))
    }

    /// C := Σ αAB* + βC over pairs of A and B.
    fn run(
        self,
        terms: impl FnOnce() -> Vec<(T, Matrix<T>, Matrix<T>)> + Send + 'static,
        beta: impl FnOnce() -> T + Send + 'static,
    ) -> Result<()> {
        let triangle = triangle(self.fill)?;
        let (c, symmetry) = (self.c, self.symmetry);
        let turn = Operation::of_symmetry(symmetry);
        self.call.run(move || {
            let term = |(alpha, a, b): (T, Matrix<T>, Matrix<T>)| (alpha, a, turn.apply(b));
            let terms: Vec<_> = terms().into_iter().map(term).collect();
            multiply_triangle(&terms, beta(), c, triangle, symmetry);
        })
    }
}

/// C := α op(A) op(A)ᵀ + βC.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn syrk<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    operation: c_int,
    order: c_int,
    inner: c_int,
    alpha: *const T,
    a: *const T,
    a_leading: c_int,
    beta: *const T,
    c: *mut T,
    c_leading: c_int,
) -> c_int {
    // SAFETY: caller.
    unsafe {
        syrkx(
            handle, fill, operation, order, inner, alpha, a, a_leading, a, a_leading, beta, c,
            c_leading,
        )
    }
}

/// C := α op(A) op(B)ᵀ + βC, for a product known to be symmetric.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn syrkx<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    operation: c_int,
    order: c_int,
    inner: c_int,
    alpha: *const T,
    a: *const T,
    a_leading: c_int,
    b: *const T,
    b_leading: c_int,
    beta: *const T,
    c: *mut T,
    c_leading: c_int,
) -> c_int {
    let update = || {
        let (modes, shape) = ((handle, fill, operation), (order, inner));
        let update = Update::of(modes, shape, (c, c_leading), Symmetry::Symmetric)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (update.call.factor(alpha)?, update.call.factor(beta)?) };
        let (a, b) = (update.operand(a, a_leading)?, update.operand(b, b_leading)?);
        update.run(move || vec![(alpha.get(), a, b)], move || beta.get())
    };
    answer(update())
}

/// C := α op(A) op(A)ᴴ + βC.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn herk<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    operation: c_int,
    order: c_int,
    inner: c_int,
    alpha: *const T::Real,
    a: *const T,
    a_leading: c_int,
    beta: *const T::Real,
    c: *mut T,
    c_leading: c_int,
) -> c_int {
    let update = || {
        let (modes, shape) = ((handle, fill, operation), (order, inner));
        let update = Update::of(modes, shape, (c, c_leading), Symmetry::Hermitian)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (update.call.factor(alpha)?, update.call.factor(beta)?) };
        let a = update.operand(a, a_leading)?;
        let terms = move || vec![(T::of(alpha.get()), a, a)];
        update.run(terms, move || T::of(beta.get()))
    };
    answer(update())
}

/// The two products of an update of rank 2k.
fn pair<T: Scalar>(
    alpha: T,
    a: Matrix<T>,
    b: Matrix<T>,
    symmetry: Symmetry,
) -> Vec<(T, Matrix<T>, Matrix<T>)> {
    let other = match symmetry {
        Symmetry::Symmetric => alpha,
        Symmetry::Hermitian => alpha.conj(),
    };
    vec![(alpha, a, b), (other, b, a)]
}

/// C := α op(A) op(B)ᵀ + α op(B) op(A)ᵀ + βC.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn syr2k<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    operation: c_int,
    order: c_int,
    inner: c_int,
    alpha: *const T,
    a: *const T,
    a_leading: c_int,
    b: *const T,
    b_leading: c_int,
    beta: *const T,
    c: *mut T,
    c_leading: c_int,
) -> c_int {
    let update = || {
        let (modes, shape) = ((handle, fill, operation), (order, inner));
        let update = Update::of(modes, shape, (c, c_leading), Symmetry::Symmetric)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (update.call.factor(alpha)?, update.call.factor(beta)?) };
        let (a, b) = (update.operand(a, a_leading)?, update.operand(b, b_leading)?);
        let terms = move || pair(alpha.get(), a, b, Symmetry::Symmetric);
        update.run(terms, move || beta.get())
    };
    answer(update())
}

/// C := α op(A) op(B)ᴴ + ᾱ op(B) op(A)ᴴ + βC.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn her2k<T: Scalar>(
    handle: *mut c_void,
    fill: c_int,
    operation: c_int,
    order: c_int,
    inner: c_int,
    alpha: *const T,
    a: *const T,
    a_leading: c_int,
    b: *const T,
    b_leading: c_int,
    beta: *const T::Real,
    c: *mut T,
    c_leading: c_int,
) -> c_int {
    let update = || {
        let (modes, shape) = ((handle, fill, operation), (order, inner));
        let update = Update::of(modes, shape, (c, c_leading), Symmetry::Hermitian)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (update.call.factor(alpha)?, update.call.factor(beta)?) };
        let (a, b) = (update.operand(a, a_leading)?, update.operand(b, b_leading)?);
        let terms = move || pair(alpha.get(), a, b, Symmetry::Hermitian);
        update.run(terms, move || T::of(beta.get()))
    };
    answer(update())
}
