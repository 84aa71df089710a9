//! Logarithms.

use crate::float::{Float, polynomial, split_32, split_64};

/// The logarithm where it is none of a positive finite number.
macro_rules! special {
    ($float:ident, $x:ident, $regular:expr) => {
        if $x > 0.0 && $x < $float::INFINITY {
            $regular
        } else if $x == 0.0 {
            $float::NEG_INFINITY
        } else if $x < 0.0 {
            $float::NAN
        } else {
            $x
        }
    };
}

/// ln(1 + f) - f for the mantissas of `split_32`: -f²/2 + f³ P(f).
#[inline(always)]
fn rest_32(f: f32) -> f32 {
    const P: [f32; 9] = [
        0.333_333_13,
        -0.250_000_1,
        0.200_021_19,
        -0.166_679_96,
        0.142_195_54,
        -0.124_055_9,
        0.118_881_53,
        -0.116_756_315,
        0.067_466_256,
    ];
    let square = f * f;
    f32::multiply_add(-0.5, square, f * square * polynomial(f, P))
}

#[inline(always)]
pub fn ln_32(x: f32) -> f32 {
    const LN2: [f32; 2] = [0.693_115_234_375, 0.000_031_946_184_945_309_417];
    let (f, e) = split_32(x);
    let low = f32::multiply_add(e, LN2[1], rest_32(f));
    special!(f32, x, f32::multiply_add(e, LN2[0], f + low))
}

/// `e + (f + rest) * (high + low)`, the large terms last.
#[inline(always)]
fn other_base_32(f: f32, high: f32, low: f32) -> f32 {
    let rest = rest_32(f);
    f * high + f32::multiply_add(rest, high, (f + rest) * low)
}

#[inline(always)]
pub fn log2_32(x: f32) -> f32 {
    // log2(e) has its first 11 digits here: f times them is exact if f has no more than 13.
    const LOG2_E: [f32; 2] = [1.442_382_812_5, 0.000_312_228_388_963_407_36];
    let (f, e) = split_32(x);
    special!(f32, x, e + other_base_32(f, LOG2_E[0], LOG2_E[1]))
}

#[inline(always)]
pub fn log10_32(x: f32) -> f32 {
    const LOG10_E: [f32; 2] = [0.434_204_101_562_5, 0.000_090_380_340_751_827_65];
    const LOG10_2: [f32; 2] = [0.301_025_390_625, 0.000_004_605_038_981_195_213_7];
    let (f, e) = split_32(x);
    let low = f32::multiply_add(e, LOG10_2[1], other_base_32(f, LOG10_E[0], LOG10_E[1]));
    special!(f32, x, f32::multiply_add(e, LOG10_2[0], low))
}

/// ln(1 + f) as `f - rest`, where `rest` is small: with s = f / (2 + f), ln(1 + f) = 2s + s³ P(s²), and 2s = f - sf.
#[inline(always)]
fn rest_64(f: f64) -> f64 {
    const P: [f64; 7] = [
        0.666_666_666_666_673_441,
        0.399_999_999_994_147_01,
        0.285_714_287_423_839_933,
        0.222_221_985_734_438_699,
        0.181_835_643_179_498_698,
        0.153_140_506_348_428_286,
        0.147_959_500_390_896_187,
    ];
    let s = f / (2.0 + f);
    let square = s * s;
    let half = 0.5 * f * f;
    // s f = f²/2 - s f²/2, of which the first part is rounded less.
    half - s * (half + square * polynomial(square, P))
}

#[inline(always)]
pub fn ln_64(x: f64) -> f64 {
    const LN2: [f64; 2] = [0.693_147_180_485_539_138_3, 7.440_617_110_012_396_7e-11];
    let (f, e) = split_64(x);
    let low = f64::multiply_add(e, LN2[1], -rest_64(f));
    special!(f64, x, e * LN2[0] + (f + low))
}

/// `(f - rest)` times a constant in two parts, the first of which has 33 digits, as a large and a small number.
#[inline(always)]
fn other_base_64(f: f64, constant: [f64; 2]) -> (f64, f64) {
    let rest = rest_64(f);
    let sum = f - rest;
    // The first 20 digits, which times the constant's are exact.
    let high = f64::from_bits(sum.to_bits() & (u64::MAX << 33));
    let low = (f - high) - rest;
    (high * constant[0], f64::multiply_add(low, constant[0], sum * constant[1]))
}

#[inline(always)]
pub fn log2_64(x: f64) -> f64 {
    const LOG2_E: [f64; 2] = [1.442_695_040_721_446_275_7, 1.675_171_316_488_651_1e-10];
    let (f, e) = split_64(x);
    let (high, low) = other_base_64(f, LOG2_E);
    // e + high with its rounding error: |e| >= |high| unless e = 0.
    let sum = e + high;
    let error = high - (sum - e);
    special!(f64, x, sum + (error + low))
}

#[inline(always)]
pub fn log10_64(x: f64) -> f64 {
    const LOG10_E: [f64; 2] = [0.434_294_481_878_168_880_9, 2.508_294_671_164_527_6e-11];
    const LOG10_2: [f64; 2] = [0.301_029_995_607_677_847_1, 5.630_334_806_675_097_9e-11];
    let (f, e) = split_64(x);
    let (high, low) = other_base_64(f, LOG10_E);
    let first = e * LOG10_2[0];
    let sum = first + high;
    let error = high - (sum - first);
    special!(f64, x, sum + (error + f64::multiply_add(e, LOG10_2[1], low)))
}
