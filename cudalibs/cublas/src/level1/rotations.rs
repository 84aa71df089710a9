//! Givens rotations: `rot`, `rotg`.

use std::ffi::{c_int, c_void};

use num_traits::{Float, Zero};

use crate::call::Call;
use crate::scalar::Scalar;
use crate::status::answer;

/// Rotates pairs of x's and y's elements.
unsafe fn rotate<T: Scalar, S: Copy + Send + 'static>(
    (handle, count): (*mut c_void, c_int),
    (x, x_step): (*mut T, c_int),
    (y, y_step): (*mut T, c_int),
    (cosine, sine): (*const T::Real, *const S),
    scalar: fn(S) -> T,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let (cosine, sine) = unsafe { (call.factor(cosine)?, call.factor(sine)?) };
        let count = count.max(0);
        let (x, y) = (
            call.vector(x, count, x_step)?,
            call.vector(y, count, y_step)?,
        );
        call.run(move || {
            let (cosine, sine) = (T::of(cosine.get()), scalar(sine.get()));
            for index in 0..x.len {
                let (left, right) = (x.get(index), y.get(index));
                x.set(index, cosine * left + sine * right);
                y.set(index, cosine * right - sine.conj() * left);
            }
        })
    };
    answer(update())
}

/// Rotates with a sine of the elements' type.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn rot<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *mut T,
    x_step: c_int,
    y: *mut T,
    y_step: c_int,
    cosine: *const T::Real,
    sine: *const T,
) -> c_int {
    // SAFETY: caller.
    unsafe {
        rotate(
            (handle, count),
            (x, x_step),
            (y, y_step),
            (cosine, sine),
            |sine| sine,
        )
    }
}

/// Rotates with a real sine.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn rot_real<T: Scalar>(
    handle: *mut c_void,
    count: c_int,
    x: *mut T,
    x_step: c_int,
    y: *mut T,
    y_step: c_int,
    cosine: *const T::Real,
    sine: *const T::Real,
) -> c_int {
    // SAFETY: caller.
    unsafe {
        rotate(
            (handle, count),
            (x, x_step),
            (y, y_step),
            (cosine, sine),
            T::of,
        )
    }
}

/// The rotation that makes the second of two real numbers zero, as in the reference BLAS.
fn rotation<T: Float>(a: T, b: T) -> [T; 4] {
    let roe = if a.abs() > b.abs() { a } else { b };
    let scale = a.abs() + b.abs();
    if scale.is_zero() {
        return [T::zero(), T::zero(), T::one(), T::zero()];
    }
    let r = scale * ((a / scale).powi(2) + (b / scale).powi(2)).sqrt() * roe.signum();
    let (cosine, sine) = (a / r, b / r);
    let z = match (a.abs() > b.abs(), cosine.is_zero()) {
        (true, _) => sine,
        (false, false) => T::one() / cosine,
        (false, true) => T::one(),
    };
    [r, z, cosine, sine]
}

/// Makes a rotation of two real numbers, in whose places r and z go.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn rotg_real<T: Scalar + Float>(
    handle: *mut c_void,
    a: *mut T,
    b: *mut T,
    cosine: *mut T,
    sine: *mut T,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let (a, b) = unsafe { (call.place(a)?, call.place(b)?) };
        // SAFETY: caller.
        let (cosine, sine) = unsafe { (call.place(cosine)?, call.place(sine)?) };
        // SAFETY: the places are the program's for operands and results.
        call.run_for_results(move || unsafe {
            let results = rotation(a.read(0), b.read(0));
            for (place, result) in [a, b, cosine, sine].into_iter().zip(results) {
                place.write(0, result);
            }
        })
    };
    answer(compute())
}

/// Makes a rotation of two complex numbers, in the first one's place r goes.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn rotg_complex<T: Scalar>(
    handle: *mut c_void,
    a: *mut T,
    b: *mut T,
    cosine: *mut T::Real,
    sine: *mut T,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        // SAFETY: caller.
        let (a, b) = unsafe { (call.place(a)?, call.place(b)?) };
        // SAFETY: caller.
        let (cosine, sine) = unsafe { (call.place(cosine)?, call.place(sine)?) };
        // SAFETY: the places are the program's for operands and results.
        call.run_for_results(move || unsafe {
            let (first, second) = (a.read(0), b.read(0));
            let magnitude = first.abs();
            if magnitude.is_zero() {
                cosine.write(0, T::Real::zero());
                sine.write(0, T::one());
                a.write(0, second);
                return;
            }
            let norm = Float::hypot(magnitude, second.abs());
            let phase = first / T::of(magnitude);
            cosine.write(0, magnitude / norm);
            sine.write(0, phase * second.conj() / T::of(norm));
            a.write(0, phase * T::of(norm));
        })
    };
    answer(compute())
}
