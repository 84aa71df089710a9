//! What the elementary functions share. They are written without branches: lanes of a warp that compute different
//! values then run the same instructions, on a GPU as in the vectors of the virtual GPU. Special values are selected
//! at the end.
//!
//! The coefficients are minimax polynomials (Remez's algorithm, in 60 digits) of the functions that the comments name.
//! Constants in two parts have a first part with so few digits that its product with an integer is exact.

use core::intrinsics;

/// The operations that both types of number have.
pub trait Float: Copy {
    /// `x * y + z`, in one rounding where the hardware has that.
    fn multiply_add(x: Self, y: Self, z: Self) -> Self;
}

impl Float for f32 {
    fn multiply_add(x: f32, y: f32, z: f32) -> f32 {
        intrinsics::fmuladdf32(x, y, z)
    }
}

impl Float for f64 {
    fn multiply_add(x: f64, y: f64, z: f64) -> f64 {
        intrinsics::fmuladdf64(x, y, z)
    }
}

/// The polynomial with these coefficients, that of the lowest power first (Horner's scheme).
#[inline(always)]
pub fn polynomial<F: Float, const N: usize>(x: F, coefficients: [F; N]) -> F {
    let mut value = coefficients[N - 1];
    let mut next = N - 1;
    while next > 0 {
        next -= 1;
        value = F::multiply_add(value, x, coefficients[next]);
    }
    value
}

/// Adding it rounds a number below 2^22 to an integer, which the sum's last bits then are.
const ROUND_32: f32 = 12_582_912.0;
/// The same below 2^51.
const ROUND_64: f64 = 6_755_399_441_055_744.0;

/// The nearest integer, as a number and as an integer; of what is not a number, any integer.
#[inline(always)]
pub fn nearest_32(x: f32) -> (f32, i32) {
    let sum = x + ROUND_32;
    (sum - ROUND_32, (sum.to_bits() as i32).wrapping_sub(ROUND_32.to_bits() as i32))
}

/// The same in double precision.
#[inline(always)]
pub fn nearest_64(x: f64) -> (f64, i64) {
    let sum = x + ROUND_64;
    (sum - ROUND_64, (sum.to_bits() as i64).wrapping_sub(ROUND_64.to_bits() as i64))
}

/// `x` times 2 to the power of `power`, which lies in -280 ... 254. Two factors, so that results that are subnormal are
/// rounded once.
#[inline(always)]
pub fn scale_32(x: f32, power: i32) -> f32 {
    let half = power >> 1;
    let factor = |power: i32| f32::from_bits((power.wrapping_add(127) as u32) << 23);
    x * factor(half) * factor(power.wrapping_sub(half))
}

/// The same for -2040 ... 2046.
#[inline(always)]
pub fn scale_64(x: f64, power: i64) -> f64 {
    let half = power >> 1;
    let factor = |power: i64| f64::from_bits((power.wrapping_add(1023) as u64) << 52);
    x * factor(half) * factor(power.wrapping_sub(half))
}

/// `x` within the limits; what is not a number stays what it is.
#[inline(always)]
pub fn clamp_32(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// The same in double precision.
#[inline(always)]
pub fn clamp_64(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// A number as its mantissa, from the root of 1/2 to that of 2, less 1, and its exponent. For positive finite numbers.
#[inline(always)]
pub fn split_32(x: f32) -> (f32, f32) {
    const ROOT: i32 = core::f32::consts::FRAC_1_SQRT_2.to_bits() as i32;
    let small = x < f32::MIN_POSITIVE;
    let bits = if small { x * 8_388_608.0 } else { x }.to_bits() as i32;
    let exponent = bits.wrapping_sub(ROOT) >> 23;
    let mantissa = f32::from_bits(bits.wrapping_sub(exponent << 23) as u32);
    let exponent = if small { exponent - 23 } else { exponent };
    (mantissa - 1.0, exponent as f32)
}

/// The same for normal numbers only.
#[inline(always)]
pub fn split_normal_32(x: f32) -> (f32, i32) {
    const ROOT: i32 = core::f32::consts::FRAC_1_SQRT_2.to_bits() as i32;
    let bits = x.to_bits() as i32;
    let exponent = bits.wrapping_sub(ROOT) >> 23;
    let mantissa = f32::from_bits(bits.wrapping_sub(exponent << 23) as u32);
    (mantissa - 1.0, exponent)
}

/// The same in double precision.
#[inline(always)]
pub fn split_64(x: f64) -> (f64, f64) {
    const ROOT: i64 = core::f64::consts::FRAC_1_SQRT_2.to_bits() as i64;
    let small = x < f64::MIN_POSITIVE;
    let bits = if small { x * 4_503_599_627_370_496.0 } else { x }.to_bits() as i64;
    let exponent = bits.wrapping_sub(ROOT) >> 52;
    let mantissa = f64::from_bits(bits.wrapping_sub(exponent << 52) as u64);
    let exponent = exponent as i32;
    let exponent = if small { exponent - 52 } else { exponent };
    (mantissa - 1.0, exponent.into())
}
