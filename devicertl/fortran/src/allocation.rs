//! `allocate`, `deallocate` and `move_alloc` (Fortran 2023, 9.7), where flang does not do it itself.

use core::ffi::{c_char, c_int, c_void};

use crate::assignment::{copy_with_components, destroy};
use crate::derived_type::{Action, for_components};
use crate::descriptor::{Descriptor, Dimension, Header};
use crate::device;

/// What `stat=` gets where a variable is not allocated (`CFI_ERROR_BASE_ADDR_NULL`).
const IS_NOT_ALLOCATED: c_int = 11;
/// Where it is (`CFI_ERROR_BASE_ADDR_NOT_NULL`).
const IS_ALLOCATED: c_int = 12;
/// Where there is no memory (`CFI_ERROR_MEM_ALLOCATION`).
const NO_MEMORY: c_int = 19;

/// An error: the kernel ends, unless the program asks for it.
fn error(has_stat: bool, stat: c_int, message: &str) -> c_int {
    if !has_stat {
        device::fail(message);
    }
    stat
}

fn set_bounds(variable: Descriptor, at: c_int, lower: i64, upper: i64) {
    let at = at as usize;
    let stride = match at.checked_sub(1).map(|before| variable.dimension(before)) {
        Some(before) => before.stride * before.extent,
        None => variable.element() as i64,
    };
    let extent = (upper - lower + 1).max(0);
    // Lower bounds of empty dimensions are 1 (Fortran 2023, 16.9.119).
    let lower = if extent > 0 { lower } else { 1 };
    variable.set_dimension(
        at,
        Dimension {
            lower,
            extent,
            stride,
        },
    );
}

/// Gives new elements their first values.
///
/// # Safety
/// Elements of the type, which own nothing yet.
unsafe fn initialize(array: Descriptor) {
    if let Some(of) = array.derived_type().filter(|of| of.needs_initialization()) {
        for number in 0..array.count() {
            // SAFETY: the caller's promise.
            unsafe { for_components(Action::Initialize, of, array.nth(number), 1) };
        }
    }
}

fn allocate(variable: Descriptor, has_stat: bool) -> c_int {
    let bytes = variable.make_contiguous();
    match device::try_allocate(bytes) {
        Some(memory) => {
            variable.change(|header| header.base = memory);
            // SAFETY: new elements.
            unsafe { initialize(variable) };
            0
        }
        None if has_stat => NO_MEMORY,
        None => {
            // Ends the kernel, with a message that says what to do.
            device::allocate(bytes, "`allocate`");
            NO_MEMORY
        }
    }
}

fn allocate_new(variable: Descriptor, has_stat: bool) -> c_int {
    if variable.base().is_null() {
        allocate(variable, has_stat)
    } else {
        error(
            has_stat,
            IS_ALLOCATED,
            "Fortran `allocate` of a variable that is allocated",
        )
    }
}

unsafe fn deallocate(variable: Descriptor, has_stat: bool) -> c_int {
    let memory = variable.base();
    if memory.is_null() {
        return error(
            has_stat,
            IS_NOT_ALLOCATED,
            "Fortran `deallocate` of a variable that is not allocated",
        );
    }
    // SAFETY: the variable's own memory.
    unsafe {
        if let Some(of) = variable.derived_type().filter(|of| of.owns_memory()) {
            destroy(variable, of);
        }
        device::release(memory);
    }
    variable.change(|header| header.base = core::ptr::null_mut());
    0
}

entries! {
    /// The first value of a variable of a derived type.
    fn _FortranAInitialize(variable: *mut Header, _source: *const c_char, _line: c_int) {
        let variable = Descriptor::at(variable);
        if !variable.base().is_null() {
            initialize(variable);
        }
    }
    /// The length of characters that are to be allocated.
    fn _FortranAAllocatableInitCharacterForAllocate(
        variable: *mut Header, length: i64, kind: c_int, _rank: c_int, _corank: c_int,
    ) {
        let variable = Descriptor::at(variable);
        if variable.base().is_null() {
            variable.change(|header| header.element = (length * i64::from(kind)).max(0) as usize);
        }
    }
    /// The bounds of one dimension.
    fn _FortranAAllocatableSetBounds(variable: *mut Header, dimension: c_int, lower: i64, upper: i64) {
        let variable = Descriptor::at(variable);
        if variable.base().is_null() {
            set_bounds(variable, dimension, lower, upper);
        }
    }
    /// `allocate` of an allocatable variable.
    fn _FortranAAllocatableAllocate(
        variable: *mut Header, _stream: *mut i64, has_stat: bool, _message: *mut Header, _source: *const c_char,
        _line: c_int, _copy: *const c_void,
    ) -> c_int {
        allocate_new(Descriptor::at(variable), has_stat)
    }
    /// `allocate` with `source=`.
    fn _FortranAAllocatableAllocateSource(
        variable: *mut Header, from: *mut Header, has_stat: bool, _message: *mut Header, _source: *const c_char,
        _line: c_int,
    ) -> c_int {
        let variable = Descriptor::at(variable);
        let stat = allocate_new(variable, has_stat);
        if stat == 0 {
            copy_with_components(variable, Descriptor::at(from));
        }
        stat
    }
    /// `deallocate` of an allocatable variable, by itself or at the end of a procedure.
    fn _FortranAAllocatableDeallocate(
        variable: *mut Header, has_stat: bool, _message: *mut Header, _source: *const c_char, _line: c_int,
    ) -> c_int {
        deallocate(Descriptor::at(variable), has_stat)
    }
    /// The same without final procedures, which are never called here.
    fn _FortranAAllocatableDeallocateNoFinal(variable: *mut Header, _source: *const c_char, _line: c_int) {
        deallocate(Descriptor::at(variable), false);
    }
    /// `move_alloc`.
    fn _FortranAMoveAlloc(
        to: *mut Header, from: *mut Header, _derived: *const c_void, _has_stat: bool, _message: *mut Header,
        _source: *const c_char, _line: c_int,
    ) -> c_int {
        let (to, from) = (Descriptor::at(to), Descriptor::at(from));
        if !to.base().is_null() {
            deallocate(to, false);
        }
        let moved = from.header();
        to.change(|header| {
            header.base = moved.base;
            header.element = moved.element;
        });
        for at in 0..from.rank() {
            to.set_dimension(at, from.dimension(at));
        }
        from.change(|header| header.base = core::ptr::null_mut());
        0
    }
    /// The bounds of one dimension of a pointer's target.
    fn _FortranAPointerSetBounds(variable: *mut Header, dimension: c_int, lower: i64, upper: i64) {
        set_bounds(Descriptor::at(variable), dimension, lower, upper);
    }
    /// `allocate` of a pointer, which may have another target already.
    fn _FortranAPointerAllocate(
        variable: *mut Header, has_stat: bool, _message: *mut Header, _source: *const c_char, _line: c_int,
        _copy: *const c_void,
    ) -> c_int {
        allocate(Descriptor::at(variable), has_stat)
    }
    /// `deallocate` of a pointer.
    fn _FortranAPointerDeallocate(
        variable: *mut Header, has_stat: bool, _message: *mut Header, _source: *const c_char, _line: c_int,
    ) -> c_int {
        deallocate(Descriptor::at(variable), has_stat)
    }
}
