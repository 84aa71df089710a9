//! The types of elements: S, D, C and Z.

use std::ops::{AddAssign, DivAssign, MulAssign, SubAssign};

use num_complex::{Complex32, Complex64, ComplexFloat};
use num_traits::{Float, NumCast};

/// A type of elements.
pub trait Scalar:
    ComplexFloat<Real: Float + Default + Send + Sync + 'static>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Default
    + Send
    + Sync
    + 'static
{
    /// A real number as one.
    fn of(real: Self::Real) -> Self;

    /// The square of the magnitude, with the precision of `f64`.
    fn squared(self) -> f64 {
        let of = |part: Self::Real| -> f64 { NumCast::from(part).unwrap_or(f64::NAN) };
        let (re, im) = (of(self.re()), of(self.im()));
        re * re + im * im
    }
}

impl Scalar for f32 {
    fn of(real: f32) -> f32 {
        real
    }
}

impl Scalar for f64 {
    fn of(real: f64) -> f64 {
        real
    }
}

impl Scalar for Complex32 {
    fn of(real: f32) -> Complex32 {
        real.into()
    }
}

impl Scalar for Complex64 {
    fn of(real: f64) -> Complex64 {
        real.into()
    }
}
