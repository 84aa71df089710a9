//! Array constructors whose values flang cannot count beforehand (Fortran 2023, 7.8): values are pushed one by one.

use core::ffi::{c_char, c_int, c_void};

use crate::descriptor::{Descriptor, Header};
use crate::device;

/// What is kept between the calls, in 80 bytes that flang reserves for it.
#[repr(C)]
#[derive(Debug)]
pub struct Vector {
    to: *mut Header,
    used: usize,
    room: usize,
    /// The array gets the length of its first value (characters).
    takes_length: bool,
    /// The array's memory comes from here, and grows.
    grows: bool,
}

impl Vector {
    fn array(&self) -> Descriptor {
        // SAFETY: flang keeps it until the last value is pushed.
        unsafe { Descriptor::at(self.to) }
    }

    /// Room for more values.
    fn need(&mut self, more: usize) {
        let (array, wanted) = (self.array(), self.used + more);
        if wanted > self.room {
            if !self.grows {
                device::fail(
                    "Fortran array constructor with more values than its array has elements",
                );
            }
            let room = wanted.max(self.room * 2).max(8);
            let bytes = array.element();
            let memory = device::allocate(room * bytes, "an array constructor");
            // SAFETY: the new memory is larger; the old one is null or not used again.
            unsafe {
                memory.copy_from_nonoverlapping(array.base(), self.used * bytes);
                device::release(array.base());
            }
            array.change(|header| header.base = memory);
            self.room = room;
        }
        if self.grows {
            let mut dimension = array.dimension(0);
            dimension.lower = 1;
            dimension.extent = wanted as i64;
            dimension.stride = array.element() as i64;
            array.set_dimension(0, dimension);
        }
    }

    /// # Safety
    /// A value of `bytes` bytes at `from`.
    unsafe fn push(&mut self, from: *const u8, bytes: usize) {
        self.need(1);
        let array = self.array();
        // SAFETY: there is room, and the caller's promise.
        unsafe {
            let place = array.base().add(self.used * array.element());
            let common = bytes.min(array.element());
            place.copy_from_nonoverlapping(from, common);
            place
                .add(common)
                .write_bytes(b' ', array.element() - common);
        }
        self.used += 1;
    }
}

entries! {
    /// Begins one.
    fn _FortranAInitArrayConstructorVector(
        vector: *mut Vector, to: *mut Header, takes_length: bool, _source: *const c_char, _line: c_int,
    ) {
        let array = Descriptor::at(to);
        let grows = array.base().is_null();
        let room = if grows { 0 } else { array.count() };
        vector.write(Vector { to, used: 0, room, takes_length, grows });
    }
    /// A scalar, or the elements of an array.
    fn _FortranAPushArrayConstructorValue(vector: *mut Vector, from: *mut Header) {
        let (vector, from) = (&mut *vector, Descriptor::at(from));
        if vector.takes_length && vector.used == 0 {
            vector.array().change(|header| header.element = from.element());
        }
        vector.need(0);
        for number in 0..from.count() {
            vector.push(from.nth(number), from.element());
        }
    }
    /// A scalar of the array's own type and length.
    fn _FortranAPushArrayConstructorSimpleScalar(vector: *mut Vector, from: *const c_void) {
        let vector = &mut *vector;
        let bytes = vector.array().element();
        vector.push(from.cast(), bytes);
    }
}
