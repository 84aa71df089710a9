//! Products of general matrices: `gemm`, of one pair or of many.

use std::ffi::{c_int, c_longlong, c_void};

use crate::batched::pointers::Batch;
use crate::call::{Call, Operation, size, span};
use crate::operands::Matrix;
use crate::product::multiply;
use crate::scalar::Scalar;
use crate::status::{Result, answer};

/// The shapes of a product's matrices.
pub struct Product {
    a: Operation,
    b: Operation,
    rows: c_int,
    columns: c_int,
    inner: c_int,
}

impl Product {
    /// Checks operations and sizes.
    pub fn of(
        operations: (c_int, c_int),
        (rows, columns, inner): (c_int, c_int, c_int),
    ) -> Result<Product> {
        for count in [rows, columns, inner] {
            size(count)?;
        }
        Ok(Product {
            a: Operation::of(operations.0)?,
            b: Operation::of(operations.1)?,
            rows,
            columns,
            inner,
        })
    }

    /// The shapes of A, B and C as they are stored.
    pub fn shapes<A, B, C>(
        &self,
        call: &Call,
        leading: (c_int, c_int, c_int),
    ) -> Result<(Matrix<A>, Matrix<B>, Matrix<C>)> {
        let a = self.a.stored(self.rows, self.inner);
        let b = self.b.stored(self.inner, self.columns);
        Ok((
            call.shape(a.0, a.1, leading.0)?,
            call.shape(b.0, b.1, leading.1)?,
            call.shape(self.rows, self.columns, leading.2)?,
        ))
    }

    /// op(A) and op(B).
    pub fn operands<T: Copy>(&self, a: Matrix<T>, b: Matrix<T>) -> (Matrix<T>, Matrix<T>) {
        (self.a.apply(a), self.b.apply(b))
    }
}

/// C := α op(A) op(B) + βC.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn gemm<T: Scalar>(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
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
    // SAFETY: caller.
    unsafe {
        gemm_strided_batched(
            handle,
            a_operation,
            b_operation,
            rows,
            columns,
            inner,
            alpha,
            a,
            a_leading,
            0,
            b,
            b_leading,
            0,
            beta,
            c,
            c_leading,
            0,
            1,
        )
    }
}

/// The same for matrices at equal distances.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn gemm_strided_batched<T: Scalar>(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const T,
    a: *const T,
    a_leading: c_int,
    a_step: c_longlong,
    b: *const T,
    b_leading: c_int,
    b_step: c_longlong,
    beta: *const T,
    c: *mut T,
    c_leading: c_int,
    c_step: c_longlong,
    count: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let product = Product::of((a_operation, b_operation), (rows, columns, inner))?;
        let (a_shape, b_shape, c_shape) =
            product.shapes(&call, (a_leading, b_leading, c_leading))?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.factor(alpha)?, call.factor(beta)?) };
        if size(count)? == 0 || rows == 0 || columns == 0 {
            return Ok(());
        }
        let reads = !alpha.is_known(T::zero());
        let a = Batch::strided(&call, a, a_step, a_shape, count, reads)?;
        let b = Batch::strided(&call, b, b_step, b_shape, count, reads)?;
        let c = Batch::strided(&call, c, c_step, c_shape, count, true)?;
        call.run(move || {
            let (alpha, beta) = (alpha.get(), beta.get());
            c.for_each(|index, c| {
                let (a, b) = product.operands(a.matrix(index), b.matrix(index));
                multiply(alpha, a, b, beta, c);
            });
        })
    };
    answer(update())
}

/// The same for matrices whose addresses lie in device memory.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn gemm_batched<T: Scalar>(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const T,
    a: *const *const T,
    a_leading: c_int,
    b: *const *const T,
    b_leading: c_int,
    beta: *const T,
    c: *const *mut T,
    c_leading: c_int,
    count: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let product = Product::of((a_operation, b_operation), (rows, columns, inner))?;
        let (a_shape, b_shape, c_shape) =
            product.shapes(&call, (a_leading, b_leading, c_leading))?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.factor(alpha)?, call.factor(beta)?) };
        if size(count)? == 0 || span::<T>(&c_shape) == 0 {
            return Ok(());
        }
        let a = Batch::listed(&call, a.cast(), a_shape, count)?;
        let b = Batch::listed(&call, b.cast(), b_shape, count)?;
        let c = Batch::listed(&call, c.cast(), c_shape, count)?;
        call.run(move || {
            let (alpha, beta) = (alpha.get(), beta.get());
            if a.is_valid() && b.is_valid() && c.is_valid() {
                c.for_each(|index, c| {
                    let (a, b) = product.operands(a.matrix(index), b.matrix(index));
                    multiply(alpha, a, b, beta, c);
                });
            }
        })
    };
    answer(update())
}
