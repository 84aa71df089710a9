//! The types of elements, by the codes of a descriptor (Fortran 2023, 18.5.4), as flang numbers them.

use core::cmp::Ordering;

/// Codes of types. A default logical and its like have the codes of `int_least…`.
pub mod code {
    /// `integer(1)`
    pub const INTEGER_1: i8 = 7;
    /// `integer(2)`
    pub const INTEGER_2: i8 = 8;
    /// `integer(4)`
    pub const INTEGER_4: i8 = 9;
    /// `integer(8)`
    pub const INTEGER_8: i8 = 10;
    /// `integer(16)`
    pub const INTEGER_16: i8 = 11;
    /// `logical(2)`
    pub const LOGICAL_2: i8 = 13;
    /// `logical(4)`
    pub const LOGICAL_4: i8 = 14;
    /// `logical(8)`
    pub const LOGICAL_8: i8 = 15;
    /// `real(4)`
    pub const REAL_4: i8 = 27;
    /// `real(8)`
    pub const REAL_8: i8 = 28;
    /// `complex(4)`
    pub const COMPLEX_4: i8 = 34;
    /// `complex(8)`
    pub const COMPLEX_8: i8 = 35;
    /// `logical(1)`
    pub const LOGICAL_1: i8 = 39;
    /// `character`
    pub const CHARACTER: i8 = 40;
    /// A derived type.
    pub const DERIVED: i8 = 42;
}

/// A number that sums and products are made of.
pub trait Number: Copy {
    /// Its type's code.
    const CODE: i8;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;
    /// The product; integers wrap.
    fn times(self, other: Self) -> Self;
    /// The conjugate of a complex number, any other number itself.
    fn conjugate(self) -> Self {
        self
    }
}

/// A number with an order.
pub trait Ordered: Number {
    /// The least value, what `maxval` of no element gives.
    const LEAST: Self;
    /// The greatest value, what `minval` of no element gives.
    const GREATEST: Self;
    /// How it compares with another; none with a NaN.
    fn compare(self, other: Self) -> Option<Ordering>;
}

macro_rules! integers {
    ($($type:ident: $code:ident;)*) => {$(
        impl Number for $type {
            const CODE: i8 = code::$code;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
        impl Ordered for $type {
            // Fortran's integers are symmetric (Fortran 2023, 16.9.146); flang gives minus the greatest, less 1.
            const LEAST: Self = $type::MIN;
            const GREATEST: Self = $type::MAX;
            fn compare(self, other: Self) -> Option<Ordering> {
                Some(self.cmp(&other))
            }
        }
    )*};
}

macro_rules! reals {
    ($($type:ident: $code:ident;)*) => {$(
        impl Number for $type {
            const CODE: i8 = code::$code;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            fn plus(self, other: Self) -> Self {
                self + other
            }
            fn times(self, other: Self) -> Self {
                self * other
            }
        }
        impl Ordered for $type {
            const LEAST: Self = $type::MIN;
            const GREATEST: Self = $type::MAX;
            fn compare(self, other: Self) -> Option<Ordering> {
                self.partial_cmp(&other)
            }
        }
    )*};
}

integers! { i8: INTEGER_1; i16: INTEGER_2; i32: INTEGER_4; i64: INTEGER_8; i128: INTEGER_16; }
reals! { f32: REAL_4; f64: REAL_8; }

/// A complex number.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex<T> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

macro_rules! complex {
    ($($type:ident: $code:ident;)*) => {$(
        impl Number for Complex<$type> {
            const CODE: i8 = code::$code;
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            fn plus(self, other: Self) -> Self {
                Complex { re: self.re + other.re, im: self.im + other.im }
            }
            fn times(self, other: Self) -> Self {
                Complex {
                    re: self.re * other.re - self.im * other.im,
                    im: self.re * other.im + self.im * other.re,
                }
            }
            fn conjugate(self) -> Self {
                Complex { re: self.re, im: -self.im }
            }
        }
    )*};
}

complex! { f32: COMPLEX_4; f64: COMPLEX_8; }

/// Whether an element is `.true.`, whatever the kind of the logical.
///
/// # Safety
/// `element` bytes at `at` can be read.
pub unsafe fn is_true(at: *const u8, element: usize) -> bool {
    // The first byte has the lowest bits, which alone tell.
    // SAFETY: the caller's promise.
    (0..element).any(|byte| unsafe { at.add(byte).read() } != 0)
}

/// An integer of any kind.
///
/// # Safety
/// `element` bytes at `at` can be read.
pub unsafe fn integer(at: *const u8, element: usize) -> i64 {
    // SAFETY: the caller's promise.
    unsafe {
        match element {
            1 => at.cast::<i8>().read().into(),
            2 => at.cast::<i16>().read_unaligned().into(),
            4 => at.cast::<i32>().read_unaligned().into(),
            _ => at.cast::<i64>().read_unaligned(),
        }
    }
}

/// Stores an integer of any kind.
///
/// # Safety
/// `element` bytes at `at` can be written.
pub unsafe fn set_integer(at: *mut u8, element: usize, value: i64) {
    // SAFETY: the caller's promise.
    unsafe {
        match element {
            1 => at.cast::<i8>().write(value as i8),
            2 => at.cast::<i16>().write_unaligned(value as i16),
            4 => at.cast::<i32>().write_unaligned(value as i32),
            8 => at.cast::<i64>().write_unaligned(value),
            _ => at.cast::<i128>().write_unaligned(value.into()),
        }
    }
}
