//! Products, quotients and elementary functions of complex numbers. complex_arithmetic.ll (NVIDIA GPUs), complex.ll and
//! complex_functions.ll (AMD GPUs) have them under the names that compilers call; here they get the parts of the
//! numbers, and a place for those of the result. Branch cuts and the values at
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

/// The direction of a number with an infinite part: ±1 for an infinite part, ±0 for another one.
macro_rules! direction {
    ($number:ty, $x:expr) => {
        <$number>::from(u8::from($x.is_infinite())).copysign($x)
    };
}

/// Defines (a + ib) · (c + id). Where both parts would be NaN although a factor is infinite, or a product of parts
/// overflowed, the result is infinite (C 2017, G.5.1).
macro_rules! multiplication {
    ($name:ident, $number:ty) => {
        /// A product of complex numbers.
        ///
        /// # Safety
        /// `result` can be written.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            a: $number,
            b: $number,
            c: $number,
            d: $number,
            result: *mut [$number; 2],
        ) {
            let mut parts = [a * c - b * d, a * d + b * c];
            if parts[0].is_nan() && parts[1].is_nan() {
                let infinite = |x: $number, y: $number| x.is_infinite() || y.is_infinite();
                let replaced = |x: $number, infinite: bool| -> $number {
                    if infinite || x.is_nan() { direction!($number, x) } else { x }
                };
                let (first, second) = (infinite(a, b), infinite(c, d));
                if first || second || infinite(a * c, b * d) || infinite(a * d, b * c) {
                    let (a, b) = (replaced(a, first), replaced(b, first));
                    let (c, d) = (replaced(c, second), replaced(d, second));
                    let infinity = <$number>::INFINITY;
                    parts = [infinity * (a * c - b * d), infinity * (a * d + b * c)];
                }
            }
            // SAFETY: the caller's promise.
            unsafe { result.write(parts) }
        }
    };
}

multiplication!(omptarget_complex_multiply, f64);
multiplication!(omptarget_complex_multiply_float, f32);

/// (a + ib) / (c + id), after R. L. Smith, *Algorithm 116: Complex division* (CACM 1962). A division by zero gives
/// infinities and NaNs by the parts. Where both parts would be NaN, an infinite number over a finite one is infinite,
/// and a finite one over an infinite one is zero (C 2017, G.5.1).
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
    let mut parts = if c == 0.0 && d == 0.0 {
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
    if parts[0].is_nan() && parts[1].is_nan() {
        let above = a.is_infinite() || b.is_infinite();
        let below = c.is_infinite() || d.is_infinite();
        if above && c.is_finite() && d.is_finite() {
            let (a, b) = (direction!(f64, a), direction!(f64, b));
            parts = [f64::INFINITY * (a * c + b * d), f64::INFINITY * (b * c - a * d)];
        } else if below && a.is_finite() && b.is_finite() {
            let (c, d) = (direction!(f64, c), direction!(f64, d));
            parts = [0.0 * (a * c + b * d), 0.0 * (b * c - a * d)];
        }
    }
    // SAFETY: the caller's promise.
    unsafe { result.write(parts) }
}
