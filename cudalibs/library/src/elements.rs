//! Types of elements that programs name by a number: `cudaDataType`.

use std::ffi::c_int;

pub use half::{bf16, f16};
pub use num_complex::{Complex, Complex32, Complex64};

/// A type of elements in memory, as complex numbers that hold every value of it.
pub trait Stored: Copy + Send + Sync + 'static {
    /// The value.
    fn value(self) -> Complex64;
    /// The nearest element to a value.
    fn of_value(value: Complex64) -> Self;
}

macro_rules! stored {
    ($($kind:ty: |$own:ident| $value:expr, |$all:ident| $of:expr;)*) => {$(
        impl Stored for $kind {
            fn value(self) -> Complex64 {
                let $own = self;
                $value
            }

            fn of_value($all: Complex64) -> Self {
                $of
            }
        }
    )*};
}

stored! {
    f16: |own| own.to_f64().into(), |all| f16::from_f64(all.re);
    bf16: |own| own.to_f64().into(), |all| bf16::from_f64(all.re);
    f32: |own| f64::from(own).into(), |all| all.re as f32;
    f64: |own| own.into(), |all| all.re;
    i8: |own| f64::from(own).into(), |all| all.re.round_ties_even() as i8;
    i32: |own| f64::from(own).into(), |all| all.re as i32;
    Complex32: |own| Complex::new(own.re.into(), own.im.into()), |all| Complex::new(all.re as f32, all.im as f32);
    Complex64: |own| own, |all| all;
}

/// A `cudaDataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `CUDA_R_16F`.
    F16,
    /// `CUDA_R_16BF`.
    Bf16,
    /// `CUDA_R_32F`.
    F32,
    /// `CUDA_R_64F`.
    F64,
    /// `CUDA_R_8I`.
    I8,
    /// `CUDA_R_32I`.
    I32,
    /// `CUDA_C_32F`.
    C32,
    /// `CUDA_C_64F`.
    C64,
}

/// Does something generic with the type that a `Kind` names.
#[macro_export]
macro_rules! with_type {
    ($kind:expr, $name:ident => $body:expr) => {
        match $kind {
            $crate::elements::Kind::F16 => {
                type $name = $crate::elements::f16;
                $body
            }
            $crate::elements::Kind::Bf16 => {
                type $name = $crate::elements::bf16;
                $body
            }
            $crate::elements::Kind::F32 => {
                type $name = f32;
                $body
            }
            $crate::elements::Kind::F64 => {
                type $name = f64;
                $body
            }
            $crate::elements::Kind::I8 => {
                type $name = i8;
                $body
            }
            $crate::elements::Kind::I32 => {
                type $name = i32;
                $body
            }
            $crate::elements::Kind::C32 => {
                type $name = $crate::elements::Complex32;
                $body
            }
            $crate::elements::Kind::C64 => {
                type $name = $crate::elements::Complex64;
                $body
            }
        }
    };
}

impl Kind {
    /// The type of a number, if the libraries have it.
    pub fn of(number: c_int) -> Option<Kind> {
        Some(match number {
            0 => Kind::F32,
            1 => Kind::F64,
            2 => Kind::F16,
            3 => Kind::I8,
            4 => Kind::C32,
            5 => Kind::C64,
            10 => Kind::I32,
            14 => Kind::Bf16,
            _ => return None,
        })
    }

    /// The size of an element.
    pub fn bytes(self) -> usize {
        with_type!(self, T => size_of::<T>())
    }
}
