//! Conversions between numbers, in every rounding mode, and between a number and its bits.

use crate::export;
use crate::rounding::{Directed, Mode};

/// Float to integers: the whole number first, then saturation (Rust's `as`, PTX's `cvt`).
macro_rules! to_integer {
    ($($float:ident $int:ident:
       $near:ident, $down:ident, $up:ident, $zero:ident = $rint:ident, $floor:ident, $ceil:ident;)*) => {
        export! { $(
            $near(x: $float) -> $int { libm::$rint(x) as $int }
            $down(x: $float) -> $int { libm::$floor(x) as $int }
            $up(x: $float) -> $int { libm::$ceil(x) as $int }
            $zero(x: $float) -> $int { x as $int }
        )* }
    };
}
to_integer! {
    f64 i32: __nv_double2int_rn, __nv_double2int_rd, __nv_double2int_ru, __nv_double2int_rz = rint, floor, ceil;
    f64 u32: __nv_double2uint_rn, __nv_double2uint_rd, __nv_double2uint_ru, __nv_double2uint_rz = rint, floor, ceil;
    f64 i64: __nv_double2ll_rn, __nv_double2ll_rd, __nv_double2ll_ru, __nv_double2ll_rz = rint, floor, ceil;
    f64 u64: __nv_double2ull_rn, __nv_double2ull_rd, __nv_double2ull_ru, __nv_double2ull_rz = rint, floor, ceil;
    f32 i32: __nv_float2int_rn, __nv_float2int_rd, __nv_float2int_ru, __nv_float2int_rz = rintf, floorf, ceilf;
    f32 u32: __nv_float2uint_rn, __nv_float2uint_rd, __nv_float2uint_ru, __nv_float2uint_rz = rintf, floorf, ceilf;
    f32 i64: __nv_float2ll_rn, __nv_float2ll_rd, __nv_float2ll_ru, __nv_float2ll_rz = rintf, floorf, ceilf;
    f32 u64: __nv_float2ull_rn, __nv_float2ull_rd, __nv_float2ull_ru, __nv_float2ull_rz = rintf, floorf, ceilf;
}

/// An integer that becomes a floating-point number.
trait Rounded<F> {
    /// The nearest number, then a step if the mode wants one.
    fn rounded(self, mode: Mode) -> F;
}

macro_rules! from_integer {
    ($($int:ident $signed:ident $float:ident: $near:ident, $down:ident, $up:ident, $zero:ident;)*) => {
        $(impl Rounded<$float> for $int {
            #[inline(always)]
            fn rounded(self, mode: Mode) -> $float {
                let near = self as $float;
                // The nearest number may be the first that the integer type does not have. (GPUs convert no integers
                // of 128 bits.)
                let error = match near >= $int::MAX as $float {
                    true => -1,
                    false => self.wrapping_sub(near as $int) as $signed,
                };
                near.directed(error as $float, mode)
            }
        })*
        export! { $(
            $near(x: $int) -> $float { x as $float }
            $down(x: $int) -> $float { x.rounded(Mode::Down) }
            $up(x: $int) -> $float { x.rounded(Mode::Up) }
            $zero(x: $int) -> $float { x.rounded(Mode::Zero) }
        )* }
    };
}
from_integer! {
    i32 i32 f32: __nv_int2float_rn, __nv_int2float_rd, __nv_int2float_ru, __nv_int2float_rz;
    u32 i32 f32: __nv_uint2float_rn, __nv_uint2float_rd, __nv_uint2float_ru, __nv_uint2float_rz;
    i64 i64 f32: __nv_ll2float_rn, __nv_ll2float_rd, __nv_ll2float_ru, __nv_ll2float_rz;
    u64 i64 f32: __nv_ull2float_rn, __nv_ull2float_rd, __nv_ull2float_ru, __nv_ull2float_rz;
    i64 i64 f64: __nv_ll2double_rn, __nv_ll2double_rd, __nv_ll2double_ru, __nv_ll2double_rz;
    u64 i64 f64: __nv_ull2double_rn, __nv_ull2double_rd, __nv_ull2double_ru, __nv_ull2double_rz;
}

fn narrow(x: f64, mode: Mode) -> f32 {
    let near = x as f32;
    if near.is_infinite() && x.is_finite() {
        return match (x > 0.0, mode) {
            (true, Mode::Up) | (false, Mode::Down) => near,
            (true, _) => f32::MAX,
            (false, _) => f32::MIN,
        };
    }
    let error = x - f64::from(near);
    near.directed(if error > 0.0 { 1.0 } else if error < 0.0 { -1.0 } else { 0.0 }, mode)
}

/// IEEE half from single, to nearest even.
fn half_from(x: f32) -> u16 {
    let bits = x.to_bits();
    let (sign, magnitude) = ((bits >> 16 & 0x8000) as u16, bits & 0x7fff_ffff);
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 65520 is the first number that rounds to infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal: adding one half puts the half's last place at the single's last place.
        let shifted = f32::from_bits(magnitude) + 0.5;
        return sign | (shifted.to_bits() - 0.5f32.to_bits()) as u16;
    }
    let odd = magnitude >> 13 & 1;
    sign | ((magnitude - 0x3800_0000 + 0xfff + odd) >> 13) as u16
}

/// Single from IEEE half, exactly.
fn half_to(h: u16) -> f32 {
    let (sign, exponent, fraction) = (u32::from(h & 0x8000) << 16, h >> 10 & 0x1f, u32::from(h & 0x3ff));
    let magnitude = match exponent {
        0 => (fraction as f32 * f32::from_bits(0x3380_0000)).to_bits(),
        31 => 0x7f80_0000 | fraction << 13,
        _ => (u32::from(exponent) + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

export! {
    __nv_int2double_rn(x: i32) -> f64 { x.into() }
    __nv_uint2double_rn(x: u32) -> f64 { x.into() }
    __nv_double2float_rn(x: f64) -> f32 { x as f32 }
    __nv_double2float_rd(x: f64) -> f32 { narrow(x, Mode::Down) }
    __nv_double2float_ru(x: f64) -> f32 { narrow(x, Mode::Up) }
    __nv_double2float_rz(x: f64) -> f32 { narrow(x, Mode::Zero) }
    __nv_float2half_rn(x: f32) -> u16 { half_from(x) }
    __nv_half2float(h: u16) -> f32 { half_to(h) }
    __nv_double2hiint(x: f64) -> i32 { (x.to_bits() >> 32) as i32 }
    __nv_double2loint(x: f64) -> i32 { x.to_bits() as i32 }
    __nv_hiloint2double(high: i32, low: i32) -> f64 {
        f64::from_bits(u64::from(high as u32) << 32 | u64::from(low as u32))
    }
    __nv_double_as_longlong(x: f64) -> i64 { x.to_bits() as i64 }
    __nv_longlong_as_double(x: i64) -> f64 { f64::from_bits(x as u64) }
    __nv_float_as_int(x: f32) -> i32 { x.to_bits() as i32 }
    __nv_float_as_uint(x: f32) -> u32 { x.to_bits() }
    __nv_int_as_float(x: i32) -> f32 { f32::from_bits(x as u32) }
    __nv_uint_as_float(x: u32) -> f32 { f32::from_bits(x) }
}
