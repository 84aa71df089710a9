//! Small linear systems by LU factors: `getrf`, `getrs`, `getri`, `matinv`.

use std::ffi::{c_int, c_void};

use crate::batched::pointers::Batch;
use crate::call::{Call, Operation, Target, size};
use crate::operands::Matrix;
use crate::product::Triangle;
use crate::scalar::Scalar;
use crate::status::{Status, answer};
use crate::triangular::Triangular;

/// Factors A into a unit lower and an upper triangle in A's place. With pivots, rows are exchanged so that the greatest
/// element of a column divides; the rows' numbers count from 1. Returns the number of the first zero pivot, or 0.
pub fn factor<T: Scalar>(a: Matrix<T>, mut pivot: Option<&mut dyn FnMut(usize, usize)>) -> c_int {
    let mut zero = 0;
    for column in 0..a.rows.min(a.columns) {
        if let Some(pivot) = pivot.as_mut() {
            let magnitudes = (column..a.rows).map(|row| (row, a.get(row, column).l1_norm()));
            let greatest = magnitudes.reduce(|best, one| if one.1 > best.1 { one } else { best });
            let row = greatest.map_or(column, |(row, _)| row);
            exchange(a, column, row);
            pivot(column, row);
        }
        let divisor = a.get(column, column);
        if divisor == T::zero() {
            if zero == 0 {
                zero = column as c_int + 1;
            }
            continue;
        }
        for row in column + 1..a.rows {
            a.set(row, column, a.get(row, column) / divisor);
        }
        for other in column + 1..a.columns {
            let factor = a.get(column, other);
            for row in column + 1..a.rows {
                a.set(row, other, a.get(row, other) - a.get(row, column) * factor);
            }
        }
    }
    zero
}

fn exchange<T: Scalar>(a: Matrix<T>, one: usize, other: usize) {
    if one != other {
        for column in 0..a.columns {
            let value = a.get(one, column);
            a.set(one, column, a.get(other, column));
            a.set(other, column, value);
        }
    }
}

/// The two triangles of factors.
fn triangles<T>(factors: Matrix<T>) -> (Triangular<T>, Triangular<T>)
where
    T: Scalar,
{
    let of = |triangle, unit| Triangular {
        matrix: factors,
        triangle,
        unit,
    };
    (of(Triangle::Lower, true), of(Triangle::Upper, false))
}

/// The pivots of a batch: a number for each row of each matrix, or none.
#[derive(Clone, Copy)]
struct Pivots {
    list: Option<Target<c_int>>,
    order: usize,
}

impl Pivots {
    fn of(
        call: &Call,
        list: *const c_int,
        order: c_int,
        count: c_int,
    ) -> crate::status::Result<Pivots> {
        let order = size(order)?;
        let list = match list.is_null() {
            true => None,
            false => Some(call.elements(list, order * size(count)?)?),
        };
        Ok(Pivots { list, order })
    }

    /// The row that was exchanged with this one. Numbers that name no row count as the row itself.
    fn get(&self, matrix: usize, row: usize) -> usize {
        let Some(list) = self.list else { return row };
        // SAFETY: the list was checked as a whole.
        let number = unsafe { list.read(matrix * self.order + row) };
        match usize::try_from(number) {
            Ok(number @ 1..) if number <= self.order => number - 1,
            _ => row,
        }
    }

    /// Exchanges rows as they were when the matrix was factored.
    fn apply<T: Scalar>(&self, matrix: usize, b: Matrix<T>) {
        (0..self.order).for_each(|row| exchange(b, row, self.get(matrix, row)));
    }

    /// Takes the exchanges back.
    fn take_back<T: Scalar>(&self, matrix: usize, b: Matrix<T>) {
        (0..self.order)
            .rev()
            .for_each(|row| exchange(b, row, self.get(matrix, row)));
    }
}

/// Factors the matrices of a batch.
pub extern "C" fn getrf_batched<T: Scalar>(
    handle: *mut c_void,
    order: c_int,
    a: *const *mut T,
    leading: c_int,
    pivots: *mut c_int,
    info: *mut c_int,
    count: c_int,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        let shape = call.shape(order, order, leading)?;
        let info = call.elements(info, size(count)?)?;
        let pivots = Pivots::of(&call, pivots, order, count)?;
        if size(count)? == 0 {
            return Ok(());
        }
        let a = Batch::listed(&call, a, shape, count)?;
        call.run(move || {
            if !a.is_valid() {
                return;
            }
            a.for_each(|index, a| {
                let mut note = |row: usize, other: usize| {
                    if let Some(list) = pivots.list {
                        // SAFETY: the list was checked as a whole.
                        unsafe { list.write(index * pivots.order + row, other as c_int + 1) };
                    }
                };
                let zero = match pivots.list {
                    Some(_) => factor(a, Some(&mut note)),
                    None => factor(a, None),
                };
                // SAFETY: the list was checked as a whole.
                unsafe { info.write(index, zero) };
            });
        })
    };
    answer(compute())
}

/// Solves op(A) X = B with A's factors. X takes B's place.
///
/// # Safety
/// The address for the host's information is null or valid.
pub unsafe extern "C" fn getrs_batched<T: Scalar>(
    handle: *mut c_void,
    operation: c_int,
    order: c_int,
    columns: c_int,
    a: *const *const T,
    a_leading: c_int,
    pivots: *const c_int,
    b: *const *mut T,
    b_leading: c_int,
    info: *mut c_int,
    count: c_int,
) -> c_int {
    let solve = || {
        let call = Call::of(handle)?;
        let operation = Operation::of(operation)?;
        let a_shape = call.shape(order, order, a_leading)?;
        let b_shape = call.shape(order, columns, b_leading)?;
        // SAFETY: caller.
        let info = unsafe { info.as_mut() }.ok_or(Status::INVALID_VALUE)?;
        *info = 0;
        if size(count)? == 0 {
            return Ok(());
        }
        let pivots = Pivots::of(&call, pivots, order, count)?;
        let a = Batch::listed(&call, a.cast(), a_shape, count)?;
        let b = Batch::listed(&call, b, b_shape, count)?;
        call.run(move || {
            if a.is_valid() && b.is_valid() {
                b.for_each(|index, b| {
                    solve_factored(a.matrix(index), operation, &pivots, index, b)
                });
            }
        })
    };
    answer(solve())
}

fn solve_factored<T: Scalar>(
    factors: Matrix<T>,
    operation: Operation,
    pivots: &Pivots,
    index: usize,
    b: Matrix<T>,
) {
    if operation == Operation::None {
        let (lower, upper) = triangles(factors);
        pivots.apply(index, b);
        lower.solve(b);
        upper.solve(b);
        return;
    }
    let factors = match operation {
        Operation::Adjoint => factors.conjugate(),
        _ => factors,
    };
    let (lower, upper) = triangles(factors);
    upper.transposed().solve(b);
    lower.transposed().solve(b);
    pivots.take_back(index, b);
}

/// Inverts a factored matrix into another.
fn invert<T: Scalar>(factors: Matrix<T>, pivots: &Pivots, index: usize, c: Matrix<T>) {
    c.fill(|row, column| if row == column { T::one() } else { T::zero() });
    solve_factored(factors, Operation::None, pivots, index, c);
}

/// The number of the first zero on the diagonal, or 0.
fn first_zero<T: Scalar>(factors: Matrix<T>) -> c_int {
    let zero = (0..factors.rows).position(|row| factors.get(row, row) == T::zero());
    zero.map_or(0, |row| row as c_int + 1)
}

/// Inverts matrices, given their factors.
pub extern "C" fn getri_batched<T: Scalar>(
    handle: *mut c_void,
    order: c_int,
    a: *const *const T,
    a_leading: c_int,
    pivots: *const c_int,
    c: *const *mut T,
    c_leading: c_int,
    info: *mut c_int,
    count: c_int,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        let a_shape = call.shape(order, order, a_leading)?;
        let c_shape = call.shape(order, order, c_leading)?;
        let info = call.elements(info, size(count)?)?;
        if size(count)? == 0 {
            return Ok(());
        }
        let pivots = Pivots::of(&call, pivots, order, count)?;
        let a = Batch::listed(&call, a.cast(), a_shape, count)?;
        let c = Batch::listed(&call, c, c_shape, count)?;
        call.run(move || {
            if !(a.is_valid() && c.is_valid()) {
                return;
            }
            c.for_each(|index, c| {
                let factors = a.matrix(index);
                let zero = first_zero(factors);
                if zero == 0 {
                    invert(factors, &pivots, index, c);
                }
                // SAFETY: the list was checked as a whole.
                unsafe { info.write(index, zero) };
            });
        })
    };
    answer(compute())
}

/// `matinvBatched` takes matrices up to this order.
const GREATEST_INVERSE: c_int = 32;

/// Inverts matrices.
pub extern "C" fn matinv_batched<T: Scalar>(
    handle: *mut c_void,
    order: c_int,
    a: *const *const T,
    a_leading: c_int,
    inverse: *const *mut T,
    inverse_leading: c_int,
    info: *mut c_int,
    count: c_int,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        if order > GREATEST_INVERSE {
            return Err(Status::INVALID_VALUE);
        }
        let a_shape = call.shape(order, order, a_leading)?;
        let shape = call.shape(order, order, inverse_leading)?;
        let info = call.elements(info, size(count)?)?;
        if size(count)? == 0 {
            return Ok(());
        }
        let a = Batch::listed(&call, a.cast(), a_shape, count)?;
        let inverse = Batch::listed(&call, inverse, shape, count)?;
        call.run(move || {
            if !(a.is_valid() && inverse.is_valid()) {
                return;
            }
            inverse.for_each(|index, inverse| {
                let zero = invert_whole(a.matrix(index), inverse);
                // SAFETY: the list was checked as a whole.
                unsafe { info.write(index, zero) };
            });
        })
    };
    answer(compute())
}

fn invert_whole<T: Scalar>(a: Matrix<T>, inverse: Matrix<T>) -> c_int {
    let mut storage = vec![T::zero(); a.rows * a.rows];
    let factors = Matrix::over(&mut storage, a.rows, a.rows);
    factors.fill(|row, column| a.get(row, column));
    let mut rows: Vec<c_int> = Vec::new();
    let zero = factor(factors, Some(&mut |_, other| rows.push(other as c_int + 1)));
    if zero == 0 {
        let pivots = Pivots {
            list: Some(Target(rows.as_mut_ptr())),
            order: a.rows,
        };
        invert(factors, &pivots, 0, inverse);
    }
    zero
}
