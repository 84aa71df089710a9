//! Arithmetic in a given rounding mode: nearest (`rn`), down (`rd`), up (`ru`), to zero (`rz`).
//!
//! The result to nearest is at most one step off; which way is read from the sign of its exact error, which
//! error-free transformations give (Knuth's two-sum; the remainder of a product, quotient or root by
//! fused multiply-add; Boldo and Muller's error of a fused multiply-add).

use core::intrinsics;

use crate::export;

/// Rounding modes other than to nearest.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
    /// Toward zero.
    Zero,
}

/// A float whose neighbours and exact errors can be had.
pub trait Directed: Copy + PartialOrd {
    /// One step, or none, from the nearest value toward the mode's direction; `error` has the sign of
    /// (exact result - nearest).
    fn directed(self, error: Self, mode: Mode) -> Self;
}

macro_rules! directed {
    ($float:ident, $fma:ident, $sqrt:ident) => {
        impl Directed for $float {
            fn directed(self, error: $float, mode: Mode) -> $float {
                if self.is_nan() {
                    return self;
                }
                if self.is_infinite() {
                    // Overflow of finite operands: the error is not a number then.
                    return self;
                }
                let up = match mode {
                    Mode::Up => true,
                    Mode::Down => false,
                    Mode::Zero => self < 0.0 || (self == 0.0 && error < 0.0),
                };
                if up && error > 0.0 {
                    self.next_up()
                } else if !up && error < 0.0 {
                    self.next_down()
                } else {
                    self
                }
            }
        }

        /// What an overflow to infinity is in a directed mode.
        impl Overflow for $float {
            fn overflow(self, mode: Mode, operands_finite: bool) -> $float {
                if !(self.is_infinite() && operands_finite) {
                    return self;
                }
                match (self > 0.0, mode) {
                    (true, Mode::Down | Mode::Zero) => $float::MAX,
                    (false, Mode::Up | Mode::Zero) => $float::MIN,
                    _ => self,
                }
            }
        }

        impl Arithmetic for $float {
            fn add(a: $float, b: $float, mode: Mode) -> $float {
                let sum = a + b;
                // An exact zero of opposite operands is negative when rounding down.
                if sum == 0.0 && a == -b && mode == Mode::Down && a != 0.0 {
                    return -0.0;
                }
                sum.directed(two_sum_error(a, b, sum), mode).overflow(mode, a.is_finite() && b.is_finite())
            }

            fn mul(a: $float, b: $float, mode: Mode) -> $float {
                let product = a * b;
                let error = intrinsics::$fma(a, b, -product);
                product.directed(error, mode).overflow(mode, a.is_finite() && b.is_finite())
            }

            fn div(a: $float, b: $float, mode: Mode) -> $float {
                let quotient = a / b;
                if !quotient.is_finite() || !b.is_finite() {
                    return quotient.overflow(mode, a.is_finite() && b != 0.0);
                }
                let rest = intrinsics::$fma(-quotient, b, a);
                quotient.directed(if b < 0.0 { -rest } else { rest }, mode)
            }

            fn sqrt(a: $float, mode: Mode) -> $float {
                let root = intrinsics::$sqrt(a);
                root.directed(intrinsics::$fma(-root, root, a), mode)
            }

            fn fma(a: $float, b: $float, c: $float, mode: Mode) -> $float {
                let result = intrinsics::$fma(a, b, c);
                if !result.is_finite() {
                    return result.overflow(mode, a.is_finite() && b.is_finite() && c.is_finite());
                }
                let product = a * b;
                let product_low = intrinsics::$fma(a, b, -product);
                let sum = c + product_low;
                let sum_low = two_sum_error(c, product_low, sum);
                let total = product + sum;
                let total_low = two_sum_error(product, sum, total);
                let gap = (total - result) + total_low;
                let error = gap + sum_low;
                result.directed(error, mode)
            }
        }
    };
}

trait Overflow {
    fn overflow(self, mode: Mode, operands_finite: bool) -> Self;
}

/// Operations in a directed mode.
trait Arithmetic {
    fn add(a: Self, b: Self, mode: Mode) -> Self;
    fn mul(a: Self, b: Self, mode: Mode) -> Self;
    fn div(a: Self, b: Self, mode: Mode) -> Self;
    fn sqrt(a: Self, mode: Mode) -> Self;
    fn fma(a: Self, b: Self, c: Self, mode: Mode) -> Self;
}

fn two_sum_error<T>(a: T, b: T, sum: T) -> T
where
    T: Copy + core::ops::Sub<Output = T> + core::ops::Add<Output = T>,
{
    let b_part = sum - a;
    let a_part = sum - b_part;
    (a - a_part) + (b - b_part)
}

directed!(f64, fmaf64, sqrtf64);
directed!(f32, fmaf32, sqrtf32);

macro_rules! binary {
    ($float:ident: $($near:ident, $down:ident, $up:ident, $zero:ident = $operator:tt, $method:ident;)*) => {
        export! { $(
            $near(x: $float, y: $float) -> $float { x $operator y }
            $down(x: $float, y: $float) -> $float { $float::$method(x, y, Mode::Down) }
            $up(x: $float, y: $float) -> $float { $float::$method(x, y, Mode::Up) }
            $zero(x: $float, y: $float) -> $float { $float::$method(x, y, Mode::Zero) }
        )* }
    };
}
binary! { f64:
    __nv_dadd_rn, __nv_dadd_rd, __nv_dadd_ru, __nv_dadd_rz = +, add;
    __nv_dmul_rn, __nv_dmul_rd, __nv_dmul_ru, __nv_dmul_rz = *, mul;
    __nv_ddiv_rn, __nv_ddiv_rd, __nv_ddiv_ru, __nv_ddiv_rz = /, div;
}
binary! { f32:
    __nv_fadd_rn, __nv_fadd_rd, __nv_fadd_ru, __nv_fadd_rz = +, add;
    __nv_fmul_rn, __nv_fmul_rd, __nv_fmul_ru, __nv_fmul_rz = *, mul;
    __nv_fdiv_rn, __nv_fdiv_rd, __nv_fdiv_ru, __nv_fdiv_rz = /, div;
}

export! {
    __nv_dsub_rn(x: f64, y: f64) -> f64 { x - y }
    __nv_dsub_rd(x: f64, y: f64) -> f64 { f64::add(x, -y, Mode::Down) }
    __nv_dsub_ru(x: f64, y: f64) -> f64 { f64::add(x, -y, Mode::Up) }
    __nv_dsub_rz(x: f64, y: f64) -> f64 { f64::add(x, -y, Mode::Zero) }
    __nv_fsub_rn(x: f32, y: f32) -> f32 { x - y }
    __nv_fsub_rd(x: f32, y: f32) -> f32 { f32::add(x, -y, Mode::Down) }
    __nv_fsub_ru(x: f32, y: f32) -> f32 { f32::add(x, -y, Mode::Up) }
    __nv_fsub_rz(x: f32, y: f32) -> f32 { f32::add(x, -y, Mode::Zero) }
    __nv_drcp_rn(x: f64) -> f64 { 1.0 / x }
    __nv_drcp_rd(x: f64) -> f64 { f64::div(1.0, x, Mode::Down) }
    __nv_drcp_ru(x: f64) -> f64 { f64::div(1.0, x, Mode::Up) }
    __nv_drcp_rz(x: f64) -> f64 { f64::div(1.0, x, Mode::Zero) }
    __nv_frcp_rn(x: f32) -> f32 { 1.0 / x }
    __nv_frcp_rd(x: f32) -> f32 { f32::div(1.0, x, Mode::Down) }
    __nv_frcp_ru(x: f32) -> f32 { f32::div(1.0, x, Mode::Up) }
    __nv_frcp_rz(x: f32) -> f32 { f32::div(1.0, x, Mode::Zero) }
    __nv_rcp64h(x: f64) -> f64 { f64::from_bits((1.0 / x).to_bits() & !0xffff_ffff) }
    __nv_frsqrt_rn(x: f32) -> f32 { (1.0 / intrinsics::sqrtf64(x.into())) as f32 }
    __nv_dsqrt_rn(x: f64) -> f64 { intrinsics::sqrtf64(x) }
    __nv_dsqrt_rd(x: f64) -> f64 { f64::sqrt(x, Mode::Down) }
    __nv_dsqrt_ru(x: f64) -> f64 { f64::sqrt(x, Mode::Up) }
    __nv_dsqrt_rz(x: f64) -> f64 { f64::sqrt(x, Mode::Zero) }
    __nv_fsqrt_rn(x: f32) -> f32 { intrinsics::sqrtf32(x) }
    __nv_fsqrt_rd(x: f32) -> f32 { f32::sqrt(x, Mode::Down) }
    __nv_fsqrt_ru(x: f32) -> f32 { f32::sqrt(x, Mode::Up) }
    __nv_fsqrt_rz(x: f32) -> f32 { f32::sqrt(x, Mode::Zero) }
    __nv_fma_rn(x: f64, y: f64, z: f64) -> f64 { intrinsics::fmaf64(x, y, z) }
    __nv_fma_rd(x: f64, y: f64, z: f64) -> f64 { f64::fma(x, y, z, Mode::Down) }
    __nv_fma_ru(x: f64, y: f64, z: f64) -> f64 { f64::fma(x, y, z, Mode::Up) }
    __nv_fma_rz(x: f64, y: f64, z: f64) -> f64 { f64::fma(x, y, z, Mode::Zero) }
    __nv_fmaf_rn(x: f32, y: f32, z: f32) -> f32 { intrinsics::fmaf32(x, y, z) }
    __nv_fmaf_rd(x: f32, y: f32, z: f32) -> f32 { f32::fma(x, y, z, Mode::Down) }
    __nv_fmaf_ru(x: f32, y: f32, z: f32) -> f32 { f32::fma(x, y, z, Mode::Up) }
    __nv_fmaf_rz(x: f32, y: f32, z: f32) -> f32 { f32::fma(x, y, z, Mode::Zero) }
    __nv_fmaf_ieee_rn(x: f32, y: f32, z: f32) -> f32 { intrinsics::fmaf32(x, y, z) }
    __nv_fmaf_ieee_rd(x: f32, y: f32, z: f32) -> f32 { f32::fma(x, y, z, Mode::Down) }
    __nv_fmaf_ieee_ru(x: f32, y: f32, z: f32) -> f32 { f32::fma(x, y, z, Mode::Up) }
    __nv_fmaf_ieee_rz(x: f32, y: f32, z: f32) -> f32 { f32::fma(x, y, z, Mode::Zero) }
}
