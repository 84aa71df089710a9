//! Operations that make a number of vectors: `dot`, `nrm2`, `asum`, `amax`, `amin`.

use std::ffi::{c_int, c_void};

use num_traits::{Float, NumCast, Zero};

use crate::call::Call;
use crate::operands::Vector;
use crate::scalar::Scalar;
use crate::status::answer;

/// The sum of x's and y's products.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn dot<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *const T,
    x_step: c_int,
    y: *const T,
    y_step: c_int,
    result: *mut T,
) -> c_int {
    // SAFETY: caller.
    unsafe { dot_of((handle, count), (x, x_step), (y, y_step), result, false) }
}

/// The same with x's conjugates.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn dot_conjugated<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *const T,
    x_step: c_int,
    y: *const T,
    y_step: c_int,
    result: *mut T,
) -> c_int {
    // SAFETY: caller.
    unsafe { dot_of((handle, count), (x, x_step), (y, y_step), result, true) }
}

unsafe fn dot_of<T: Scalar>(
    (handle, count): (*mut c_void, c_int),
    (x, x_step): (*const T, c_int),
    (y, y_step): (*const T, c_int),
    result: *mut T,
    conjugated: bool,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let result = unsafe { call.place(result) }?;
        let count = count.max(0);
        let (x, y) = (
            call.vector(x, count, x_step)?,
            call.vector(y, count, y_step)?,
        );
        // SAFETY: the place is the program's for the result.
        call.run_for_results(move || unsafe { result.write(0, x.dot(y, conjugated)) })
    };
    answer(compute())
}

/// Has a vector's number computed. What has no positive distance counts as empty.
unsafe fn reduce<T: Scalar, R: Copy + 'static>(
    handle: *mut c_void,
    count: c_int,
    (x, step): (*const T, c_int),
    result: *mut R,
    reduction: fn(Vector<T>) -> R,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let result = unsafe { call.place(result) }?;
        let count = if step > 0 { count.max(0) } else { 0 };
        let x = call.vector(x, count, step)?;
        // SAFETY: the place is the program's for the result.
        call.run_for_results(move || unsafe { result.write(0, reduction(x)) })
    };
    answer(compute())
}

/// The Euclidean norm.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn nrm2<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *const T,
    step: c_int,
    result: *mut T::Real,
) -> c_int {
    // SAFETY: caller.
    unsafe { reduce(handle, count, (x, step), result, norm) }
}

/// The Euclidean norm. Squares of numbers of 64 bits may overflow or vanish: then they are scaled.
fn norm<T: Scalar>(x: Vector<T>) -> T::Real {
    let sum: f64 = x.iter().map(Scalar::squared).sum();
    let cast = |norm: f64| <T::Real as NumCast>::from(norm).unwrap_or_else(T::Real::nan);
    if sum.is_normal() && sum > 1e-280 {
        return cast(sum.sqrt());
    }
    let parts = x
        .iter()
        .flat_map(|value| [Float::abs(value.re()), Float::abs(value.im())]);
    let most = parts.fold(
        T::Real::zero(),
        |most, part| if part > most { part } else { most },
    );
    if most.is_zero() || !Float::is_finite(most) {
        return cast(sum.sqrt());
    }
    let scaled: f64 = x.iter().map(|value| (value / T::of(most)).squared()).sum();
    most * cast(scaled.sqrt())
}

/// The sum of magnitudes: of real and imaginary parts.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn asum<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *const T,
    step: c_int,
    result: *mut T::Real,
) -> c_int {
    let sum = |x: Vector<T>| {
        let magnitudes = x.iter().map(|value| value.l1_norm());
        let sums = magnitudes.map(|one| NumCast::from(one).unwrap_or(f64::NAN));
        NumCast::from(sums.sum::<f64>()).unwrap_or_else(T::Real::nan)
    };
    // SAFETY: caller.
    unsafe { reduce(handle, count, (x, step), result, sum) }
}

/// The first index, from 1 on, of the element that `beats` the others. 0 for an empty vector.
fn index_of<T: Scalar>(x: Vector<T>, beats: fn(&T::Real, &T::Real) -> bool) -> c_int {
    let magnitudes = x.iter().map(|value| value.l1_norm()).enumerate();
    let best = magnitudes.reduce(|best, one| if beats(&one.1, &best.1) { one } else { best });
    best.map_or(0, |(index, _)| index as c_int + 1)
}

/// Where the greatest magnitude is.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn amax<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *const T,
    step: c_int,
    result: *mut c_int,
) -> c_int {
    // SAFETY: caller.
    unsafe {
        reduce(handle, count, (x, step), result, |x| {
            index_of(x, |one, best| one > best)
        })
    }
}

/// Where the smallest magnitude is.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn amin<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *const T,
    step: c_int,
    result: *mut c_int,
) -> c_int {
    // SAFETY: caller.
    unsafe {
        reduce(handle, count, (x, step), result, |x| {
            index_of(x, |one, best| one < best)
        })
    }
}
