//! The functions of C's `<math.h>`, the fast variants, and norms.

use core::intrinsics;

use crate::{error_function, exponential, export, logarithm, power, trigonometry};

/// `__nv_NAME` and `__nv_NAMEf` from the functions of the same name in `libm`.
macro_rules! from_libm {
    ($($double:ident, $single:ident: $name:ident, $name_single:ident;)*) => {
        export! {
            $(
                $double(x: f64) -> f64 { libm::$name(x) }
                $single(x: f32) -> f32 { libm::$name_single(x) }
            )*
        }
    };
    (binary: $($double:ident, $single:ident: $name:ident, $name_single:ident;)*) => {
        export! {
            $(
                $double(x: f64, y: f64) -> f64 { libm::$name(x, y) }
                $single(x: f32, y: f32) -> f32 { libm::$name_single(x, y) }
            )*
        }
    };
}

from_libm! {
    __nv_acos, __nv_acosf: acos, acosf;
    __nv_acosh, __nv_acoshf: acosh, acoshf;
    __nv_asin, __nv_asinf: asin, asinf;
    __nv_asinh, __nv_asinhf: asinh, asinhf;
    __nv_atanh, __nv_atanhf: atanh, atanhf;
    __nv_cbrt, __nv_cbrtf: cbrt, cbrtf;
    __nv_ceil, __nv_ceilf: ceil, ceilf;
    __nv_cosh, __nv_coshf: cosh, coshf;
    __nv_erfc, __nv_erfcf: erfc, erfcf;
    __nv_expm1, __nv_expm1f: expm1, expm1f;
    __nv_fabs, __nv_fabsf: fabs, fabsf;
    __nv_floor, __nv_floorf: floor, floorf;
    __nv_j0, __nv_j0f: j0, j0f;
    __nv_j1, __nv_j1f: j1, j1f;
    __nv_lgamma, __nv_lgammaf: lgamma, lgammaf;
    __nv_log1p, __nv_log1pf: log1p, log1pf;
    __nv_nearbyint, __nv_nearbyintf: rint, rintf;
    __nv_rint, __nv_rintf: rint, rintf;
    __nv_round, __nv_roundf: round, roundf;
    __nv_sinh, __nv_sinhf: sinh, sinhf;
    __nv_tgamma, __nv_tgammaf: tgamma, tgammaf;
    __nv_trunc, __nv_truncf: trunc, truncf;
    __nv_y0, __nv_y0f: y0, y0f;
    __nv_y1, __nv_y1f: y1, y1f;
}

from_libm! {
    binary:
    __nv_copysign, __nv_copysignf: copysign, copysignf;
    __nv_fdim, __nv_fdimf: fdim, fdimf;
    __nv_fmod, __nv_fmodf: fmod, fmodf;
    __nv_hypot, __nv_hypotf: hypot, hypotf;
    __nv_nextafter, __nv_nextafterf: nextafter, nextafterf;
    __nv_remainder, __nv_remainderf: remainder, remainderf;
}

/// sin and cos of pi x; exact at multiples of one half.
fn sincospi(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    // x = 2 k + quarter / 2 + rest, with |rest| <= 1/4.
    let turn = x - 2.0 * libm::rint(x / 2.0);
    let quarter = libm::rint(turn * 2.0);
    let (s, c) = trigonometry::sincos_64((turn - quarter / 2.0) * core::f64::consts::PI);
    let (s, c) = match quarter as i32 & 3 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    };
    // Zeros keep the argument's sign.
    (if s == 0.0 { libm::copysign(0.0, x) } else { s }, c + 0.0)
}

fn power(mut base: f64, exponent: i32) -> f64 {
    let (mut result, mut left) = (1.0, exponent.unsigned_abs());
    while left != 0 {
        if left & 1 != 0 {
            result *= base;
        }
        base *= base;
        left >>= 1;
    }
    if exponent < 0 { 1.0 / result } else { result }
}

/// Length of a vector; scaled, so that squares neither overflow nor vanish.
fn norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(0.0, |largest: f64, x| if x.is_nan() { largest } else { largest.max(x.abs()) });
    if largest == f64::INFINITY {
        return largest;
    }
    if largest == 0.0 {
        return values.fold(0.0, |sum, x| sum + x.abs());
    }
    let sum: f64 = values.map(|x| (x / largest) * (x / largest)).sum();
    largest * libm::sqrt(sum)
}

unsafe fn elements<'a, T>(count: i32, values: *const T) -> &'a [T] {
    // SAFETY: the caller of the exported function passes that many.
    unsafe { core::slice::from_raw_parts(values, count.max(0) as usize) }
}

export! {
    __nv_exp(x: f64) -> f64 { exponential::exp_64(x) }
    __nv_expf(x: f32) -> f32 { exponential::exp_32(x) }
    __nv_exp2(x: f64) -> f64 { exponential::exp2_64(x) }
    __nv_exp2f(x: f32) -> f32 { exponential::exp2_32(x) }
    __nv_exp10(x: f64) -> f64 { libm::exp10(x) }
    __nv_exp10f(x: f32) -> f32 { exponential::exp10_32(x) }
    __nv_log(x: f64) -> f64 { logarithm::ln_64(x) }
    __nv_logf(x: f32) -> f32 { logarithm::ln_32(x) }
    __nv_log2(x: f64) -> f64 { logarithm::log2_64(x) }
    __nv_log2f(x: f32) -> f32 { logarithm::log2_32(x) }
    __nv_log10(x: f64) -> f64 { logarithm::log10_64(x) }
    __nv_log10f(x: f32) -> f32 { logarithm::log10_32(x) }
    __nv_pow(x: f64, y: f64) -> f64 { power::pow_64(x, y) }
    __nv_powf(x: f32, y: f32) -> f32 { power::pow_32(x, y) }
    __nv_sin(x: f64) -> f64 { trigonometry::sincos_64(x).0 }
    __nv_sinf(x: f32) -> f32 { trigonometry::sincos_32(x).0 }
    __nv_cos(x: f64) -> f64 { trigonometry::sincos_64(x).1 }
    __nv_cosf(x: f32) -> f32 { trigonometry::sincos_32(x).1 }
    __nv_tan(x: f64) -> f64 { libm::tan(x) }
    __nv_tanf(x: f32) -> f32 { trigonometry::tan_32(x) }
    __nv_atan(x: f64) -> f64 { libm::atan(x) }
    __nv_atanf(x: f32) -> f32 { trigonometry::atan_32(x) }
    __nv_atan2(y: f64, x: f64) -> f64 { libm::atan2(y, x) }
    __nv_atan2f(y: f32, x: f32) -> f32 { trigonometry::atan2_32(y, x) }
    __nv_tanh(x: f64) -> f64 { libm::tanh(x) }
    __nv_tanhf(x: f32) -> f32 { exponential::tanh_32(x) }
    __nv_erf(x: f64) -> f64 { libm::erf(x) }
    __nv_erff(x: f32) -> f32 { error_function::erf_32(x) }
    __nv_sqrt(x: f64) -> f64 { intrinsics::sqrtf64(x) }
    __nv_sqrtf(x: f32) -> f32 { intrinsics::sqrtf32(x) }
    __nv_rsqrt(x: f64) -> f64 { 1.0 / intrinsics::sqrtf64(x) }
    __nv_rsqrtf(x: f32) -> f32 { 1.0 / intrinsics::sqrtf32(x) }
    __nv_rcbrt(x: f64) -> f64 { 1.0 / libm::cbrt(x) }
    __nv_rcbrtf(x: f32) -> f32 { 1.0 / libm::cbrtf(x) }
    __nv_fma(x: f64, y: f64, z: f64) -> f64 { intrinsics::fmaf64(x, y, z) }
    __nv_fmaf(x: f32, y: f32, z: f32) -> f32 { intrinsics::fmaf32(x, y, z) }
    __nv_fmax(x: f64, y: f64) -> f64 { x.max(y) }
    __nv_fmaxf(x: f32, y: f32) -> f32 { x.max(y) }
    __nv_fmin(x: f64, y: f64) -> f64 { x.min(y) }
    __nv_fminf(x: f32, y: f32) -> f32 { x.min(y) }
    __nv_powi(x: f64, n: i32) -> f64 { power(x, n) }
    __nv_powif(x: f32, n: i32) -> f32 { power(x.into(), n) as f32 }
    __nv_jn(n: i32, x: f64) -> f64 { libm::jn(n, x) }
    __nv_jnf(n: i32, x: f32) -> f32 { libm::jnf(n, x) }
    __nv_yn(n: i32, x: f64) -> f64 { libm::yn(n, x) }
    __nv_ynf(n: i32, x: f32) -> f32 { libm::ynf(n, x) }
    __nv_ldexp(x: f64, n: i32) -> f64 { libm::ldexp(x, n) }
    __nv_ldexpf(x: f32, n: i32) -> f32 { libm::ldexpf(x, n) }
    __nv_scalbn(x: f64, n: i32) -> f64 { libm::scalbn(x, n) }
    __nv_scalbnf(x: f32, n: i32) -> f32 { libm::scalbnf(x, n) }
    __nv_ilogb(x: f64) -> i32 { libm::ilogb(x) }
    __nv_ilogbf(x: f32) -> i32 { libm::ilogbf(x) }
    __nv_logb(x: f64) -> f64 {
        if x == 0.0 { f64::NEG_INFINITY } else if x.is_finite() { libm::ilogb(x).into() } else { x * x }
    }
    __nv_logbf(x: f32) -> f32 {
        if x == 0.0 { f32::NEG_INFINITY } else if x.is_finite() { libm::ilogbf(x) as f32 } else { x * x }
    }
    __nv_llrint(x: f64) -> i64 { libm::rint(x) as i64 }
    __nv_llrintf(x: f32) -> i64 { libm::rintf(x) as i64 }
    __nv_llround(x: f64) -> i64 { libm::round(x) as i64 }
    __nv_llroundf(x: f32) -> i64 { libm::roundf(x) as i64 }
    __nv_sinpi(x: f64) -> f64 { sincospi(x).0 }
    __nv_sinpif(x: f32) -> f32 { sincospi(x.into()).0 as f32 }
    __nv_cospi(x: f64) -> f64 { sincospi(x).1 }
    __nv_cospif(x: f32) -> f32 { sincospi(x.into()).1 as f32 }
    __nv_norm3d(x: f64, y: f64, z: f64) -> f64 { norm([x, y, z].into_iter()) }
    __nv_norm3df(x: f32, y: f32, z: f32) -> f32 { norm([x, y, z].into_iter().map(f64::from)) as f32 }
    __nv_norm4d(x: f64, y: f64, z: f64, t: f64) -> f64 { norm([x, y, z, t].into_iter()) }
    __nv_norm4df(x: f32, y: f32, z: f32, t: f32) -> f32 { norm([x, y, z, t].into_iter().map(f64::from)) as f32 }
    __nv_rnorm3d(x: f64, y: f64, z: f64) -> f64 { 1.0 / norm([x, y, z].into_iter()) }
    __nv_rnorm3df(x: f32, y: f32, z: f32) -> f32 { 1.0 / norm([x, y, z].into_iter().map(f64::from)) as f32 }
    __nv_rnorm4d(x: f64, y: f64, z: f64, t: f64) -> f64 { 1.0 / norm([x, y, z, t].into_iter()) }
    __nv_rnorm4df(x: f32, y: f32, z: f32, t: f32) -> f32 { 1.0 / norm([x, y, z, t].into_iter().map(f64::from)) as f32 }
    __nv_rhypot(x: f64, y: f64) -> f64 { 1.0 / libm::hypot(x, y) }
    __nv_rhypotf(x: f32, y: f32) -> f32 { 1.0 / libm::hypotf(x, y) }
    __nv_saturatef(x: f32) -> f32 { if x > 0.0 { x.min(1.0) } else { 0.0 } }
    __nv_fast_cosf(x: f32) -> f32 { trigonometry::sincos_32(x).1 }
    __nv_fast_exp10f(x: f32) -> f32 { exponential::exp10_32(x) }
    __nv_fast_expf(x: f32) -> f32 { exponential::exp_32(x) }
    __nv_fast_fdividef(x: f32, y: f32) -> f32 { x / y }
    __nv_fast_log10f(x: f32) -> f32 { logarithm::log10_32(x) }
    __nv_fast_log2f(x: f32) -> f32 { logarithm::log2_32(x) }
    __nv_fast_logf(x: f32) -> f32 { logarithm::ln_32(x) }
    __nv_fast_powf(x: f32, y: f32) -> f32 { power::fast_pow_32(x, y) }
    __nv_fast_sinf(x: f32) -> f32 { trigonometry::sincos_32(x).0 }
    __nv_fast_tanf(x: f32) -> f32 { trigonometry::tan_32(x) }
    __nv_nan(_tag: *const u8) -> f64 { f64::NAN }
    __nv_nanf(_tag: *const u8) -> f32 { f32::NAN }
    __nv_isfinited(x: f64) -> i32 { x.is_finite().into() }
    __nv_finitef(x: f32) -> i32 { x.is_finite().into() }
    __nv_isinfd(x: f64) -> i32 { x.is_infinite().into() }
    __nv_isinff(x: f32) -> i32 { x.is_infinite().into() }
    __nv_isnand(x: f64) -> i32 { x.is_nan().into() }
    __nv_isnanf(x: f32) -> i32 { x.is_nan().into() }
    __nv_signbitd(x: f64) -> i32 { x.is_sign_negative().into() }
    __nv_signbitf(x: f32) -> i32 { x.is_sign_negative().into() }
}

/// Exported functions that write through pointers.
macro_rules! export_unsafe {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? { $($body:tt)* })*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            ///
            /// # Safety
            /// The pointers are valid for what the C function of that name does.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller's promise.
                unsafe { $($body)* }
            }
        )*
    };
}

export_unsafe! {
    __nv_sincos(x: f64, s: *mut f64, c: *mut f64) { (*s, *c) = trigonometry::sincos_64(x); }
    __nv_sincosf(x: f32, s: *mut f32, c: *mut f32) { (*s, *c) = trigonometry::sincos_32(x); }
    __nv_fast_sincosf(x: f32, s: *mut f32, c: *mut f32) { (*s, *c) = trigonometry::sincos_32(x); }
    __nv_sincospi(x: f64, s: *mut f64, c: *mut f64) { (*s, *c) = sincospi(x); }
    __nv_sincospif(x: f32, s: *mut f32, c: *mut f32) {
        let (sine, cosine) = sincospi(x.into());
        (*s, *c) = (sine as f32, cosine as f32);
    }
    __nv_frexp(x: f64, e: *mut i32) -> f64 {
        let (mantissa, exponent) = libm::frexp(x);
        *e = exponent;
        mantissa
    }
    __nv_frexpf(x: f32, e: *mut i32) -> f32 {
        let (mantissa, exponent) = libm::frexpf(x);
        *e = exponent;
        mantissa
    }
    __nv_modf(x: f64, whole: *mut f64) -> f64 {
        let (fraction, integer) = libm::modf(x);
        *whole = integer;
        if x.is_infinite() { libm::copysign(0.0, x) } else { fraction }
    }
    __nv_modff(x: f32, whole: *mut f32) -> f32 {
        let (fraction, integer) = libm::modff(x);
        *whole = integer;
        if x.is_infinite() { libm::copysignf(0.0, x) } else { fraction }
    }
    __nv_remquo(x: f64, y: f64, q: *mut i32) -> f64 {
        let (rest, quotient) = libm::remquo(x, y);
        *q = quotient;
        rest
    }
    __nv_remquof(x: f32, y: f32, q: *mut i32) -> f32 {
        let (rest, quotient) = libm::remquof(x, y);
        *q = quotient;
        rest
    }
    __nv_norm(n: i32, v: *const f64) -> f64 { norm(elements(n, v).iter().copied()) }
    __nv_normf(n: i32, v: *const f32) -> f32 { norm(elements(n, v).iter().map(|&x| x.into())) as f32 }
    __nv_rnorm(n: i32, v: *const f64) -> f64 { 1.0 / norm(elements(n, v).iter().copied()) }
    __nv_rnormf(n: i32, v: *const f32) -> f32 { 1.0 / norm(elements(n, v).iter().map(|&x| x.into())) as f32 }
}
