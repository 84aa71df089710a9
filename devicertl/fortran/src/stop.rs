//! Ends of a program. A kernel cannot end it in order, so it ends with a message.

use core::ffi::{c_char, c_int};

use crate::device::{self, Message};

fn begin(is_error: bool) -> Message {
    Message::new(if is_error {
        "Fortran ERROR STOP"
    } else {
        "Fortran STOP"
    })
}

entries! {
    /// `stop` and `error stop`, with a number or without one.
    fn _FortranAStopStatement(code: c_int, is_error: bool, _quiet: bool) -> ! {
        match code {
            0 => begin(is_error).give_up(),
            code => begin(is_error).text(b": code ").number(code.into()).give_up(),
        }
    }
    /// The same with a text.
    fn _FortranAStopStatementText(text: *const u8, length: usize, is_error: bool, _quiet: bool) -> ! {
        let text = if length == 0 { b"" } else { core::slice::from_raw_parts(text, length) };
        begin(is_error).text(b": ").text(text).give_up()
    }
    /// An error that flang's own code finds.
    fn _FortranAReportFatalUserError(message: *const u8, source: *const c_char, line: c_int) -> ! {
        Message::new("Fortran: ")
            .c_string(message)
            .text(b" at ")
            .c_string(source.cast())
            .text(b":")
            .number(line.into())
            .give_up()
    }
    /// `abort`
    fn _FortranAAbort() -> ! {
        device::fail("Fortran: abort() was called")
    }
}
