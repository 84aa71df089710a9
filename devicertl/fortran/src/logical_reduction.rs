//! `any`, `all`, `count` and `parity` of logical arrays (Fortran 2023, 16.9).

use core::ffi::{c_char, c_int};

use crate::descriptor::{Descriptor, Header, Room};
use crate::lane::{Lane, Lanes};
use crate::value::{code, is_true, set_integer};

fn trues(array: Descriptor) -> impl Iterator<Item = bool> {
    // SAFETY: elements of a logical array.
    (0..array.count()).map(move |number| unsafe { is_true(array.nth(number), array.element()) })
}

/// Puts a number for each lane along a dimension, made of the lane's count of `.true.` and its length.
///
/// # Safety
/// A descriptor for the result, a logical array.
unsafe fn along(
    result: *mut Header,
    array: *mut Header,
    dimension: c_int,
    type_of: (i8, usize),
    number_of: impl Fn(usize, usize) -> i64,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (result, array) = (Descriptor::at(result), Descriptor::at(array));
        let lanes = Lanes::new(array, dimension);
        let (extents, rank) = lanes.shape();
        let mut like = Room::new(core::ptr::null_mut(), type_of.0, type_of.1, &[]);
        result.allocate(like.descriptor(), type_of.1, &extents[..rank]);
        let count = |lane: Lane| {
            (0..lane.length)
                .filter(|&at| is_true(lane.nth(at), array.element()))
                .count()
        };
        for number in 0..lanes.count() {
            let lane = lanes.nth(number);
            set_integer(
                result.nth(number),
                type_of.1,
                number_of(count(lane), lane.length),
            );
        }
    }
}

/// The type of a logical array's own elements.
unsafe fn own(array: *mut Header) -> (i8, usize) {
    // SAFETY: a descriptor.
    let header = unsafe { Descriptor::at(array) }.header();
    (header.code, header.element)
}

/// The code of an integer of a kind.
pub fn integer_code(kind: c_int) -> i8 {
    match kind {
        1 => code::INTEGER_1,
        2 => code::INTEGER_2,
        4 => code::INTEGER_4,
        8 => code::INTEGER_8,
        _ => code::INTEGER_16,
    }
}

entries! {
    /// `any`
    fn _FortranAAny(array: *mut Header, _source: *const c_char, _line: c_int, _dimension: c_int) -> bool {
        trues(Descriptor::at(array)).any(|value| value)
    }
    /// `all`
    fn _FortranAAll(array: *mut Header, _source: *const c_char, _line: c_int, _dimension: c_int) -> bool {
        trues(Descriptor::at(array)).all(|value| value)
    }
    /// `count`
    fn _FortranACount(array: *mut Header, _source: *const c_char, _line: c_int, _dimension: c_int) -> i64 {
        trues(Descriptor::at(array)).filter(|&value| value).count() as i64
    }
    /// `parity`
    fn _FortranAParity(array: *mut Header, _source: *const c_char, _line: c_int, _dimension: c_int) -> bool {
        trues(Descriptor::at(array)).filter(|&value| value).count() % 2 == 1
    }
    /// `any` along a dimension.
    fn _FortranAAnyDim(
        result: *mut Header, array: *mut Header, dimension: c_int, _source: *const c_char, _line: c_int,
    ) {
        along(result, array, dimension, own(array), |count, _| i64::from(count > 0));
    }
    /// `all` along a dimension.
    fn _FortranAAllDim(
        result: *mut Header, array: *mut Header, dimension: c_int, _source: *const c_char, _line: c_int,
    ) {
        along(result, array, dimension, own(array), |count, length| i64::from(count == length));
    }
    /// `parity` along a dimension.
    fn _FortranAParityDim(
        result: *mut Header, array: *mut Header, dimension: c_int, _source: *const c_char, _line: c_int,
    ) {
        along(result, array, dimension, own(array), |count, _| (count % 2) as i64);
    }
    /// `count` along a dimension.
    fn _FortranACountDim(
        result: *mut Header, array: *mut Header, dimension: c_int, kind: c_int, _source: *const c_char, _line: c_int,
    ) {
        let type_of = (integer_code(kind), kind as usize);
        along(result, array, dimension, type_of, |count, _| count as i64);
    }
}
