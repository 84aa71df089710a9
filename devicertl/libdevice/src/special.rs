//! Special functions that C's `<math.h>` has not: inverse and scaled error functions, the normal
//! distribution, modified Bessel functions.

use core::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

use crate::export;

/// exp(x²) erfc(x).
fn erfcx(x: f64) -> f64 {
    if x < 25.0 {
        // exp(x²), with what the rounding of x² lost put back.
        let square = x * x;
        let lost = core::intrinsics::fmaf64(x, x, -square);
        return libm::exp(square) * (1.0 + lost) * libm::erfc(x);
    }
    // Asymptotic series 1/(x√π) (1 - 1/(2x²) + 3/(4x⁴) - 15/(8x⁶) …); four terms are exact to 1e-17 here.
    let t = 1.0 / (2.0 * x * x);
    (1.0 - t * (1.0 - 3.0 * t * (1.0 - 5.0 * t * (1.0 - 7.0 * t)))) / (x * libm::sqrt(PI))
}

/// The x with erfc(x) = y, for 0 < y <= 1: a start from the tail's leading term, then Newton's method on
/// ln erfc, which is nearly quadratic and so converges from there in a few steps.
fn erfcinv_upper(y: f64) -> f64 {
    if y > 0.5 {
        return erfinv_small(1.0 - y);
    }
    let log = -libm::log(y);
    let mut x = libm::sqrt((log - 0.5 * libm::log(PI * log.max(0.1))).max(0.01));
    for _ in 0..8 {
        // d/dx ln erfc(x) = -2 / (√π erfcx(x)); ln erfc(x) = ln erfcx(x) - x².
        let scaled = erfcx(x);
        let value = libm::log(scaled) - x * x + log;
        x += value * scaled * libm::sqrt(PI) / 2.0;
    }
    x
}

/// The x with erf(x) = y, for |y| <= 1/2: Newton's method with the second derivative (Halley).
fn erfinv_small(y: f64) -> f64 {
    let mut x = y * libm::sqrt(PI) / 2.0;
    for _ in 0..6 {
        let step = (libm::erf(x) - y) * libm::sqrt(PI) / 2.0 * libm::exp(x * x);
        x -= step / (1.0 + x * step);
    }
    x
}

fn erfcinv(y: f64) -> f64 {
    if !(0.0..=2.0).contains(&y) {
        f64::NAN
    } else if y == 0.0 {
        f64::INFINITY
    } else if y == 2.0 {
        f64::NEG_INFINITY
    } else if y <= 1.0 {
        erfcinv_upper(y)
    } else {
        -erfcinv_upper(2.0 - y)
    }
}

fn erfinv(y: f64) -> f64 {
    if y.is_nan() || y.abs() > 1.0 {
        f64::NAN
    } else if y.abs() <= 0.5 {
        erfinv_small(y)
    } else {
        libm::copysign(erfcinv(1.0 - y.abs()), y)
    }
}

fn normcdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

fn normcdfinv(p: f64) -> f64 {
    -SQRT_2 * erfcinv(2.0 * p)
}

/// I_order(x) for order 0 or 1 and x >= 0: the power series, whose terms are all positive, or for large x the
/// asymptotic series (DLMF 10.25.2, 10.40.1).
fn bessel_i(order: f64, x: f64) -> f64 {
    if !x.is_finite() {
        return x;
    }
    if x <= 30.0 {
        let quarter = x * x / 4.0;
        let mut term = if order == 0.0 { 1.0 } else { x / 2.0 };
        let mut sum = term;
        let mut k = 1.0;
        while term > sum * 1e-17 {
            term *= quarter / (k * (k + order));
            sum += term;
            k += 1.0;
        }
        return sum;
    }
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while k < 30.0 {
        let odd = 2.0 * k - 1.0;
        let next = -term * (4.0 * order * order - odd * odd) / (8.0 * k * x);
        if libm::fabs(next) < 1e-17 || libm::fabs(next) > libm::fabs(term) {
            break;
        }
        term = next;
        sum += term;
        k += 1.0;
    }
    // exp(x) alone would overflow before the result does.
    let half = libm::exp(x / 2.0);
    half / libm::sqrt(2.0 * PI * x) * sum * half
}

export! {
    __nv_erfcx(x: f64) -> f64 { erfcx(x) }
    __nv_erfcxf(x: f32) -> f32 { erfcx(x.into()) as f32 }
    __nv_erfcinv(y: f64) -> f64 { erfcinv(y) }
    __nv_erfcinvf(y: f32) -> f32 { erfcinv(y.into()) as f32 }
    __nv_erfinv(y: f64) -> f64 { erfinv(y) }
    __nv_erfinvf(y: f32) -> f32 { erfinv(y.into()) as f32 }
    __nv_normcdf(x: f64) -> f64 { normcdf(x) }
    __nv_normcdff(x: f32) -> f32 { normcdf(x.into()) as f32 }
    __nv_normcdfinv(p: f64) -> f64 { normcdfinv(p) }
    __nv_normcdfinvf(p: f32) -> f32 { normcdfinv(p.into()) as f32 }
    __nv_cyl_bessel_i0(x: f64) -> f64 { bessel_i(0.0, libm::fabs(x)) }
    __nv_cyl_bessel_i0f(x: f32) -> f32 { bessel_i(0.0, libm::fabs(x.into())) as f32 }
    __nv_cyl_bessel_i1(x: f64) -> f64 { libm::copysign(bessel_i(1.0, libm::fabs(x)), x) }
    __nv_cyl_bessel_i1f(x: f32) -> f32 { libm::copysign(bessel_i(1.0, libm::fabs(x.into())), x.into()) as f32 }
}
