//! `sum`, `product`, `maxval`, `minval` of arrays (Fortran 2023, 16.9): all elements, or each lane along a dimension.

use core::cmp::Ordering;
use core::ffi::{c_char, c_int};

use crate::descriptor::{Descriptor, Header};
use crate::device::Message;
use crate::lane::{Lanes, Mask};
use crate::value::{Complex, Number, Ordered, code};

/// What is made of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `sum`
    Sum,
    /// `product`
    Product,
    /// `maxval`
    Greatest,
    /// `minval`
    Least,
}

/// A type that some operations reduce.
trait Reducible: Copy {
    fn start(operation: Operation) -> Self;
    fn combine(self, other: Self, operation: Operation) -> Self;
}

/// The greater or the lesser of two; a NaN gives way.
fn extremum<T: Ordered>(one: T, other: T, wanted: Ordering) -> T {
    let is_nan = one.compare(one).is_none();
    if is_nan || other.compare(one) == Some(wanted) {
        other
    } else {
        one
    }
}

macro_rules! ordered {
    ($($type:ty)*) => {$(
        impl Reducible for $type {
            fn start(operation: Operation) -> Self {
                match operation {
                    Operation::Sum => Self::ZERO,
                    Operation::Product => Self::ONE,
                    Operation::Greatest => Self::LEAST,
                    Operation::Least => Self::GREATEST,
                }
            }
            fn combine(self, other: Self, operation: Operation) -> Self {
                match operation {
                    Operation::Sum => self.plus(other),
                    Operation::Product => self.times(other),
                    Operation::Greatest => extremum(self, other, Ordering::Greater),
                    Operation::Least => extremum(self, other, Ordering::Less),
                }
            }
        }
    )*};
}

macro_rules! complex {
    ($($type:ty)*) => {$(
        impl Reducible for $type {
            fn start(operation: Operation) -> Self {
                if operation == Operation::Product { Self::ONE } else { Self::ZERO }
            }
            fn combine(self, other: Self, operation: Operation) -> Self {
                if operation == Operation::Product { self.times(other) } else { self.plus(other) }
            }
        }
    )*};
}

ordered! { i8 i16 i32 i64 i128 f32 f64 }
complex! { Complex<f32> Complex<f64> }

/// All elements that the mask takes.
///
/// # Safety
/// An array of the type; a mask that fits.
unsafe fn total<T: Reducible>(operation: Operation, array: *mut Header, mask: *mut Header) -> T {
    // SAFETY: the caller's promise.
    unsafe {
        let (array, mask) = (Descriptor::at(array), Mask(Descriptor::optional(mask)));
        (0..array.count())
            .filter(|&number| mask.takes(number))
            .map(|number| array.nth(number).cast::<T>().read_unaligned())
            .fold(T::start(operation), |one, other| {
                one.combine(other, operation)
            })
    }
}

unsafe fn lanes<T: Reducible>(
    operation: Operation,
    result: Descriptor,
    array: Descriptor,
    dimension: c_int,
    mask: Mask,
) {
    let lanes = Lanes::new(array, dimension);
    for number in 0..lanes.count() {
        let (lane, mask) = (lanes.nth(number), mask.lane(dimension, number));
        // SAFETY: the caller's promise: an array of the type.
        unsafe {
            let value = (0..lane.length)
                .filter(|&at| mask.takes(at))
                .map(|at| lane.nth(at).cast::<T>().read_unaligned())
                .fold(T::start(operation), |one, other| {
                    one.combine(other, operation)
                });
            result.nth(number).cast::<T>().write_unaligned(value);
        }
    }
}

/// Each lane along a dimension.
///
/// # Safety
/// A descriptor for the result, an array of numbers, a mask that fits.
unsafe fn along(
    operation: Operation,
    result: *mut Header,
    array: *mut Header,
    dimension: c_int,
    mask: *mut Header,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (result, array) = (Descriptor::at(result), Descriptor::at(array));
        let mask = Mask(Descriptor::optional(mask));
        let (extents, rank) = Lanes::new(array, dimension).shape();
        result.allocate(array, array.element(), &extents[..rank]);
        // Calls by name: a call through a pointer would hide from the device's compiler how much stack there is to be.
        macro_rules! reduce {
            ($($code:ident: $type:ty;)*) => {
                match array.header().code {
                    $(code::$code => lanes::<$type>(operation, result, array, dimension, mask),)*
                    other => Message::new("Fortran reduction in device code of a type without it, code ")
                        .number(other.into())
                        .give_up(),
                }
            };
        }
        reduce! {
            INTEGER_1: i8;
            INTEGER_2: i16;
            INTEGER_4: i32;
            INTEGER_8: i64;
            INTEGER_16: i128;
            REAL_4: f32;
            REAL_8: f64;
            COMPLEX_4: Complex<f32>;
            COMPLEX_8: Complex<f64>;
        }
    }
}

/// Functions that reduce all elements to a result.
macro_rules! totals {
    ($operation:ident: $($name:ident -> $type:ty;)*) => {
        entries! {$(
            /// A reduction of all elements.
            fn $name(
                array: *mut Header, _source: *const c_char, _line: c_int, _dimension: c_int, mask: *mut Header,
            ) -> $type {
                total::<$type>(Operation::$operation, array, mask)
            }
        )*}
    };
}

/// The same of complex numbers, which come back through a pointer.
macro_rules! complex_totals {
    ($($name:ident: $operation:ident -> $type:ty;)*) => {
        entries! {$(
            /// A reduction of all elements.
            fn $name(
                result: *mut Complex<$type>, array: *mut Header, _source: *const c_char, _line: c_int,
                _dimension: c_int, mask: *mut Header,
            ) {
                result.write(total::<Complex<$type>>(Operation::$operation, array, mask));
            }
        )*}
    };
}

totals! { Sum:
    _FortranASumInteger1 -> i8;
    _FortranASumInteger2 -> i16;
    _FortranASumInteger4 -> i32;
    _FortranASumInteger8 -> i64;
    _FortranASumInteger16 -> i128;
    _FortranASumReal4 -> f32;
    _FortranASumReal8 -> f64;
}
totals! { Product:
    _FortranAProductInteger1 -> i8;
    _FortranAProductInteger2 -> i16;
    _FortranAProductInteger4 -> i32;
    _FortranAProductInteger8 -> i64;
    _FortranAProductInteger16 -> i128;
    _FortranAProductReal4 -> f32;
    _FortranAProductReal8 -> f64;
}
totals! { Greatest:
    _FortranAMaxvalInteger1 -> i8;
    _FortranAMaxvalInteger2 -> i16;
    _FortranAMaxvalInteger4 -> i32;
    _FortranAMaxvalInteger8 -> i64;
    _FortranAMaxvalInteger16 -> i128;
    _FortranAMaxvalReal4 -> f32;
    _FortranAMaxvalReal8 -> f64;
}
totals! { Least:
    _FortranAMinvalInteger1 -> i8;
    _FortranAMinvalInteger2 -> i16;
    _FortranAMinvalInteger4 -> i32;
    _FortranAMinvalInteger8 -> i64;
    _FortranAMinvalInteger16 -> i128;
    _FortranAMinvalReal4 -> f32;
    _FortranAMinvalReal8 -> f64;
}
complex_totals! {
    _FortranACppSumComplex4: Sum -> f32;
    _FortranACppSumComplex8: Sum -> f64;
    _FortranACppProductComplex4: Product -> f32;
    _FortranACppProductComplex8: Product -> f64;
}

/// Functions that reduce along a dimension.
macro_rules! along_dimension {
    ($($name:ident: $operation:ident;)*) => {
        entries! {$(
            /// A reduction along a dimension.
            fn $name(
                result: *mut Header, array: *mut Header, dimension: c_int, _source: *const c_char, _line: c_int,
                mask: *mut Header,
            ) {
                along(Operation::$operation, result, array, dimension, mask);
            }
        )*}
    };
}

along_dimension! {
    _FortranASumDim: Sum;
    _FortranAProductDim: Product;
    _FortranAMaxvalDim: Greatest;
    _FortranAMinvalDim: Least;
}
