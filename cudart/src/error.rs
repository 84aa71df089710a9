//! Errors: the last one of a thread, and what errors of devices become.

use std::cell::Cell;
use std::ffi::CStr;

use findings::{Finding, Kind, Note, Severity};
use plugin_api::{Error as DeviceError, FaultKind};

use crate::codes::CODES;
pub use crate::codes::{Code, SUCCESS};
use crate::front::front;

/// Result of an entry point's work.
pub type Result<T> = std::result::Result<T, Code>;

fn row(number: i32) -> Option<&'static (i32, &'static CStr, &'static CStr)> {
    CODES.iter().find(|(known, ..)| *known == number)
}

/// The enumerator's name.
pub fn name(number: i32) -> &'static CStr {
    row(number).map_or(c"unrecognized error code", |(_, name, _)| name)
}

/// The description.
pub fn description(number: i32) -> &'static CStr {
    row(number).map_or(c"unrecognized error code", |(.., text)| text)
}

impl Code {
    /// What an error of a device is in CUDA's terms.
    pub fn of(error: &DeviceError) -> Code {
        match error {
            DeviceError::OutOfMemory { .. } => Code::MEMORY_ALLOCATION,
            DeviceError::InvalidFree(_) | DeviceError::InvalidAccess { .. } => Code::INVALID_VALUE,
            DeviceError::InvalidLaunch { .. } => Code::INVALID_CONFIGURATION,
            DeviceError::Image(_) | DeviceError::Load(_) => Code::INVALID_IMAGE,
            DeviceError::Fault(fault) => match &fault.kind {
                FaultKind::Trap { message } if !message.is_empty() => Code::ASSERT,
                FaultKind::WildAccess { .. }
                | FaultKind::WildPage { .. }
                | FaultKind::IllegalAddress => Code::ILLEGAL_ADDRESS,
                FaultKind::Deadlock => Code::TIMEOUT,
                FaultKind::StackOverflow => Code::STACK,
                FaultKind::Trap { .. } | FaultKind::Arithmetic | FaultKind::Other(_) => {
                    Code::LAUNCH_FAILURE
                }
            },
            DeviceError::Lost { .. } => Code::LAUNCH_FAILURE,
            DeviceError::Driver { .. } | DeviceError::System { .. } => Code::UNKNOWN,
        }
    }
}

thread_local! {
    static LAST: Cell<i32> = const { Cell::new(SUCCESS) };
}

/// The code that an entry point returns. An error becomes the thread's last one.
pub fn answer(result: Result<()>) -> i32 {
    match result {
        Ok(()) => SUCCESS,
        // An answer rather than a failure.
        Err(Code::NOT_READY) => Code::NOT_READY.0,
        Err(code) => {
            tell(code);
            LAST.set(code.0);
            code.0
        }
    }
}

/// Tells the checker of a call that fails: programs often do not look at the code.
fn tell(code: Code) {
    // Of a kernel that has failed there is a finding already.
    let of_kernels = [
        Code::ASSERT,
        Code::ILLEGAL_ADDRESS,
        Code::TIMEOUT,
        Code::STACK,
        Code::LAUNCH_FAILURE,
    ];
    if of_kernels.contains(&code) || !findings::wanted().is_ok_and(|checks| checks.host) {
        return;
    }
    let Note { location, .. } = findings::caller("");
    let why = description(code.0).to_string_lossy();
    let what = format!("a call of {} fails: {why}", front().library);
    findings::report(Finding {
        location,
        ..Finding::new(Kind::Host, Severity::Warning, what)
    });
}

/// The thread's last error, which is forgotten.
pub fn take_last() -> i32 {
    LAST.replace(SUCCESS)
}

/// The thread's last error.
pub fn last() -> i32 {
    LAST.get()
}

/// Makes a call that leaves the thread's last error as it is.
pub fn without_trace(call: impl FnOnce() -> i32) -> i32 {
    let last = LAST.get();
    let code = call();
    LAST.set(last);
    code
}

/// Tells the user what no error code says: where a kernel failed, why an image cannot be loaded.
pub fn report(what: &str, why: &dyn std::fmt::Display) {
    eprintln!("{}: {what}: {why}", front().library);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_stays_until_it_is_taken() {
        assert_eq!(answer(Err(Code::INVALID_VALUE)), 1);
        assert_eq!(answer(Ok(())), 0);
        assert_eq!(answer(Err(Code::NOT_READY)), 600);
        assert_eq!((last(), take_last(), take_last()), (1, 1, 0));
    }

    #[test]
    fn errors_have_names() {
        assert_eq!(name(0), c"cudaSuccess");
        assert_eq!(name(Code::ASSERT.0), c"cudaErrorAssert");
        assert_eq!(description(2), c"out of memory");
        assert_eq!(name(12345), c"unrecognized error code");
    }
}
