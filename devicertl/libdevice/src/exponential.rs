//! Exponential functions and the hyperbolic tangent.

use core::f32::consts as f32s;
use core::f64::consts as f64s;

use crate::float::{Float, clamp_32, clamp_64, nearest_32, nearest_64, polynomial, scale_32, scale_64};

/// exp(r) for |r| <= ln(2) / 2: 1 + r + r² P(r).
#[inline(always)]
fn near_zero_32(r: f32) -> f32 {
    const P: [f32; 5] = [0.499_999_93, 0.166_665_2, 0.041_668_393, 0.008_368_780, 0.001_381_449_6];
    let rest = f32::multiply_add(r * r, polynomial(r, P), r);
    1.0 + rest
}

/// The same in double precision; `low` is what `r` lacks.
#[inline(always)]
fn near_zero_64(r: f64, low: f64) -> f64 {
    const P: [f64; 10] = [
        0.500_000_000_000_001_072,
        0.166_666_666_666_664_104,
        0.041_666_666_666_529_185_1,
        0.008_333_333_333_495_559_4,
        0.001_388_888_894_392_362_46,
        0.000_198_412_695_048_786_26,
        0.000_024_801_492_761_708_394_3,
        2.755_758_725_695_970_39e-6,
        2.763_037_903_955_270_17e-7,
        2.499_998_877_429_793_29e-8,
    ];
    1.0 + (r + f64::multiply_add(r * r, polynomial(r, P), low))
}

/// exp(x), times 2 to the power of `power`.
#[inline(always)]
fn exp_scaled_32(x: f32, power: i32) -> f32 {
    const LN2: [f32; 2] = [0.693_115_234_375, 0.000_031_946_184_945_309_417];
    let x = clamp_32(x, -120.0, 100.0);
    let (k, whole) = nearest_32(x * f32s::LOG2_E);
    let r = f32::multiply_add(k, -LN2[1], f32::multiply_add(k, -LN2[0], x));
    scale_32(near_zero_32(r), whole.wrapping_add(power))
}

#[inline(always)]
pub fn exp_32(x: f32) -> f32 {
    exp_scaled_32(x, 0)
}

#[inline(always)]
pub fn exp2_32(x: f32) -> f32 {
    let x = clamp_32(x, -200.0, 200.0);
    let (k, whole) = nearest_32(x);
    scale_32(near_zero_32((x - k) * f32s::LN_2), whole)
}

#[inline(always)]
pub fn exp10_32(x: f32) -> f32 {
    const LOG10_2: [f32; 2] = [0.301_025_390_625, 0.000_004_605_038_981_195_213_7];
    const LN_10: [f32; 2] = [2.302_585_1, -3.197_550_5e-8];
    let x = clamp_32(x, -60.0, 60.0);
    let (k, whole) = nearest_32(x * f32s::LOG2_10);
    let r = f32::multiply_add(k, -LOG10_2[1], f32::multiply_add(k, -LOG10_2[0], x));
    scale_32(near_zero_32(f32::multiply_add(r, LN_10[0], r * LN_10[1])), whole)
}

#[inline(always)]
pub fn exp_64(x: f64) -> f64 {
    const LN2: [f64; 2] = [0.693_147_180_485_539_138_3, 7.440_617_110_012_396_7e-11];
    let x = clamp_64(x, -800.0, 800.0);
    let (k, whole) = nearest_64(x * f64s::LOG2_E);
    let first = x - k * LN2[0];
    let second = k * LN2[1];
    let r = first - second;
    scale_64(near_zero_64(r, (first - r) - second), whole)
}

/// 2 to the power of `x + low`, where `low` is small.
#[inline(always)]
pub fn exp2_sum_64(x: f64, low: f64) -> f64 {
    // (2^f - 1) / f for |f| <= 1/2.
    const P: [f64; 11] = [
        0.693_147_180_559_945_308,
        0.240_226_506_959_101_332,
        0.055_504_108_664_821_742_7,
        0.009_618_129_107_593_333_83,
        0.001_333_355_814_637_887_19,
        0.000_154_035_304_580_775_293,
        0.000_015_252_733_867_658_105,
        1.321_543_484_181_783_75e-6,
        1.017_804_642_392_442_51e-7,
        7.073_860_035_134_041_74e-9,
        4.457_391_718_028_494_93e-10,
    ];
    let x = clamp_64(x, -1200.0, 1200.0);
    let (k, whole) = nearest_64(x);
    let f = (x - k) + low;
    scale_64(f64::multiply_add(f, polynomial(f, P), 1.0), whole)
}

#[inline(always)]
pub fn exp2_64(x: f64) -> f64 {
    exp2_sum_64(x, 0.0)
}

/// tanh(x): near zero x + x³ P(x²), else 1 - 2 / (exp(2x) + 1).
#[inline(always)]
pub fn tanh_32(x: f32) -> f32 {
    const P: [f32; 5] = [-0.333_332_99, 0.133_319_58, -0.053_786_686, 0.020_805_392, -0.005_905_876];
    let square = x * x;
    let near = f32::multiply_add(x * square, polynomial(square, P), x);
    let far = 1.0 - 2.0 / (exp_32(2.0 * x.abs()) + 1.0);
    let size = if x.abs() < 0.6 { near } else { far };
    size.copysign(x)
}
