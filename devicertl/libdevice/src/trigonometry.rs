//! Sine, cosine, tangent, and the arc tangent in single precision.

use core::f64::consts::FRAC_2_PI;
use core::intrinsics;
use core::ops::Neg;

use crate::float::{Float, nearest_32, nearest_64, polynomial};

/// sin(r) for |r| <= pi/4: r + r³ P(r²); `low` is what `r` lacks.
#[inline(always)]
fn sine<const N: usize>(r: f64, low: f64, p: [f64; N]) -> f64 {
    let square = r * r;
    r + f64::multiply_add(r * square, polynomial(square, p), low)
}

/// cos(r): 1 - r²/2 + r⁴ P(r²).
#[inline(always)]
fn cosine<const N: usize>(r: f64, low: f64, p: [f64; N]) -> f64 {
    let square = r * r;
    let half = 0.5 * square;
    let first = 1.0 - half;
    let rest = f64::multiply_add(square * square, polynomial(square, p), -r * low);
    first + (((1.0 - first) - half) + rest)
}

const SINE_24: [f64; 4] = [
    -0.166_666_666_416_089_271,
    0.008_333_329_383_788_893_74,
    -0.000_198_393_341_451_109_982,
    2.718_304_767_121_738_45e-6,
];
const COSINE_24: [f64; 4] = [
    0.041_666_666_622_797_133_9,
    -0.001_388_888_375_062_585_87,
    0.000_024_799_519_244_578_467_1,
    -2.721_017_255_960_820_8e-7,
];
const SINE_53: [f64; 6] = [
    -0.166_666_666_666_666_32,
    0.008_333_333_333_322_413_81,
    -0.000_198_412_698_298_078_028,
    2.755_731_369_189_145_94e-6,
    -2.505_075_810_883_529_6e-8,
    1.589_679_519_215_156_1e-10,
];
const COSINE_53: [f64; 6] = [
    0.041_666_666_666_666_599_5,
    -0.001_388_888_888_887_412_41,
    0.000_024_801_587_289_482_273_3,
    -2.755_731_435_235_101_47e-7,
    2.087_572_327_467_516_22e-9,
    -1.135_964_782_885_161_51e-11,
];

/// The quarter turns in `x`, modulo 4, and the angle that is left, in two parts.
#[inline(always)]
fn reduce_32(x: f32) -> (i32, f32, f32) {
    // pi/2 by 24 digits, three times.
    const HALF_PI: [f32; 3] = [1.570_796_37, -4.371_138_8e-8, -1.715_124_5e-15];
    // Up to the limit, the rounding of 2/pi lets the angle exceed pi/4 by no more than a hundredth.
    let (k, whole) = nearest_32(x * FRAC_2_PI as f32);
    // Both are exact: the first as what it subtracts is nearly `x`, the other as a product's rounding error.
    let first = intrinsics::fmaf32(k, -HALF_PI[0], x);
    let second = k * HALF_PI[1];
    let lost = intrinsics::fmaf32(k, HALF_PI[1], -second);
    let r = first - second;
    let low = f32::multiply_add(k, -HALF_PI[2], ((first - r) - second) - lost);
    if x.abs() < LARGE_32 { (whole, r, low) } else { reduce_large_32(x) }
}

/// From here on angles are large: 2^18.
const LARGE_32: f32 = 262_144.0;

/// The same for large numbers: a product of integers, of which only what is below 4 quarter turns is computed (Payne
/// and Hanek).
#[cold]
#[inline(never)]
fn reduce_large_32(x: f32) -> (i32, f32, f32) {
    // The digits of 2/pi, after 32 zeros.
    const DIGITS: [u32; 8] =
        [0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab];
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 255) as usize;
    let mantissa = u64::from(bits & 0x7f_ffff | 0x80_0000);
    // x = mantissa 2^(exponent - 150), at least `LARGE_32`. Digits that times the mantissa are multiples of 4 are
    // passed over.
    let shift = exponent.clamp(145, 254) - 120;
    let (word, bit) = (shift / 32, shift % 32);
    let pair = |index: usize| u64::from(DIGITS[index]) << 32 | u64::from(DIGITS[index + 1]);
    let shifted = |index: usize| ((pair(index) << bit) >> 32) as u32;
    let words = [shifted(word), shifted(word + 1), shifted(word + 2)].map(u64::from);
    // The product's digits: 2 before the point, 62 after it.
    let product = (mantissa.wrapping_mul(words[0]) << 32)
        .wrapping_add(mantissa.wrapping_mul(words[1]))
        .wrapping_add(mantissa.wrapping_mul(words[2]) >> 32);
    let quarters = (product.wrapping_add(1 << 61) >> 62) as i32;
    let left = product.wrapping_sub((quarters as u64) << 62) as i64;
    let angle = left as f64 * (core::f64::consts::FRAC_PI_2 / 4_611_686_018_427_387_904.0);
    let (quarters, angle) = if x < 0.0 { (quarters.wrapping_neg(), -angle) } else { (quarters, angle) };
    let angle = if x.is_finite() { angle } else { f64::NAN };
    let r = angle as f32;
    (quarters, r, (angle - f64::from(r)) as f32)
}

#[inline(always)]
pub fn sincos_32(x: f32) -> (f32, f32) {
    const SINE: [f32; 3] = [-0.166_666_55, 0.008_332_16, -0.000_195_152_18];
    const COSINE: [f32; 3] = [0.041_666_645_6, -0.001_388_731_53, 0.000_024_433_082_2];
    let (quarters, r, low) = reduce_32(x);
    let square = r * r;
    let s = r + f32::multiply_add(r * square, polynomial(square, SINE), low);
    let rest = f32::multiply_add(square * square, polynomial(square, COSINE), -0.5 * square);
    let (s, c) = turned(quarters, s, 1.0 + rest);
    // Zero keeps its sign.
    (if x == 0.0 { x } else { s }, c)
}

/// Sine and cosine after quarter turns.
#[inline(always)]
fn turned<F: Neg<Output = F> + Copy>(quarters: i32, s: F, c: F) -> (F, F) {
    let swap = quarters & 1 != 0;
    let (sine, cosine) = if swap { (c, s) } else { (s, c) };
    let sine = if quarters & 2 != 0 { -sine } else { sine };
    let cosine = if quarters.wrapping_add(1) & 2 != 0 { -cosine } else { cosine };
    (sine, cosine)
}

#[inline(always)]
pub fn tan_32(x: f32) -> f32 {
    let (quarters, r, low) = reduce_32(x);
    let r = f64::from(r) + f64::from(low);
    let (s, c) = (sine(r, 0.0, SINE_24), cosine(r, 0.0, COSINE_24));
    let swap = quarters & 1 != 0;
    let (over, under) = if swap { (-c, s) } else { (s, c) };
    let tangent = (over / under) as f32;
    if x == 0.0 { x } else { tangent }
}

/// The quarter turns in `x`, modulo 4, and the angle that is left, in two parts.
#[inline(always)]
fn reduce_64(x: f64) -> (i32, f64, f64) {
    // pi/2 by 33 digits, three times, and the rest.
    const HALF_PI: [f64; 4] = [
        1.570_796_326_734_125_614_2,
        6.077_100_506_303_965_98e-11,
        2.022_266_248_711_166_456e-21,
        8.478_427_660_368_899_644e-32,
    ];
    let (k, whole) = nearest_64(x * FRAC_2_PI);
    let first = x - k * HALF_PI[0];
    let (second, lost) = difference(first, k * HALF_PI[1]);
    let (third, more) = difference(second, k * HALF_PI[2]);
    let low = (lost + more) - k * HALF_PI[3];
    let r = third + low;
    (whole as i32, r, (third - r) + low)
}

/// x - y, and what its rounding lost (Knuth).
#[inline(always)]
fn difference(x: f64, y: f64) -> (f64, f64) {
    let result = x - y;
    let part = result - x;
    (result, (x - (result - part)) - (y + part))
}

#[inline(always)]
pub fn sincos_64(x: f64) -> (f64, f64) {
    if x.abs() < 1_048_576.0 {
        let (quarters, r, low) = reduce_64(x);
        let (s, c) = turned(quarters, sine(r, low, SINE_53), cosine(r, low, COSINE_53));
        (if x == 0.0 { x } else { s }, c)
    } else {
        sincos_large_64(x)
    }
}

/// The same for large numbers: the product with as many digits of 2/pi as it takes.
#[cold]
#[inline(never)]
fn sincos_large_64(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// The arc tangent of `y / x`, by that of the smaller over the larger: t + t³ P(t²).
#[inline(always)]
pub fn atan2_32(y: f32, x: f32) -> f32 {
    const P: [f32; 9] = [
        -0.333_333_02,
        0.199_986_39,
        -0.142_652_45,
        0.109_575_743,
        -0.084_194_566,
        0.058_234_543,
        -0.031_455_721,
        0.011_064_462,
        -0.001_827_219_3,
    ];
    const HALF_PI: [f32; 2] = [1.570_796_4, -4.371_139e-8];
    let (wide, high) = (x.abs(), y.abs());
    let steep = high > wide;
    let (under, over) = if steep { (high, wide) } else { (wide, high) };
    let both = (under.is_infinite() && over.is_infinite()) as u32;
    let t = if both != 0 { 1.0 } else if under == 0.0 { 0.0 } else { over / under };
    let square = t * t;
    let rest = t * square * polynomial(square, P);
    // From the axis that is nearer: turns of pi/2, then the angle toward or away.
    let quarter = if steep { (HALF_PI[0], (HALF_PI[1] - rest) - t) } else { (0.0, rest + t) };
    let first = quarter.0 + quarter.1;
    let back = x.is_sign_negative();
    let angle = if back { 2.0 * HALF_PI[0] - (first - 2.0 * HALF_PI[1]) } else { first };
    let angle = if x.is_nan() || y.is_nan() { f32::NAN } else { angle };
    angle.copysign(y)
}

#[inline(always)]
pub fn atan_32(x: f32) -> f32 {
    let angle = atan2_32(x, 1.0);
    if x == 0.0 { x } else { angle }
}
