//! `maxloc` and `minloc` (Fortran 2023, 16.9): where the extremum is, counted from 1; 0 where no element counts.

use core::cmp::Ordering;
use core::ffi::{c_char, c_int};

use crate::descriptor::{Descriptor, Header, MAX_RANK, Room};
use crate::device::Message;
use crate::lane::{Lanes, Mask};
use crate::logical_reduction::integer_code;
use crate::value::{Ordered, code, set_integer};

/// The place of the extremum among `count` elements.
///
/// # Safety
/// `place` gives elements of the type.
unsafe fn find<T: Ordered>(
    wanted: Ordering,
    back: bool,
    count: usize,
    place: impl Fn(usize) -> *mut u8,
    takes: impl Fn(usize) -> bool,
) -> Option<usize> {
    let mut best: Option<(usize, T)> = None;
    for number in (0..count).filter(|&number| takes(number)) {
        // SAFETY: the caller's promise.
        let value = unsafe { place(number).cast::<T>().read_unaligned() };
        let better = best.is_none_or(|(_, best)| match value.compare(best) {
            Some(Ordering::Equal) => back,
            Some(order) => order == wanted,
            // A NaN gives way to any number.
            None => best.compare(best).is_none() && value.compare(value).is_some(),
        });
        if better {
            best = Some((number, value));
        }
    }
    best.map(|(number, _)| number)
}

/// The same among elements of the type with that code.
///
/// # Safety
/// As for [`find`].
unsafe fn find_typed(
    type_code: i8,
    wanted: Ordering,
    back: bool,
    count: usize,
    place: impl Fn(usize) -> *mut u8,
    takes: impl Fn(usize) -> bool,
) -> Option<usize> {
    macro_rules! by_type {
        ($($code:ident: $type:ty;)*) => {
            // SAFETY: the caller's promise.
            unsafe {
                match type_code {
                    $(code::$code => find::<$type>(wanted, back, count, place, takes),)*
                    other => Message::new("Fortran maxloc or minloc in device code of a type without it, code ")
                        .number(other.into())
                        .give_up(),
                }
            }
        };
    }
    by_type! {
        INTEGER_1: i8;
        INTEGER_2: i16;
        INTEGER_4: i32;
        INTEGER_8: i64;
        INTEGER_16: i128;
        REAL_4: f32;
        REAL_8: f64;
    }
}

/// The place in the whole array, one number for each dimension.
///
/// # Safety
/// A descriptor for the result, an array, a mask that fits.
unsafe fn whole(
    wanted: Ordering,
    result: *mut Header,
    array: *mut Header,
    kind: c_int,
    mask: *mut Header,
    back: bool,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (result, array) = (Descriptor::at(result), Descriptor::at(array));
        let mask = Mask(Descriptor::optional(mask));
        let (type_code, place) = (array.header().code, |number| array.nth(number));
        let found = find_typed(type_code, wanted, back, array.count(), place, |number| {
            mask.takes(number)
        });
        let bytes = kind as usize;
        let mut like = Room::new(core::ptr::null_mut(), integer_code(kind), bytes, &[]);
        result.allocate(like.descriptor(), bytes, &[array.rank()]);
        let mut rest = found.unwrap_or(0);
        for at in 0..array.rank() {
            let extent = array.extent(at).max(1);
            let subscript = if found.is_some() {
                rest % extent + 1
            } else {
                0
            };
            set_integer(result.nth(at), bytes, subscript as i64);
            rest /= extent;
        }
    }
}

/// The place in each lane along a dimension.
///
/// # Safety
/// As for [`whole`].
unsafe fn along(
    wanted: Ordering,
    result: *mut Header,
    array: *mut Header,
    kind: c_int,
    dimension: c_int,
    mask: *mut Header,
    back: bool,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (result, array) = (Descriptor::at(result), Descriptor::at(array));
        let mask = Mask(Descriptor::optional(mask));
        let type_code = array.header().code;
        let lanes = Lanes::new(array, dimension);
        let (extents, rank): ([usize; MAX_RANK], usize) = lanes.shape();
        let bytes = kind as usize;
        let mut like = Room::new(core::ptr::null_mut(), integer_code(kind), bytes, &[]);
        result.allocate(like.descriptor(), bytes, &extents[..rank]);
        for number in 0..lanes.count() {
            let (lane, mask) = (lanes.nth(number), mask.lane(dimension, number));
            let (place, takes) = (|at| lane.nth(at), |at| mask.takes(at));
            let found = find_typed(type_code, wanted, back, lane.length, place, takes);
            set_integer(
                result.nth(number),
                bytes,
                found.map_or(0, |at| at as i64 + 1),
            );
        }
    }
}

/// Functions for each type: the type is in the descriptor, too.
macro_rules! locations {
    ($($wanted:ident: $($name:ident)*;)*) => {
        entries! {$($(
            /// The place of an extremum.
            fn $name(
                result: *mut Header, array: *mut Header, kind: c_int, _source: *const c_char, _line: c_int,
                mask: *mut Header, back: bool,
            ) {
                whole(Ordering::$wanted, result, array, kind, mask, back);
            }
        )*)*}
    };
}

locations! {
    Greater:
        _FortranAMaxlocInteger1 _FortranAMaxlocInteger2 _FortranAMaxlocInteger4 _FortranAMaxlocInteger8
        _FortranAMaxlocInteger16 _FortranAMaxlocReal4 _FortranAMaxlocReal8;
    Less:
        _FortranAMinlocInteger1 _FortranAMinlocInteger2 _FortranAMinlocInteger4 _FortranAMinlocInteger8
        _FortranAMinlocInteger16 _FortranAMinlocReal4 _FortranAMinlocReal8;
}

entries! {
    /// `maxloc` along a dimension.
    fn _FortranAMaxlocDim(
        result: *mut Header, array: *mut Header, kind: c_int, dimension: c_int, _source: *const c_char, _line: c_int,
        mask: *mut Header, back: bool,
    ) {
        along(Ordering::Greater, result, array, kind, dimension, mask, back);
    }
    /// `minloc` along a dimension.
    fn _FortranAMinlocDim(
        result: *mut Header, array: *mut Header, kind: c_int, dimension: c_int, _source: *const c_char, _line: c_int,
        mask: *mut Header, back: bool,
    ) {
        along(Ordering::Less, result, array, kind, dimension, mask, back);
    }
}
