//! Powers.

use core::intrinsics;

use crate::exponential::{exp2_32, exp2_sum_64};
use crate::float::{Float, clamp_64, nearest_64, polynomial, split_64, split_normal_32};
use crate::logarithm::log2_32;

/// Of a base and an exponent, the power by that of the base's absolute value.
macro_rules! signed {
    ($float:ident, $x:ident, $y:ident, $round:path, $power:expr) => {{
        // Beyond the digits of the mantissa all numbers are even.
        let integer = $round($y) == $y;
        let half = $y * 0.5;
        let odd = integer && $round(half) != half;
        let power = $power;
        let power = if $x.is_sign_negative() && odd { -power } else { power };
        let nothing = $x < 0.0 && !integer && $x > $float::NEG_INFINITY;
        let power = if nothing { $float::NAN } else { power };
        let one = $x == 1.0 || $y == 0.0 || ($x == -1.0 && $y.is_infinite());
        if one { 1.0 } else { power }
    }};
}

/// The binary logarithm where it is none of a positive finite number.
#[inline(always)]
fn special(x: f64, regular: f64) -> f64 {
    let other = if x == 0.0 { f64::NEG_INFINITY } else { x };
    if x > 0.0 && x < f64::INFINITY { regular } else { other }
}

/// log2(1 + f) / f for the mantissas of `split_32`, to 33 digits: a power has 24, its exponent 7 before the point.
const LOGARITHM: [f64; 12] = [
    1.442_695_040_939_369_29,
    -0.721_347_525_214_555_03,
    0.480_898_320_718_558_037,
    -0.360_672_800_325_755_327,
    0.288_540_644_255_511_847,
    -0.240_504_184_165_555_024,
    0.206_096_244_808_334_855,
    -0.179_046_776_426_152_437,
    0.159_001_496_991_682_534,
    -0.156_983_407_935_363_722,
    0.154_858_230_727_668_578,
    -0.086_344_588_001_235_178_5,
];

/// x^y = 2^(y log2(x)), with the logarithm in double precision. This is for normal numbers and results. Others take the
/// long way, which one test decides for all lanes of a warp.
#[inline(always)]
pub fn pow_32(x: f32, y: f32) -> f32 {
    // 2^f for |f| <= 1/2.
    const POWER: [f32; 7] =
        [1.0, 0.693_147_242, 0.240_226_522, 0.055_503_103_9, 0.009_617_692_79, 0.001_340_667_48, 0.000_155_947_579];
    let (f, e) = split_normal_32(x);
    let f = f64::from(f);
    let logarithm = f64::multiply_add(f, polynomial(f, LOGARITHM), e.into());
    let product = f64::from(y) * logarithm;
    let (k, whole) = nearest_64(product);
    let mantissa = polynomial((product - k) as f32, POWER);
    let power = f32::from_bits(mantissa.to_bits().wrapping_add((whole as u32) << 23));
    let base = x.to_bits().wrapping_sub(f32::MIN_POSITIVE.to_bits());
    let is_normal = base < f32::INFINITY.to_bits() - f32::MIN_POSITIVE.to_bits();
    if is_normal && product.abs() < 125.0 { power } else { any_pow_32(x, y) }
}

/// The same for all numbers.
#[inline(always)]
fn any_pow_32(x: f32, y: f32) -> f32 {
    // 2^f for |f| <= 1/2.
    const Q: [f64; 8] = [
        0.999_999_999_961_670_751,
        0.693_147_180_728_448_804,
        0.240_226_511_981_815_961,
        0.055_504_103_534_707_534_1,
        0.009_618_027_252_274_422_57,
        0.001_333_392_253_041_370_14,
        0.000_154_692_914_220_786_119,
        0.000_015_201_931_325_124_165_7,
    ];
    let base = f64::from(x.abs());
    let (f, e) = split_64(base);
    let logarithm = special(base, f64::multiply_add(f, polynomial(f, LOGARITHM), e));
    let product = clamp_64(f64::from(y) * logarithm, -300.0, 300.0);
    let (k, whole) = nearest_64(product);
    let mantissa = polynomial(product - k, Q);
    // The exponent is far from a double's limits: adding to it scales. The conversion rounds once.
    let scaled = f64::from_bits(mantissa.to_bits().wrapping_add((whole as u64) << 52));
    let power = if product.is_nan() { product } else { scaled } as f32;
    signed!(f32, x, y, intrinsics::truncf32, power)
}

/// The same in single precision. The error grows with the result's exponent, to some 100 units in the last place.
#[inline(always)]
pub fn fast_pow_32(x: f32, y: f32) -> f32 {
    signed!(f32, x, y, intrinsics::truncf32, exp2_32(y * log2_32(x.abs())))
}

/// A number as the sum of two, the second of which is what the first one lacks.
#[derive(Clone, Copy)]
struct Pair(f64, f64);

/// x + y for |x| >= |y| or x = 0.
#[inline(always)]
fn ordered_sum(x: f64, y: f64) -> Pair {
    let sum = x + y;
    Pair(sum, y - (sum - x))
}

#[inline(always)]
fn product(x: Pair, y: Pair) -> Pair {
    let first = x.0 * y.0;
    let error = intrinsics::fmaf64(x.0, y.0, -first);
    ordered_sum(first, error + (x.0 * y.1 + x.1 * y.0))
}

/// log2(x) of a positive finite number, to 65 digits.
#[inline(always)]
fn log2_pair(x: f64) -> Pair {
    // With s = f / (2 + f), ln(1 + f) = 2s + 2/3 s³ + s⁵ P(s²).
    const P: [f64; 8] = [
        0.399_999_999_999_999_775,
        0.285_714_285_714_451_002,
        0.222_222_222_175_392_299,
        0.181_818_188_699_750_015,
        0.153_845_568_942_418_592,
        0.133_363_165_211_268_108,
        0.116_748_368_150_827_685,
        0.119_888_600_031_023_895,
    ];
    const TWO_THIRDS: [f64; 2] = [0.666_666_666_666_666_63, 3.700_743_415_417_188e-17];
    const LOG2_E: Pair = Pair(1.442_695_040_888_963_387, 2.035_527_374_093_103_3e-17);
    let (f, e) = split_64(x);
    let divisor = ordered_sum(2.0, f);
    let quotient = f / divisor.0;
    let remainder = intrinsics::fmaf64(-quotient, divisor.0, f) - quotient * divisor.1;
    let s = ordered_sum(quotient, remainder / divisor.0);
    let square = product(s, s);
    let third = ordered_sum(TWO_THIRDS[0], TWO_THIRDS[1] + square.0 * polynomial(square.0, P));
    let cubic = product(product(s, square), third);
    let double = Pair(2.0 * s.0, 2.0 * s.1);
    let sum = ordered_sum(double.0, cubic.0);
    let natural = ordered_sum(sum.0, sum.1 + (double.1 + cubic.1));
    let binary = product(natural, LOG2_E);
    let sum = ordered_sum(e, binary.0);
    ordered_sum(sum.0, sum.1 + binary.1)
}

#[inline(always)]
pub fn pow_64(x: f64, y: f64) -> f64 {
    let base = x.abs();
    let logarithm = log2_pair(base);
    let first = y * logarithm.0;
    let error = intrinsics::fmaf64(y, logarithm.0, -first) + y * logarithm.1;
    // Where the product is not finite its error is no number.
    let regular = base > 0.0 && base < f64::INFINITY && first.abs() < 4096.0;
    let first = if regular { first } else { y * special(base, logarithm.0) };
    let power = exp2_sum_64(first, if regular { error } else { 0.0 });
    signed!(f64, x, y, intrinsics::truncf64, power)
}
