//! Small problems by Householder reflections: `geqrf` and `gels`.

use std::ffi::{c_int, c_void};

use num_traits::{Float, Zero};

use crate::batched::pointers::Batch;
use crate::call::{Call, size};
use crate::operands::Matrix;
use crate::product::Triangle;
use crate::scalar::Scalar;
use crate::status::{Status, answer};
use crate::triangular::Triangular;

/// Makes the reflection H = I − τvvᴴ that leaves of a column its first element alone, which becomes real (LAPACK's
/// `larfg`). v's first element is 1; the others take the column's place.
fn reflect<T: Scalar>(column: Matrix<T>) -> T {
    let first = column.get(0, 0);
    let below = (1..column.rows).map(|row| column.get(row, 0).abs());
    let norm = below.fold(T::Real::zero(), |norm, one| Float::hypot(norm, one));
    if norm.is_zero() && first.im().is_zero() {
        return T::zero();
    }
    let length = Float::hypot(norm, first.abs());
    let beta = if first.re() > T::Real::zero() {
        -length
    } else {
        length
    };
    let scale = T::one() / (first - T::of(beta));
    for row in 1..column.rows {
        column.set(row, 0, column.get(row, 0) * scale);
    }
    column.set(0, 0, T::of(beta));
    (T::of(beta) - first) / T::of(beta)
}

/// b := Hᴴb.
fn apply<T: Scalar>(v: Matrix<T>, tau: T, b: Matrix<T>) {
    for column in 0..b.columns {
        let rest = (1..b.rows).map(|row| v.get(row, 0).conj() * b.get(row, column));
        let sum = rest.fold(b.get(0, column), |sum, one| sum + one) * tau.conj();
        b.set(0, column, b.get(0, column) - sum);
        for row in 1..b.rows {
            b.set(row, column, b.get(row, column) - v.get(row, 0) * sum);
        }
    }
}

/// A := QR: R above, the reflections' vectors below the diagonal. Returns their factors.
fn factor<T: Scalar>(a: Matrix<T>) -> Vec<T> {
    let steps = 0..a.rows.min(a.columns);
    let step = |index: usize| {
        let rows = a.rows - index;
        let column = a.part(index, index, rows, 1);
        let tau = reflect(column);
        apply(
            column,
            tau,
            a.part(index, index + 1, rows, a.columns - index - 1),
        );
        tau
    };
    steps.map(step).collect()
}

/// Minimises ‖C − AX‖. X takes the place of C's first rows. Returns the number of a zero on R's diagonal, or 0.
fn solve<T: Scalar>(a: Matrix<T>, c: Matrix<T>) -> c_int {
    let taus = factor(a);
    for (index, tau) in taus.into_iter().enumerate() {
        let rows = a.rows - index;
        apply(
            a.part(index, index, rows, 1),
            tau,
            c.part(index, 0, rows, c.columns),
        );
    }
    let matrix = a.part(0, 0, a.columns, a.columns);
    let zero = (0..a.columns).position(|row| matrix.get(row, row) == T::zero());
    if let Some(row) = zero {
        return row as c_int + 1;
    }
    let upper = Triangular {
        matrix,
        triangle: Triangle::Upper,
        unit: false,
    };
    upper.solve(c.part(0, 0, a.columns, c.columns));
    0
}

/// Factors the matrices of a batch.
///
/// # Safety
/// The address for the host's information is null or valid.
pub unsafe extern "C" fn geqrf_batched<T: Scalar>(
    handle: *mut c_void,
    rows: c_int,
    columns: c_int,
    a: *const *mut T,
    leading: c_int,
    taus: *const *mut T,
    info: *mut c_int,
    count: c_int,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let info = unsafe { info.as_mut() }.ok_or(Status::INVALID_VALUE)?;
        *info = 0;
        let shape = call.shape(rows, columns, leading)?;
        let factors = rows.min(columns);
        let factors = call.shape(factors, 1, factors.max(1))?;
        if size(count)? == 0 {
            return Ok(());
        }
        let a = Batch::listed(&call, a, shape, count)?;
        let taus = Batch::listed(&call, taus, factors, count)?;
        call.run(move || {
            if a.is_valid() && taus.is_valid() {
                a.for_each(|index, a| {
                    let factors = factor(a);
                    taus.matrix(index).fill(|row, _| factors[row]);
                });
            }
        })
    };
    answer(compute())
}

/// Solves least-squares problems with at least as many equations as unknowns.
///
/// # Safety
/// The address for the host's information is null or valid.
pub unsafe extern "C" fn gels_batched<T: Scalar>(
    handle: *mut c_void,
    operation: c_int,
    rows: c_int,
    columns: c_int,
    right_sides: c_int,
    a: *const *mut T,
    a_leading: c_int,
    c: *const *mut T,
    c_leading: c_int,
    info: *mut c_int,
    device_info: *mut c_int,
    count: c_int,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let info = unsafe { info.as_mut() }.ok_or(Status::INVALID_VALUE)?;
        *info = 0;
        if operation != 0 || rows < columns {
            return Err(Status::NOT_SUPPORTED);
        }
        let a_shape = call.shape(rows, columns, a_leading)?;
        let c_shape = call.shape(rows, right_sides, c_leading)?;
        if size(count)? == 0 {
            return Ok(());
        }
        let device_info = match device_info.is_null() {
            true => None,
            false => Some(call.elements(device_info, size(count)?)?),
        };
        let a = Batch::listed(&call, a, a_shape, count)?;
        let c = Batch::listed(&call, c, c_shape, count)?;
        call.run(move || {
            if !(a.is_valid() && c.is_valid()) {
                return;
            }
            c.for_each(|index, c| {
                let zero = solve(a.matrix(index), c);
                if let Some(list) = device_info {
                    // SAFETY: the list was checked as a whole.
                    unsafe { list.write(index, zero) };
                }
            });
        })
    };
    answer(compute())
}
