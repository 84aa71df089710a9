//! Operations that change vectors: `axpy`, `copy`, `scal`, `swap`.

use std::ffi::{c_int, c_void};

use crate::call::Call;
use crate::scalar::Scalar;
use crate::status::answer;

/// y := αx + y.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn axpy<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    alpha: *const T,
    x: *const T,
    x_step: c_int,
    y: *mut T,
    y_step: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let alpha = unsafe { call.factor(alpha) }?;
        let count = count.max(0);
        let (x, y) = (
            call.vector(x, count, x_step)?,
            call.vector(y, count, y_step)?,
        );
        call.run(move || {
            let alpha = alpha.get();
            y.update(x, |x, y| alpha * x + y);
        })
    };
    answer(update())
}

/// y := x.
pub extern "C" fn copy<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *const T,
    x_step: c_int,
    y: *mut T,
    y_step: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let count = count.max(0);
        let (x, y) = (
            call.vector(x, count, x_step)?,
            call.vector(y, count, y_step)?,
        );
        call.run(move || y.update(x, |x, _| x))
    };
    answer(update())
}

/// Exchanges x and y.
pub extern "C" fn swap<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *mut T,
    x_step: c_int,
    y: *mut T,
    y_step: c_int,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let count = count.max(0);
        let (x, y) = (
            call.vector(x, count, x_step)?,
            call.vector(y, count, y_step)?,
        );
        call.run(move || {
            for index in 0..x.len {
                let (left, right) = (x.get(index), y.get(index));
                x.set(index, right);
                y.set(index, left);
            }
        })
    };
    answer(update())
}

/// x := αx, for a factor of either type.
unsafe fn scale_by<T: Scalar, F: Copy + Send + 'static>(
    handle: *mut c_void,
    count: c_int,
    alpha: *const F,
    x: *mut T,
    step: c_int,
    product: fn(F, T) -> T,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let alpha = unsafe { call.factor(alpha) }?;
        // A distance that is not positive means that there is nothing to do.
        let count = if step > 0 { count.max(0) } else { 0 };
        let x = call.vector(x, count, step)?;
        call.run(move || {
            let alpha = alpha.get();
            x.update(x, |_, x| product(alpha, x));
        })
    };
    answer(update())
}

/// x := αx.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn scal<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    alpha: *const T,
    x: *mut T,
    step: c_int,
) -> c_int {
    // SAFETY: caller.
    unsafe { scale_by(handle, count, alpha, x, step, |alpha: T, x| alpha * x) }
}

/// x := αx with a real factor.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn scal_real<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    alpha: *const T::Real,
    x: *mut T,
    step: c_int,
) -> c_int {
    // SAFETY: caller.
    unsafe { scale_by(handle, count, alpha, x, step, |alpha, x| T::of(alpha) * x) }
}
