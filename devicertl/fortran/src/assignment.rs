//! Assignments of arrays and of variables that may be allocated anew (Fortran 2023, 10.2.1.3).

use core::ffi::{c_char, c_int};

use crate::derived_type::{Action, DerivedType, for_components};
use crate::descriptor::{ALLOCATABLE, Descriptor, Header, MAX_RANK, Room};
use crate::device;
use crate::value::code;

/// What becomes of the variable's own memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// It may be allocated anew for another shape or length.
    MayChange,
    /// The same, but characters keep the variable's length.
    KeepsLength,
    /// It has none: a temporary variable without a value.
    IsNew,
}

/// Copies elements in array element order, a scalar to each. Characters are cut, or filled with spaces.
///
/// # Safety
/// The arrays do not overlap, or are the same.
pub unsafe fn copy_elements(to: Descriptor, from: Descriptor) {
    let (bytes, given) = (to.element(), from.element());
    let count = to.count();
    // SAFETY: elements of either, and the caller's promise.
    unsafe {
        if from.rank() > 0 && bytes == given && to.is_contiguous() && from.is_contiguous() {
            to.base().copy_from(from.base(), bytes * count);
            return;
        }
        for number in 0..count {
            let source = if from.rank() > 0 {
                from.nth(number)
            } else {
                from.base()
            };
            let target = to.nth(number);
            let common = bytes.min(given);
            target.copy_from(source, common);
            target.add(common).write_bytes(b' ', bytes - common);
        }
    }
}

/// A contiguous copy on the heap.
unsafe fn copy(of: Descriptor) -> (Room, *mut u8) {
    let (count, bytes) = (of.count(), of.element());
    let memory = device::allocate(count * bytes, "the copy of an array");
    let mut extents = [0; MAX_RANK];
    for (at, extent) in extents.iter_mut().enumerate().take(of.rank()) {
        *extent = of.extent(at);
    }
    let mut room = Room::new(memory, of.header().code, bytes, &extents[..of.rank()]);
    // SAFETY: new memory.
    unsafe { copy_elements(room.descriptor(), of) };
    (room, memory)
}

fn overlap(one: Descriptor, other: Descriptor) -> bool {
    let ((first, end), (other_first, other_end)) = (one.span(), other.span());
    first < other_end && other_first < end
}

fn same_shape(one: Descriptor, other: Descriptor) -> bool {
    one.rank() == other.rank() && (0..one.rank()).all(|at| one.extent(at) == other.extent(at))
}

/// Memory for an allocatable variable that gets what `from` has: whether it needs another than it has.
fn must_change(to: Descriptor, from: Descriptor, left: Left) -> bool {
    if to.header().attribute != ALLOCATABLE {
        return false;
    }
    if to.base().is_null() {
        return true;
    }
    let other_length = left != Left::KeepsLength && to.element() != from.element();
    other_length || (from.rank() > 0 && !same_shape(to, from))
}

/// Gives the variable memory for what `from` has.
fn allocate_for(to: Descriptor, from: Descriptor, left: Left) {
    if to.rank() > 0 && from.rank() == 0 && to.base().is_null() {
        device::fail("Fortran assignment of a scalar to an array that is not allocated");
    }
    if left != Left::KeepsLength {
        to.change(|header| header.element = from.element());
    }
    if from.rank() > 0 {
        for at in 0..to.rank() {
            to.set_dimension(at, from.dimension(at));
        }
    }
    let bytes = to.make_contiguous();
    let memory = device::allocate(bytes, "an allocatable variable");
    to.change(|header| header.base = memory);
}

/// # Safety
/// Descriptors of the same type.
unsafe fn assign(to: Descriptor, from: Descriptor, left: Left) {
    let owner = from.derived_type().filter(|of| of.owns_memory());
    let changes = must_change(to, from, left);
    // SAFETY: the caller's promise. What is read is copied before its memory may go.
    unsafe {
        if let Some(of) = owner {
            return assign_owners(to, from, of, left, changes);
        }
        let old = to.base();
        let is_same = from.base() == old
            && same_shape(to, from)
            && from.is_contiguous()
            && to.is_contiguous();
        if !changes && !is_same && overlap(to, from) {
            let (mut room, memory) = copy(from);
            check_shapes(to, from);
            copy_elements(to, room.descriptor());
            return device::release(memory);
        }
        if changes {
            allocate_for(to, from, left);
        }
        check_shapes(to, from);
        copy_elements(to, from);
        if changes {
            device::release(old);
        }
    }
}

/// Elements that own memory: the variable's goes after it was copied.
unsafe fn assign_owners(
    to: Descriptor,
    from: Descriptor,
    of: DerivedType,
    left: Left,
    changes: bool,
) {
    // SAFETY: as for `assign`.
    unsafe {
        let (mut room, memory) = copy(from);
        for_components(Action::Clone, of, memory, from.count());
        if left != Left::IsNew && !to.base().is_null() {
            destroy(to, of);
        }
        if changes {
            let old = to.base();
            allocate_for(to, from, left);
            device::release(old);
        }
        check_shapes(to, from);
        let (values, count) = (room.descriptor(), to.count());
        copy_elements(to, values);
        // A scalar's memory is one element's; the others need theirs.
        for number in 1..if from.rank() == 0 { count } else { 0 } {
            for_components(Action::Clone, of, to.nth(number), 1);
        }
        device::release(memory);
    }
}

fn check_shapes(to: Descriptor, from: Descriptor) {
    if from.rank() > 0 && to.count() != from.count() {
        device::fail("Fortran assignment of an array of another shape");
    }
}

/// Gives back what the elements own.
///
/// # Safety
/// Elements of the type.
pub unsafe fn destroy(array: Descriptor, of: DerivedType) {
    for number in 0..array.count() {
        // SAFETY: the caller's promise.
        unsafe { for_components(Action::Destroy, of, array.nth(number), 1) };
    }
}

/// Copies what the elements own, too, into elements without memory.
///
/// # Safety
/// As for [`copy_elements`].
pub unsafe fn copy_with_components(to: Descriptor, from: Descriptor) {
    // SAFETY: the caller's promise.
    unsafe {
        copy_elements(to, from);
        if let Some(of) = from.derived_type().filter(|of| of.owns_memory()) {
            for number in 0..to.count() {
                for_components(Action::Clone, of, to.nth(number), 1);
            }
        }
    }
}

entries! {
    /// `to = from`.
    fn _FortranAAssign(to: *mut Header, from: *mut Header, _source: *const c_char, _line: c_int) {
        assign(Descriptor::at(to), Descriptor::at(from), Left::MayChange);
    }
    /// The same to a variable of flang's own, which has no value yet.
    fn _FortranAAssignTemporary(to: *mut Header, from: *mut Header, _source: *const c_char, _line: c_int) {
        assign(Descriptor::at(to), Descriptor::at(from), Left::IsNew);
    }
    /// The same to characters whose length was declared.
    fn _FortranAAssignExplicitLengthCharacter(
        to: *mut Header, from: *mut Header, _source: *const c_char, _line: c_int,
    ) {
        let (to, from) = (Descriptor::at(to), Descriptor::at(from));
        let left = if to.header().code == code::CHARACTER { Left::KeepsLength } else { Left::MayChange };
        assign(to, from, left);
    }
    /// A contiguous copy of an actual argument.
    fn _FortranACopyInAssign(temporary: *mut Header, variable: *mut Header, _source: *const c_char, _line: c_int) {
        let (temporary, variable) = (Descriptor::at(temporary), Descriptor::at(variable));
        for at in 0..variable.rank() {
            temporary.set_dimension(at, variable.dimension(at));
        }
        temporary.change(|header| {
            *header = variable.header();
            header.attribute = ALLOCATABLE;
        });
        let bytes = temporary.make_contiguous();
        let memory = device::allocate(bytes, "the copy of an argument");
        temporary.change(|header| header.base = memory);
        copy_elements(temporary, variable);
    }
    /// The copy back, unless the variable is null, and the copy's end.
    fn _FortranACopyOutAssign(variable: *mut Header, temporary: *mut Header, _source: *const c_char, _line: c_int) {
        let temporary = Descriptor::at(temporary);
        if let Some(variable) = Descriptor::optional(variable) {
            copy_elements(variable, temporary);
        }
        device::release(temporary.base());
        temporary.change(|header| header.base = core::ptr::null_mut());
    }
    /// The end of a value of a derived type.
    fn _FortranADestroy(value: *mut Header) {
        let value = Descriptor::at(value);
        if let Some(of) = value.derived_type().filter(|of| of.owns_memory() && !value.base().is_null()) {
            destroy(value, of);
        }
    }
}
