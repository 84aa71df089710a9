//! flang's calls for `print *` and `write(*, *)`: a statement begins, takes items and ends.

use core::ffi::{c_char, c_int};

use crate::descriptor::{Descriptor, Header};
use crate::device::{self, Message};
use crate::list_output::Statement;
use crate::value::{Complex, code, is_true};

/// What flang hands from call to call.
type Cookie = *mut Statement;

/// Standard output (`*`) and standard error, by flang's numbers. A device has one stream for both.
const UNITS: [c_int; 2] = [6, 0];

/// One element of an array as an item.
unsafe fn element(statement: &mut Statement, at: *const u8, element: usize, type_code: i8) {
    // SAFETY: an element of this type, which flang's arrays align to what their own elements need.
    unsafe {
        match type_code {
            code::INTEGER_1 => statement.integer(at.cast::<i8>().read().into()),
            code::INTEGER_2 => statement.integer(at.cast::<i16>().read_unaligned().into()),
            code::INTEGER_4 => statement.integer(at.cast::<i32>().read_unaligned().into()),
            code::INTEGER_8 => statement.integer(at.cast::<i64>().read_unaligned().into()),
            code::INTEGER_16 => statement.integer(at.cast::<i128>().read_unaligned()),
            code::REAL_4 => statement.real(at.cast::<f32>().read_unaligned()),
            code::REAL_8 => statement.real(at.cast::<f64>().read_unaligned()),
            code::COMPLEX_4 => statement.complex(at.cast::<Complex<f32>>().read_unaligned()),
            code::COMPLEX_8 => statement.complex(at.cast::<Complex<f64>>().read_unaligned()),
            code::LOGICAL_1 | code::LOGICAL_2 | code::LOGICAL_4 | code::LOGICAL_8 => {
                statement.logical(is_true(at, element));
            }
            code::CHARACTER => {
                statement.characters(core::slice::from_raw_parts(at, element));
            }
            other => {
                Message::new("Fortran output in device code of a type that it cannot write, code ")
                    .number(other.into())
                    .give_up()
            }
        }
    }
}

entries! {
    /// Begins `print *` or `write(unit, *)`.
    fn _FortranAioBeginExternalListOutput(unit: c_int, source: *const c_char, line: c_int) -> Cookie {
        if !UNITS.contains(&unit) {
            Message::new("Fortran output in device code to unit ")
                .number(unit.into())
                .text(b", which is not the standard output, at ")
                .c_string(source.cast())
                .text(b":")
                .number(line.into())
                .give_up()
        }
        let cookie = device::allocate(size_of::<Statement>(), "an output statement").cast::<Statement>();
        cookie.write(Statement::new());
        cookie
    }
    /// Ends a statement. Gives 0, no error.
    fn _FortranAioEndIoStatement(cookie: Cookie) -> c_int {
        cookie.read().end();
        device::release(cookie.cast());
        0
    }
    /// `iostat=` and its like: there is no error to tell of.
    fn _FortranAioEnableHandlers(
        _cookie: Cookie, _stat: bool, _error: bool, _end: bool, _record: bool, _message: bool,
    ) {}
    /// An `integer(1)`.
    fn _FortranAioOutputInteger8(cookie: Cookie, value: i8) -> bool {
        (*cookie).integer(value.into());
        true
    }
    /// An `integer(2)`.
    fn _FortranAioOutputInteger16(cookie: Cookie, value: i16) -> bool {
        (*cookie).integer(value.into());
        true
    }
    /// An `integer(4)`.
    fn _FortranAioOutputInteger32(cookie: Cookie, value: i32) -> bool {
        (*cookie).integer(value.into());
        true
    }
    /// An `integer(8)`.
    fn _FortranAioOutputInteger64(cookie: Cookie, value: i64) -> bool {
        (*cookie).integer(value.into());
        true
    }
    /// An `integer(16)`.
    fn _FortranAioOutputInteger128(cookie: Cookie, value: i128) -> bool {
        (*cookie).integer(value);
        true
    }
    /// A `real(4)`.
    fn _FortranAioOutputReal32(cookie: Cookie, value: f32) -> bool {
        (*cookie).real(value);
        true
    }
    /// A `real(8)`.
    fn _FortranAioOutputReal64(cookie: Cookie, value: f64) -> bool {
        (*cookie).real(value);
        true
    }
    /// A `complex(4)`.
    fn _FortranAioOutputComplex32(cookie: Cookie, re: f32, im: f32) -> bool {
        (*cookie).complex(Complex { re, im });
        true
    }
    /// A `complex(8)`.
    fn _FortranAioOutputComplex64(cookie: Cookie, re: f64, im: f64) -> bool {
        (*cookie).complex(Complex { re, im });
        true
    }
    /// A logical of any kind.
    fn _FortranAioOutputLogical(cookie: Cookie, value: bool) -> bool {
        (*cookie).logical(value);
        true
    }
    /// Characters.
    fn _FortranAioOutputAscii(cookie: Cookie, text: *const u8, length: usize) -> bool {
        if length == 0 {
            (*cookie).characters(b"");
        } else {
            (*cookie).characters(core::slice::from_raw_parts(text, length));
        }
        true
    }
    /// An array, or anything else that flang describes.
    fn _FortranAioOutputDescriptor(cookie: Cookie, item: *mut Header) -> bool {
        let item = Descriptor::at(item);
        let (bytes, type_code) = (item.element(), item.header().code);
        for number in 0..item.count() {
            element(&mut *cookie, item.nth(number), bytes, type_code);
        }
        true
    }
}
