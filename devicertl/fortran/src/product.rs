//! `dot_product`, `matmul` and `transpose` (Fortran 2023, 16.9) of numbers.

use core::ffi::{c_char, c_int};

use crate::descriptor::{Descriptor, Header, Room};
use crate::device;
use crate::lane::{Lane, Lanes};
use crate::value::{Complex, Number, is_true};

/// The sum of products of two lanes.
///
/// # Safety
/// Elements of the types.
unsafe fn dot<A: Number, B: Number, R: Number>(
    one: Lane,
    other: Lane,
    convert: impl Fn(A, B) -> (R, R) + Copy,
) -> R {
    let mut sum = R::ZERO;
    for at in 0..one.length.min(other.length) {
        // SAFETY: the caller's promise.
        let (one, other) = unsafe {
            convert(
                one.nth(at).cast::<A>().read_unaligned(),
                other.nth(at).cast::<B>().read_unaligned(),
            )
        };
        sum = sum.plus(one.times(other));
    }
    sum
}

/// The only lane of a vector.
fn vector(array: Descriptor) -> Lane {
    Lanes::new(array, 1).nth(0)
}

/// Rows and columns of the product of matrices, or of a matrix and a vector: which of them there are.
fn shape(one: Descriptor, other: Descriptor) -> ([usize; 2], usize) {
    let inner = one.extent(one.rank() - 1);
    if inner != other.extent(0) {
        device::fail("Fortran matmul in device code of arrays whose shapes do not fit");
    }
    match (one.rank(), other.rank()) {
        (2, 2) => ([one.extent(0), other.extent(1)], 2),
        (2, _) => ([one.extent(0), 1], 1),
        _ => ([other.extent(1), 1], 1),
    }
}

/// The product of matrices, or of a matrix and a vector, into a result that has memory.
///
/// # Safety
/// Arrays of the types.
unsafe fn multiply<A: Number, B: Number, R: Number>(
    result: Descriptor,
    one: Descriptor,
    other: Descriptor,
    convert: impl Fn(A, B) -> (R, R) + Copy,
) {
    let rows = if one.rank() == 2 { one.extent(0) } else { 1 };
    let columns = if other.rank() == 2 {
        other.extent(1)
    } else {
        1
    };
    for column in 0..columns {
        for row in 0..rows {
            let left = if one.rank() == 2 {
                Lanes::new(one, 2).nth(row)
            } else {
                vector(one)
            };
            let right = Lanes::new(other, 1).nth(column);
            // SAFETY: the caller's promise.
            unsafe {
                let value = dot(left, right, convert);
                let at = result.nth(column * rows + row).cast::<R>();
                at.write_unaligned(value);
            }
        }
    }
}

/// Makes the result of a matrix product.
fn allocate<R: Number>(result: Descriptor, one: Descriptor, other: Descriptor) {
    let (extents, rank) = shape(one, other);
    let mut like = Room::new(core::ptr::null_mut(), R::CODE, size_of::<R>(), &[]);
    result.allocate(like.descriptor(), size_of::<R>(), &extents[..rank]);
}

/// `matmul` with a result that is made, and with one that is there.
macro_rules! matrix_products {
    ($($name:ident, $direct:ident: $one:ty, $other:ty => $result:ty, $convert:expr;)*) => {
        entries! {$(
            /// A matrix product.
            fn $name(
                result: *mut Header, one: *mut Header, other: *mut Header, _source: *const c_char, _line: c_int,
            ) {
                let (result, one, other) = (Descriptor::at(result), Descriptor::at(one), Descriptor::at(other));
                allocate::<$result>(result, one, other);
                multiply::<$one, $other, $result>(result, one, other, $convert);
            }
            /// A matrix product into a variable.
            fn $direct(
                result: *mut Header, one: *mut Header, other: *mut Header, _source: *const c_char, _line: c_int,
            ) {
                let (result, one, other) = (Descriptor::at(result), Descriptor::at(one), Descriptor::at(other));
                shape(one, other);
                multiply::<$one, $other, $result>(result, one, other, $convert);
            }
        )*}
    };
}

matrix_products! {
    _FortranAMatmulInteger4Integer4, _FortranAMatmulDirectInteger4Integer4: i32, i32 => i32, |a, b| (a, b);
    _FortranAMatmulInteger8Integer8, _FortranAMatmulDirectInteger8Integer8: i64, i64 => i64, |a, b| (a, b);
    _FortranAMatmulReal4Real4, _FortranAMatmulDirectReal4Real4: f32, f32 => f32, |a, b| (a, b);
    _FortranAMatmulReal8Real8, _FortranAMatmulDirectReal8Real8: f64, f64 => f64, |a, b| (a, b);
    _FortranAMatmulReal4Real8, _FortranAMatmulDirectReal4Real8: f32, f64 => f64, |a, b| (a.into(), b);
    _FortranAMatmulReal8Real4, _FortranAMatmulDirectReal8Real4: f64, f32 => f64, |a, b| (a, b.into());
    _FortranAMatmulInteger4Real4, _FortranAMatmulDirectInteger4Real4: i32, f32 => f32, |a, b| (a as f32, b);
    _FortranAMatmulInteger4Real8, _FortranAMatmulDirectInteger4Real8: i32, f64 => f64, |a, b| (a.into(), b);
    _FortranAMatmulReal4Integer4, _FortranAMatmulDirectReal4Integer4: f32, i32 => f32, |a, b| (a, b as f32);
    _FortranAMatmulReal8Integer4, _FortranAMatmulDirectReal8Integer4: f64, i32 => f64, |a, b| (a, b.into());
    _FortranAMatmulComplex4Complex4, _FortranAMatmulDirectComplex4Complex4:
        Complex<f32>, Complex<f32> => Complex<f32>, |a, b| (a, b);
    _FortranAMatmulComplex8Complex8, _FortranAMatmulDirectComplex8Complex8:
        Complex<f64>, Complex<f64> => Complex<f64>, |a, b| (a, b);
}

/// `dot_product`. That of complex numbers, with the first conjugated, comes back through a pointer.
macro_rules! dot_products {
    ($($name:ident -> $type:ty;)*) => {
        entries! {$(
            /// A dot product.
            fn $name(one: *mut Header, other: *mut Header, _source: *const c_char, _line: c_int) -> $type {
                dot::<$type, $type, $type>(vector(Descriptor::at(one)), vector(Descriptor::at(other)), |a, b| (a, b))
            }
        )*}
    };
    (complex: $($name:ident -> $type:ty;)*) => {
        entries! {$(
            /// A dot product.
            fn $name(
                result: *mut $type, one: *mut Header, other: *mut Header, _source: *const c_char, _line: c_int,
            ) {
                let (one, other) = (vector(Descriptor::at(one)), vector(Descriptor::at(other)));
                result.write(dot::<$type, $type, $type>(one, other, |a, b| (a.conjugate(), b)));
            }
        )*}
    };
}

dot_products! {
    _FortranADotProductInteger1 -> i8;
    _FortranADotProductInteger2 -> i16;
    _FortranADotProductInteger4 -> i32;
    _FortranADotProductInteger8 -> i64;
    _FortranADotProductInteger16 -> i128;
    _FortranADotProductReal4 -> f32;
    _FortranADotProductReal8 -> f64;
}
dot_products! { complex:
    _FortranACppDotProductComplex4 -> Complex<f32>;
    _FortranACppDotProductComplex8 -> Complex<f64>;
}

entries! {
    /// The dot product of logical vectors: whether both are true anywhere.
    fn _FortranADotProductLogical(one: *mut Header, other: *mut Header, _source: *const c_char, _line: c_int) -> bool {
        let (one, other) = (Descriptor::at(one), Descriptor::at(other));
        (0..one.count().min(other.count())).any(|number| {
            is_true(one.nth(number), one.element()) && is_true(other.nth(number), other.element())
        })
    }
    /// `transpose`
    fn _FortranATranspose(result: *mut Header, matrix: *mut Header, _source: *const c_char, _line: c_int) {
        let (result, matrix) = (Descriptor::at(result), Descriptor::at(matrix));
        let (rows, columns, bytes) = (matrix.extent(0), matrix.extent(1), matrix.element());
        result.allocate(matrix, bytes, &[columns, rows]);
        for row in 0..rows {
            for column in 0..columns {
                let from = matrix.nth(column * rows + row);
                result.nth(row * columns + column).copy_from_nonoverlapping(from, bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::code::REAL_4 as REAL;

    #[test]
    fn a_matrix_times_a_vector_and_back() {
        let mut matrix = [1f32, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut vector = [1f32, 10.0, 100.0];
        let mut one = Room::new(matrix.as_mut_ptr().cast(), REAL, 4, &[2, 3]);
        let mut other = Room::new(vector.as_mut_ptr().cast(), REAL, 4, &[3]);
        let mut product = Room::new(core::ptr::null_mut(), REAL, 4, &[1]);
        let (one, other, product) = (one.descriptor(), other.descriptor(), product.descriptor());
        allocate::<f32>(product, one, other);
        // SAFETY: arrays of these types.
        unsafe {
            multiply::<f32, f32, f32>(product, one, other, |a, b| (a, b));
            let values = product.base().cast::<[f32; 2]>().read();
            assert_eq!(values, [531.0, 642.0]);
            device::release(product.base());
        }
    }
}
