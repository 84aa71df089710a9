//! What is asked of arrays and pointers: shape, bounds, whether elements lie one after the other, association (Fortran
//! 2023, 16.9).

use core::ffi::{c_char, c_int};

use crate::descriptor::{Descriptor, Dimension, Header, MAX_RANK};
use crate::device::Message;
use crate::value::set_integer;

/// A dimension by its number from 1 on.
fn dimension(array: Descriptor, number: c_int) -> Dimension {
    match usize::try_from(number) {
        Ok(given) if (1..=array.rank()).contains(&given) => array.dimension(given - 1),
        _ => Message::new("Fortran inquiry in device code with dim=")
            .number(number.into())
            .text(b" of an array with as many dimensions: ")
            .number(array.rank() as i64)
            .give_up(),
    }
}

/// A lower bound; 1 where there is no element.
fn lower(dimension: Dimension) -> i64 {
    if dimension.extent == 0 {
        1
    } else {
        dimension.lower
    }
}

/// Puts a number for each dimension.
///
/// # Safety
/// An array; room for as many integers of the kind.
unsafe fn for_each(
    result: *mut u8,
    array: *mut Header,
    kind: c_int,
    value: impl Fn(Dimension) -> i64,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (array, bytes) = (Descriptor::at(array), kind as usize);
        for at in 0..array.rank() {
            set_integer(result.add(at * bytes), bytes, value(array.dimension(at)));
        }
    }
}

/// Whether two descriptions are of the same elements, of which there must be some (Fortran 2023, 16.9.20).
fn same_target(pointer: Descriptor, target: Descriptor) -> bool {
    let same_rank = pointer.rank() == target.rank();
    let mut at = 0..pointer.rank().min(MAX_RANK);
    pointer.base() == target.base()
        && !pointer.base().is_null()
        && pointer.element() > 0
        && same_rank
        && at.all(|at| {
            let (one, other) = (pointer.dimension(at), target.dimension(at));
            one.extent == other.extent
                && one.extent > 0
                && (one.extent == 1 || one.stride == other.stride)
        })
}

entries! {
    /// `size`
    fn _FortranASize(array: *mut Header, _source: *const c_char, _line: c_int) -> i64 {
        Descriptor::at(array).count() as i64
    }
    /// `size` of a dimension.
    fn _FortranASizeDim(array: *mut Header, number: c_int, _source: *const c_char, _line: c_int) -> i64 {
        dimension(Descriptor::at(array), number).extent
    }
    /// `lbound` of a dimension.
    fn _FortranALboundDim(array: *mut Header, number: c_int, _source: *const c_char, _line: c_int) -> i64 {
        lower(dimension(Descriptor::at(array), number))
    }
    /// `lbound`
    fn _FortranALbound(result: *mut u8, array: *mut Header, kind: c_int, _source: *const c_char, _line: c_int) {
        for_each(result, array, kind, lower);
    }
    /// `ubound`
    fn _FortranAUbound(result: *mut u8, array: *mut Header, kind: c_int, _source: *const c_char, _line: c_int) {
        for_each(result, array, kind, |each| lower(each) + each.extent - 1);
    }
    /// `shape`
    fn _FortranAShape(result: *mut u8, array: *mut Header, kind: c_int, _source: *const c_char, _line: c_int) {
        for_each(result, array, kind, |each| each.extent);
    }
    /// `is_contiguous`; flang also asks before it passes an array on.
    fn _FortranAIsContiguous(array: *mut Header) -> bool {
        Descriptor::at(array).is_contiguous()
    }
    /// `associated(pointer)`
    fn _FortranAPointerIsAssociated(pointer: *mut Header) -> bool {
        !Descriptor::at(pointer).base().is_null()
    }
    /// `associated(pointer, target)`
    fn _FortranAPointerIsAssociatedWith(pointer: *mut Header, target: *mut Header) -> bool {
        let pointer = Descriptor::at(pointer);
        Descriptor::optional(target).is_some_and(|target| same_target(pointer, target))
    }
}
