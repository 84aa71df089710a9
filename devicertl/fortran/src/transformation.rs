//! `reshape`, `spread`, `pack`, `cshift` and `eoshift` (Fortran 2023, 16.9): elements at other places, of any type.

use core::ffi::{c_char, c_int};

use crate::descriptor::{Descriptor, Header, MAX_RANK};
use crate::device;
use crate::lane::{Lanes, Mask};
use crate::value::{code, integer};

/// The shape of an array.
fn shape(array: Descriptor) -> ([usize; MAX_RANK], usize) {
    let mut extents = [0; MAX_RANK];
    for (at, extent) in extents.iter_mut().enumerate().take(array.rank()) {
        *extent = array.extent(at);
    }
    (extents, array.rank())
}

/// Copies one element.
///
/// # Safety
/// Elements of `bytes` bytes.
unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { to.copy_from_nonoverlapping(from, bytes) }
}

/// What comes in from outside when elements move to the end: an element for each lane, or the type's own nothing.
#[derive(Clone, Copy)]
enum Boundary {
    /// They come in at the other side.
    Circular,
    Of(Option<Descriptor>),
}

impl Boundary {
    /// # Safety
    /// An element at `to`, of `array`'s type.
    unsafe fn fill(self, to: *mut u8, array: Descriptor, lane: usize) {
        let bytes = array.element();
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Boundary::Of(Some(values)) => {
                    let from = if values.rank() == 0 {
                        values.base()
                    } else {
                        values.nth(lane)
                    };
                    copy(to, from, bytes);
                }
                _ if array.header().code == code::CHARACTER => to.write_bytes(b' ', bytes),
                _ => to.write_bytes(0, bytes),
            }
        }
    }
}

/// Moves the elements of each lane along a dimension towards its begin. `shift` says how far, by the lane's number.
///
/// # Safety
/// A descriptor for the result, an array, a boundary that fits.
unsafe fn shifted(
    result: Descriptor,
    array: Descriptor,
    dimension: c_int,
    boundary: Boundary,
    shift: impl Fn(usize) -> i64,
) {
    let (extents, rank) = shape(array);
    result.allocate(array, array.element(), &extents[..rank]);
    let (from, to) = (Lanes::new(array, dimension), Lanes::new(result, dimension));
    for number in 0..from.count() {
        let (source, target, by) = (from.nth(number), to.nth(number), shift(number));
        let length = source.length as i64;
        for at in 0..length {
            let mut place = at.saturating_add(by);
            if matches!(boundary, Boundary::Circular) {
                place = place.rem_euclid(length);
            }
            let here = target.nth(at as usize);
            // SAFETY: the caller's promise.
            unsafe {
                if (0..length).contains(&place) {
                    copy(here, source.nth(place as usize), array.element());
                } else {
                    boundary.fill(here, array, number);
                }
            }
        }
    }
}

/// One shift for all lanes, or one for each.
fn shift_of(shifts: Descriptor) -> impl Fn(usize) -> i64 {
    move |lane| {
        let at = if shifts.rank() == 0 {
            shifts.base()
        } else {
            shifts.nth(lane)
        };
        // SAFETY: an integer.
        unsafe { integer(at, shifts.element()) }
    }
}

entries! {
    /// `cshift`
    fn _FortranACshift(
        result: *mut Header, array: *mut Header, shift: *mut Header, dimension: c_int, _source: *const c_char,
        _line: c_int,
    ) {
        let (result, array) = (Descriptor::at(result), Descriptor::at(array));
        shifted(result, array, dimension, Boundary::Circular, shift_of(Descriptor::at(shift)));
    }
    /// `cshift` of a vector.
    fn _FortranACshiftVector(
        result: *mut Header, array: *mut Header, shift: i64, _source: *const c_char, _line: c_int,
    ) {
        shifted(Descriptor::at(result), Descriptor::at(array), 1, Boundary::Circular, |_| shift);
    }
    /// `eoshift`
    fn _FortranAEoshift(
        result: *mut Header, array: *mut Header, shift: *mut Header, boundary: *mut Header, dimension: c_int,
        _source: *const c_char, _line: c_int,
    ) {
        let (result, array) = (Descriptor::at(result), Descriptor::at(array));
        let boundary = Boundary::Of(Descriptor::optional(boundary));
        shifted(result, array, dimension, boundary, shift_of(Descriptor::at(shift)));
    }
    /// `eoshift` of a vector.
    fn _FortranAEoshiftVector(
        result: *mut Header, array: *mut Header, shift: i64, boundary: *mut Header, _source: *const c_char,
        _line: c_int,
    ) {
        let boundary = Boundary::Of(Descriptor::optional(boundary));
        shifted(Descriptor::at(result), Descriptor::at(array), 1, boundary, |_| shift);
    }
    /// `spread`
    fn _FortranASpread(
        result: *mut Header, array: *mut Header, dimension: c_int, copies: i64, _source: *const c_char, _line: c_int,
    ) {
        let (result, array) = (Descriptor::at(result), Descriptor::at(array));
        let (others, rank) = shape(array);
        let mut extents = [0; MAX_RANK];
        let new = dimension as usize - 1;
        for (at, extent) in extents.iter_mut().enumerate().take(rank + 1) {
            *extent = match at {
                at if at < new => others[at],
                at if at == new => copies.max(0) as usize,
                at => others[at - 1],
            };
        }
        result.allocate(array, array.element(), &extents[..=rank]);
        let lanes = Lanes::new(result, dimension);
        for number in 0..lanes.count() {
            let lane = lanes.nth(number);
            for at in 0..lane.length {
                copy(lane.nth(at), array.nth(number), array.element());
            }
        }
    }
    /// `reshape`
    fn _FortranAReshape(
        result: *mut Header, array: *mut Header, new_shape: *mut Header, pad: *mut Header, order: *mut Header,
        _source: *const c_char, _line: c_int,
    ) {
        let (result, array, new_shape) = (Descriptor::at(result), Descriptor::at(array), Descriptor::at(new_shape));
        let (pad, order) = (Descriptor::optional(pad), Descriptor::optional(order));
        let rank = new_shape.extent(0).min(MAX_RANK);
        let mut extents = [0; MAX_RANK];
        for (at, extent) in extents.iter_mut().enumerate().take(rank) {
            *extent = usize::try_from(integer(new_shape.nth(at), new_shape.element())).unwrap_or(0);
        }
        let (count, given) = (extents[..rank].iter().product::<usize>(), array.count());
        let padding = pad.map_or(0, Descriptor::count);
        if count > given && padding == 0 {
            device::fail("Fortran reshape in device code of fewer elements than the shape wants, without pad=");
        }
        result.allocate(array, array.element(), &extents[..rank]);
        for number in 0..count {
            let from = match pad {
                Some(pad) if number >= given => pad.nth((number - given) % padding),
                _ => array.nth(number),
            };
            let place = match order {
                Some(order) => ordered_place(number, order, result),
                None => result.nth(number),
            };
            copy(place, from, array.element());
        }
    }
    /// `unpack`
    fn _FortranAUnpack(
        result: *mut Header, vector: *mut Header, mask: *mut Header, field: *mut Header, _source: *const c_char,
        _line: c_int,
    ) {
        let (result, vector, mask) = (Descriptor::at(result), Descriptor::at(vector), Descriptor::at(mask));
        let (field, takes) = (Descriptor::at(field), Mask(Some(mask)));
        let (extents, rank) = shape(mask);
        let bytes = vector.element();
        result.allocate(vector, bytes, &extents[..rank]);
        let mut used = 0;
        for number in 0..mask.count() {
            let from = if takes.takes(number) {
                used += 1;
                if used > vector.count() {
                    device::fail("Fortran unpack in device code of fewer elements than the mask wants");
                }
                vector.nth(used - 1)
            } else if field.rank() == 0 {
                field.base()
            } else {
                field.nth(number)
            };
            copy(result.nth(number), from, bytes);
        }
    }
    /// `transfer` to a scalar, or to as many elements as the bits need.
    fn _FortranATransfer(
        result: *mut Header, from: *mut Header, mold: *mut Header, _source: *const c_char, _line: c_int,
    ) {
        let (from, mold) = (Descriptor::at(from), Descriptor::at(mold));
        let bits = from.count() * from.element();
        let count = bits.div_ceil(mold.element().max(1));
        let extents: &[usize] = if mold.rank() == 0 { &[] } else { &[count] };
        transfer(Descriptor::at(result), from, mold, extents);
    }
    /// `transfer` with `size=`.
    fn _FortranATransferSize(
        result: *mut Header, from: *mut Header, mold: *mut Header, _source: *const c_char, _line: c_int, size: i64,
    ) {
        let size = usize::try_from(size).unwrap_or(0);
        transfer(Descriptor::at(result), Descriptor::at(from), Descriptor::at(mold), &[size]);
    }
    /// `pack`
    fn _FortranAPack(
        result: *mut Header, array: *mut Header, mask: *mut Header, vector: *mut Header, _source: *const c_char,
        _line: c_int,
    ) {
        let (result, array) = (Descriptor::at(result), Descriptor::at(array));
        let (mask, vector) = (Mask(Descriptor::optional(mask)), Descriptor::optional(vector));
        let taken = || (0..array.count()).filter(|&number| mask.takes(number));
        let count = taken().count();
        let length = vector.map_or(count, |vector| vector.extent(0).max(count));
        result.allocate(array, array.element(), &[length]);
        for (at, number) in taken().enumerate() {
            copy(result.nth(at), array.nth(number), array.element());
        }
        for at in count..length {
            if let Some(vector) = vector {
                copy(result.nth(at), vector.nth(at), array.element());
            }
        }
    }
}

/// Copies bits in array element order, as many as both have. What is left of the result is zero.
///
/// # Safety
/// A descriptor for the result, arrays.
unsafe fn transfer(result: Descriptor, from: Descriptor, mold: Descriptor, extents: &[usize]) {
    let (bytes, given) = (mold.element(), from.element());
    result.allocate(mold, bytes, extents);
    let room = bytes * extents.iter().product::<usize>();
    // SAFETY: the result's new memory, and the caller's promise.
    unsafe {
        result.base().write_bytes(0, room);
        let mut at = 0;
        for number in 0..from.count() {
            let length = given.min(room - at);
            copy(result.base().add(at), from.nth(number), length);
            at += length;
        }
    }
}

/// The place of an element whose subscripts vary in another order than the first fastest.
///
/// # Safety
/// A permutation of the dimensions, from 1 on.
unsafe fn ordered_place(number: usize, order: Descriptor, result: Descriptor) -> *mut u8 {
    let (mut rest, mut offset) = (number, 0);
    for at in 0..result.rank() {
        // SAFETY: an integer.
        let dimension = unsafe { integer(order.nth(at), order.element()) } as usize - 1;
        let extent = result.extent(dimension).max(1);
        offset += (rest % extent) as i64 * result.dimension(dimension).stride;
        rest /= extent;
    }
    result.base().wrapping_offset(offset as isize)
}
