//! Elementary functions of complex numbers, for AMD GPUs. complex_functions.ll has them under the names that compilers
//! call; here they get the parts of the number, and a place for those of the result. Branch cuts and the values at
//! infinity are those of C 2017, annex G, unless a comment says otherwise.

use crate::elementary::*;

/// Real and imaginary part.
type Parts = [f64; 2];

/// Defines functions of one complex number.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($re:ident, $im:ident) $body:block)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// `result` can be written.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($re: f64, $im: f64, result: *mut Parts) {
            let parts: Parts = $body;
            // SAFETY: the caller's promise.
            unsafe { result.write(parts) }
        }
    )*};
}

/// `r` · (cos φ, sin φ). A real number stays one, also where `r` is infinite.
fn polar(r: f64, angle: f64) -> Parts {
    if angle == 0.0 {
        return [r, angle];
    }
    [r * __nv_cos(angle), r * __nv_sin(angle)]
}

fn exponential(re: f64, im: f64) -> Parts {
    if re == f64::NEG_INFINITY {
        return [0.0, 0.0];
    }
    polar(__nv_exp(re), im)
}

fn logarithm(re: f64, im: f64) -> Parts {
    let radius = __nv_hypot(re, im);
    // Near 1 the radius has lost what the logarithm is made of.
    let real = if radius > 0.5 && radius < 2.0 {
        let (large, small) = if re.abs() < im.abs() {
            (im.abs(), re.abs())
        } else {
            (re.abs(), im.abs())
        };
        0.5 * __nv_log1p((large - 1.0) * (large + 1.0) + small * small)
    } else {
        __nv_log(radius)
    };
    [real, __nv_atan2(im, re)]
}

fn square_root(re: f64, im: f64) -> Parts {
    if re == 0.0 && im == 0.0 {
        return [0.0, im];
    }
    if im.is_infinite() {
        return [f64::INFINITY, im];
    }
    // Quarters, where the sum would not fit.
    let (scale, back) = if re.abs() > 1e300 || im.abs() > 1e300 {
        (0.25, 2.0)
    } else {
        (1.0, 1.0)
    };
    let (x, y) = (re.abs() * scale, im * scale);
    let root = __nv_sqrt((x + __nv_hypot(x, y)) * 0.5);
    let other = y.abs() / (2.0 * root);
    if re >= 0.0 {
        [root * back, __nv_copysign(other * back, im)]
    } else {
        [other * back, __nv_copysign(root * back, im)]
    }
}

fn hyperbolic_sine(re: f64, im: f64) -> Parts {
    if im == 0.0 {
        return [__nv_sinh(re), im];
    }
    [__nv_sinh(re) * __nv_cos(im), __nv_cosh(re) * __nv_sin(im)]
}

fn hyperbolic_cosine(re: f64, im: f64) -> Parts {
    if im == 0.0 {
        return [__nv_cosh(re), re * im];
    }
    [__nv_cosh(re) * __nv_cos(im), __nv_sinh(re) * __nv_sin(im)]
}

/// After W. Kahan, *Branch Cuts for Complex Elementary Functions* (1987).
fn hyperbolic_tangent(re: f64, im: f64) -> Parts {
    if re.abs() > 20.0 {
        let small = 4.0 * __nv_sin(im) * __nv_cos(im) * __nv_exp(-2.0 * re.abs());
        return [__nv_copysign(1.0, re), small];
    }
    let tangent = __nv_tan(im);
    let beta = 1.0 + tangent * tangent;
    let sine = __nv_sinh(re);
    let rho = __nv_sqrt(1.0 + sine * sine);
    let divisor = 1.0 + beta * sine * sine;
    [beta * rho * sine / divisor, tangent / divisor]
}

functions! {
    /// `exp`
    omptarget_complex_exp(re, im) { exponential(re, im) }
    /// `log`
    omptarget_complex_log(re, im) { logarithm(re, im) }
    /// `sqrt`
    omptarget_complex_sqrt(re, im) { square_root(re, im) }
    /// `sin z = -i sinh iz`
    omptarget_complex_sin(re, im) {
        let [x, y] = hyperbolic_sine(-im, re);
        [y, -x]
    }
    /// `cos z = cosh iz`
    omptarget_complex_cos(re, im) { hyperbolic_cosine(-im, re) }
    /// `tan z = -i tanh iz`
    omptarget_complex_tan(re, im) {
        let [x, y] = hyperbolic_tangent(-im, re);
        [y, -x]
    }
    /// `sinh`
    omptarget_complex_sinh(re, im) { hyperbolic_sine(re, im) }
    /// `cosh`
    omptarget_complex_cosh(re, im) { hyperbolic_cosine(re, im) }
    /// `tanh`
    omptarget_complex_tanh(re, im) { hyperbolic_tangent(re, im) }
}

/// (a + ib) / (c + id), after R. L. Smith, *Algorithm 116: Complex division* (CACM 1962). A division by zero gives
/// infinities and NaNs by the parts.
///
/// # Safety
/// `result` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omptarget_complex_divide(
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    result: *mut Parts,
) {
    let parts = if c == 0.0 && d == 0.0 {
        [a / c, b / c]
    } else if c.abs() >= d.abs() {
        let ratio = d / c;
        let divisor = c + d * ratio;
        [(a + b * ratio) / divisor, (b - a * ratio) / divisor]
    } else {
        let ratio = c / d;
        let divisor = c * ratio + d;
        [(a * ratio + b) / divisor, (b * ratio - a) / divisor]
    };
    // SAFETY: the caller's promise.
    unsafe { result.write(parts) }
}
