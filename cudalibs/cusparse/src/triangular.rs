//! Sparse triangular systems: `SpSV`, `SpSM`.

use std::ffi::{c_int, c_void};

use cuda_library::handles::Handles;

use crate::call::{Call, Operation, Work, kind};
use crate::descriptors::{DenseMatrix, DenseVector, Described, SparseMatrix};
use crate::management::place;
use crate::products::{Of, some};
use crate::status::{Status, answer};
use crate::with_work;

/// Handles for what other libraries keep between the steps of a solution. Here nothing is kept.
static SOLUTIONS: Handles<()> = Handles::starting_at(0x59A6_0000);

/// Makes such a handle.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create_solution(handle: *mut *mut c_void) -> c_int {
    // SAFETY: caller.
    answer(unsafe { place(handle) }.map(|place| *place = SOLUTIONS.add(()) as *mut c_void))
}

/// Destroys it.
pub extern "C" fn destroy_solution(handle: *mut c_void) -> c_int {
    let gone = SOLUTIONS.remove(handle as usize);
    answer(gone.map(drop).ok_or(Status::INVALID_VALUE))
}

/// Memory for `SpSV`.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn solve_vector_size(
    handle: *mut c_void,
    _operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _x: *const c_void,
    _y: *mut c_void,
    _compute: c_int,
    _algorithm: c_int,
    _solution: *mut c_void,
    bytes: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { some(handle, bytes) }
}

/// Prepares `SpSV`: there is nothing to prepare.
pub extern "C" fn prepare_vector(
    handle: *mut c_void,
    _operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _x: *const c_void,
    _y: *mut c_void,
    _compute: c_int,
    _algorithm: c_int,
    _solution: *mut c_void,
    _memory: *mut c_void,
) -> c_int {
    answer(Call::of(handle).map(drop))
}

/// The triangle of op(A) that counts: the elements beside the diagonal of each row, and the diagonal.
struct Triangle<W> {
    rows: Vec<Vec<(usize, W)>>,
    diagonal: Vec<W>,
    is_upper: bool,
}

impl<W: Work> Triangle<W> {
    fn of(a: &SparseMatrix, operation: Operation) -> Triangle<W> {
        let is_upper = a.is_upper != operation.transposed;
        let mut rows = vec![Vec::new(); a.shape.0];
        let none = if a.is_unit { W::one() } else { W::default() };
        let mut diagonal = vec![none; a.shape.0];
        a.visit(|row, column, number| {
            let (row, column, value) = operation.apply(row, column, a.values.get::<W>(number));
            if row == column {
                if !a.is_unit {
                    diagonal[row] = value;
                }
            } else if (column > row) == is_upper {
                rows[row].push((column, value));
            }
        });
        Triangle {
            rows,
            diagonal,
            is_upper,
        }
    }

    /// Solves for right sides that are given, and results that are taken, by row.
    fn solve(&self, right: impl Fn(usize) -> W) -> Vec<W> {
        let mut results = vec![W::default(); self.rows.len()];
        let mut solve = |row: usize| {
            let known = self.rows[row]
                .iter()
                .map(|(column, value)| *value * results[*column]);
            let value = known.fold(right(row), |rest, one| rest - one);
            results[row] = value / self.diagonal[row];
        };
        match self.is_upper {
            true => (0..self.rows.len()).rev().for_each(&mut solve),
            false => (0..self.rows.len()).for_each(&mut solve),
        }
        results
    }
}

/// Solves op(A) y = αx.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn solve_vector(
    handle: *mut c_void,
    operation: c_int,
    alpha: *const c_void,
    a: *const c_void,
    x: *const c_void,
    y: *mut c_void,
    compute: c_int,
    _algorithm: c_int,
    _solution: *mut c_void,
) -> c_int {
    let solve = || {
        let call = Call::of(handle)?;
        let (operation, compute) = (Operation::of(operation)?, kind(compute)?);
        let (a, x, y) = (
            SparseMatrix::copy_of(a)?,
            DenseVector::copy_of(x)?,
            DenseVector::copy_of(y)?,
        );
        if a.shape != (y.size, x.size) || x.size != y.size {
            return Err(Status::INVALID_VALUE);
        }
        a.check(&call)?;
        x.values.check(&call, x.size)?;
        y.values.check(&call, y.size)?;
        // SAFETY: caller.
        let alpha = unsafe { call.value(alpha, compute) }?;
        with_work!(compute, W => call.run(move || {
            let alpha = W::of(alpha());
            let triangle = Triangle::<W>::of(&a, operation);
            let results = triangle.solve(|row| alpha * x.values.get::<W>(row));
            for (row, value) in results.into_iter().enumerate() {
                y.values.set(row, value);
            }
        }))
    };
    answer(solve())
}

/// Memory for `SpSM`.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn solve_matrix_size(
    handle: *mut c_void,
    _a_operation: c_int,
    _b_operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _b: *const c_void,
    _c: *mut c_void,
    _compute: c_int,
    _algorithm: c_int,
    _solution: *mut c_void,
    bytes: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { some(handle, bytes) }
}

/// Prepares `SpSM`: there is nothing to prepare.
pub extern "C" fn prepare_matrix(
    handle: *mut c_void,
    _a_operation: c_int,
    _b_operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _b: *const c_void,
    _c: *mut c_void,
    _compute: c_int,
    _algorithm: c_int,
    _solution: *mut c_void,
    _memory: *mut c_void,
) -> c_int {
    answer(Call::of(handle).map(drop))
}

/// Solves op(A) C = α op(B).
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn solve_matrix(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    alpha: *const c_void,
    a: *const c_void,
    b: *const c_void,
    c: *mut c_void,
    compute: c_int,
    _algorithm: c_int,
    _solution: *mut c_void,
) -> c_int {
    let solve = || {
        let call = Call::of(handle)?;
        let (operation, of_b) = (Operation::of(a_operation)?, Operation::of(b_operation)?);
        let compute = kind(compute)?;
        let (a, b, c) = (
            SparseMatrix::copy_of(a)?,
            DenseMatrix::copy_of(b)?,
            DenseMatrix::copy_of(c)?,
        );
        if a.shape != (c.shape.0, c.shape.0) || of_b.shape(b.shape) != c.shape {
            return Err(Status::INVALID_VALUE);
        }
        a.check(&call)?;
        b.check(&call)?;
        c.check(&call)?;
        // SAFETY: caller.
        let alpha = unsafe { call.value(alpha, compute) }?;
        with_work!(compute, W => call.run(move || {
            let alpha = W::of(alpha());
            let triangle = Triangle::<W>::of(&a, operation);
            for column in 0..c.shape.1 {
                let results = triangle.solve(|row| {
                    let (row, column) = if of_b.transposed { (column, row) } else { (row, column) };
                    alpha * of_b.apply(row, column, b.values.get::<W>(b.index(row, column))).2
                });
                for (row, value) in results.into_iter().enumerate() {
                    c.values.set(c.index(row, column), value);
                }
            }
        }))
    };
    answer(solve())
}
