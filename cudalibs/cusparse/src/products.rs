//! Products of sparse matrices with dense vectors and matrices: `SpMV`, `SpMM`, `SDDMM`.

use std::ffi::{c_int, c_void};

use crate::call::{Arithmetic, Call, Operation, kind};
use crate::descriptors::{DenseMatrix, DenseVector, Described, SparseMatrix};
use crate::management::place;
use crate::status::{Result, Status, answer};
use crate::with_work;

/// Memory that an operation wants: some bytes, as programs may not expect none.
const SOME: usize = 8;

/// Says how much memory an operation wants.
pub unsafe fn some(handle: *mut c_void, bytes: *mut usize) -> c_int {
    let get = || {
        Call::of(handle)?;
        // SAFETY: caller.
        *unsafe { place(bytes) }? = SOME;
        Ok(())
    };
    answer(get())
}

/// Memory for `SpMV`.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn multiply_vector_size(
    handle: *mut c_void,
    _operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _x: *const c_void,
    _beta: *const c_void,
    _y: *mut c_void,
    _compute: c_int,
    _algorithm: c_int,
    bytes: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { some(handle, bytes) }
}

/// Prepares `SpMV`: there is nothing to prepare.
pub extern "C" fn prepare_vector(
    handle: *mut c_void,
    _operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _x: *const c_void,
    _beta: *const c_void,
    _y: *mut c_void,
    _compute: c_int,
    _algorithm: c_int,
    _memory: *mut c_void,
) -> c_int {
    answer(Call::of(handle).map(drop))
}

/// What is left of the elements before: nothing if β is zero, even of what is no number.
fn before<W: Arithmetic>(beta: W, value: impl Fn() -> W) -> W {
    match beta.is_zero() {
        true => W::zero(),
        false => beta * value(),
    }
}

/// y := α op(A) x + βy.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn multiply_vector(
    handle: *mut c_void,
    operation: c_int,
    alpha: *const c_void,
    a: *const c_void,
    x: *const c_void,
    beta: *const c_void,
    y: *mut c_void,
    compute: c_int,
    _algorithm: c_int,
    _memory: *mut c_void,
) -> c_int {
    let multiply = || {
        let call = Call::of(handle)?;
        let operation = Operation::of(operation)?;
        let compute = kind(compute)?;
        let (a, x, y) = (
            SparseMatrix::copy_of(a)?,
            DenseVector::copy_of(x)?,
            DenseVector::copy_of(y)?,
        );
        if operation.shape(a.shape) != (y.size, x.size) {
            return Err(Status::INVALID_VALUE);
        }
        a.check(&call)?;
        x.values.check(&call, x.size)?;
        y.values.check(&call, y.size)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.value(alpha, compute)?, call.value(beta, compute)?) };
        with_work!(compute, W => call.run(move || {
            let (alpha, beta) = (W::of(alpha()), W::of(beta()));
            let input: Vec<W> = x.load();
            let mut sums = vec![W::default(); y.size];
            a.visit(|row, column, number| {
                let (row, column, value) = operation.apply(row, column, a.values.get::<W>(number));
                sums[row] += value * input[column];
            });
            for (index, sum) in sums.into_iter().enumerate() {
                y.values.set(index, alpha * sum + before(beta, || y.values.get(index)));
            }
        }))
    };
    answer(multiply())
}

/// Conversion under a short name.
pub trait Of: Arithmetic {
    /// The nearest value.
    fn of(value: cuda_library::elements::Complex64) -> Self {
        Self::of_value(value)
    }
}

impl<W: Arithmetic> Of for W {}

/// Memory for `SpMM` or `SDDMM`.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn multiply_matrix_size(
    handle: *mut c_void,
    _a_operation: c_int,
    _b_operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _b: *const c_void,
    _beta: *const c_void,
    _c: *mut c_void,
    _compute: c_int,
    _algorithm: c_int,
    bytes: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { some(handle, bytes) }
}

/// Prepares `SpMM` or `SDDMM`: there is nothing to prepare.
pub extern "C" fn prepare_matrix(
    handle: *mut c_void,
    _a_operation: c_int,
    _b_operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _b: *const c_void,
    _beta: *const c_void,
    _c: *mut c_void,
    _compute: c_int,
    _algorithm: c_int,
    _memory: *mut c_void,
) -> c_int {
    answer(Call::of(handle).map(drop))
}

/// The number of matrices in operands of which some are one for all.
fn batch_of(counts: &[usize]) -> Result<usize> {
    let batch = counts.iter().copied().max().unwrap_or(1);
    match counts.iter().all(|count| *count == 1 || *count == batch) {
        true => Ok(batch),
        false => Err(Status::INVALID_VALUE),
    }
}

/// The number of columns of op(A), if op(A) op(B) has the shape of C.
fn inner_of(operations: (Operation, Operation), [a, b, c]: [(usize, usize); 3]) -> Result<usize> {
    let (left, right) = (operations.0.shape(a), operations.1.shape(b));
    match left.1 == right.0 && (left.0, right.1) == c {
        true => Ok(left.1),
        false => Err(Status::INVALID_VALUE),
    }
}

/// C := α op(A) op(B) + βC, A sparse.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn multiply_matrix(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    alpha: *const c_void,
    a: *const c_void,
    b: *const c_void,
    beta: *const c_void,
    c: *mut c_void,
    compute: c_int,
    _algorithm: c_int,
    _memory: *mut c_void,
) -> c_int {
    let multiply = || {
        let call = Call::of(handle)?;
        let operations = (Operation::of(a_operation)?, Operation::of(b_operation)?);
        let compute = kind(compute)?;
        let (a, b, c) = (
            SparseMatrix::copy_of(a)?,
            DenseMatrix::copy_of(b)?,
            DenseMatrix::copy_of(c)?,
        );
        let inner = inner_of(operations, [a.shape, b.shape, c.shape])?;
        let batch = batch_of(&[a.batch, b.batch, c.batch])?;
        a.check(&call)?;
        b.check(&call)?;
        c.check(&call)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.value(alpha, compute)?, call.value(beta, compute)?) };
        with_work!(compute, W => call.run(move || {
            let (alpha, beta) = (W::of(alpha()), W::of(beta()));
            for index in 0..batch {
                let (a, b, c) = (a.of_batch(index), b.of_batch(index), c.of_batch(index));
                multiply_one::<W>(alpha, (a, operations.0), (b, operations.1), inner, beta, c);
            }
        }))
    };
    answer(multiply())
}

fn multiply_one<W: Arithmetic>(
    alpha: W,
    (a, a_operation): (SparseMatrix, Operation),
    (b, b_operation): (DenseMatrix, Operation),
    inner: usize,
    beta: W,
    c: DenseMatrix,
) {
    let (rows, columns) = c.shape;
    // op(B) row by row, so that an element of A meets a row of it.
    let mut right = vec![W::default(); inner * columns];
    for row in 0..b.shape.0 {
        for column in 0..b.shape.1 {
            let value = b.values.get::<W>(b.index(row, column));
            let (row, column, value) = b_operation.apply(row, column, value);
            right[row * columns + column] = value;
        }
    }
    let mut sums = vec![W::default(); rows * columns];
    a.visit(|row, column, number| {
        let (row, column, value) = a_operation.apply(row, column, a.values.get::<W>(number));
        let target = &mut sums[row * columns..][..columns];
        for (sum, right) in target.iter_mut().zip(&right[column * columns..][..columns]) {
            *sum += value * *right;
        }
    });
    for row in 0..rows {
        for column in 0..columns {
            let place = c.index(row, column);
            let sum = sums[row * columns + column];
            c.values
                .set(place, alpha * sum + before(beta, || c.values.get(place)));
        }
    }
}

/// C := α (op(A) op(B) where C has elements) + βC, C sparse.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn sample_product(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    alpha: *const c_void,
    a: *const c_void,
    b: *const c_void,
    beta: *const c_void,
    c: *mut c_void,
    compute: c_int,
    _algorithm: c_int,
    _memory: *mut c_void,
) -> c_int {
    let multiply = || {
        let call = Call::of(handle)?;
        let operations = (Operation::of(a_operation)?, Operation::of(b_operation)?);
        let compute = kind(compute)?;
        let (a, b, c) = (
            DenseMatrix::copy_of(a)?,
            DenseMatrix::copy_of(b)?,
            SparseMatrix::copy_of(c)?,
        );
        let inner = inner_of(operations, [a.shape, b.shape, c.shape])?;
        let batch = batch_of(&[a.batch, b.batch, c.batch])?;
        a.check(&call)?;
        b.check(&call)?;
        c.check(&call)?;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.value(alpha, compute)?, call.value(beta, compute)?) };
        with_work!(compute, W => call.run(move || {
            let (alpha, beta) = (W::of(alpha()), W::of(beta()));
            for index in 0..batch {
                let (a, b, c) = (a.of_batch(index), b.of_batch(index), c.of_batch(index));
                let element = |matrix: &DenseMatrix, operation: Operation, row, column| {
                    let (row, column) = if operation.transposed { (column, row) } else { (row, column) };
                    operation.apply(row, column, matrix.values.get::<W>(matrix.index(row, column))).2
                };
                c.visit(|row, column, number| {
                    let mut sum = W::default();
                    for step in 0..inner {
                        sum += element(&a, operations.0, row, step) * element(&b, operations.1, step, column);
                    }
                    c.values.set(number, alpha * sum + before(beta, || c.values.get(number)));
                });
            }
        }))
    };
    answer(multiply())
}
