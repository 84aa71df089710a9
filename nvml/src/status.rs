//! What functions return (`nvmlReturn_t`).

use std::ffi::CStr;

/// A code other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub i32);

impl Status {
    /// `nvmlInit` was not called.
    pub const UNINITIALIZED: Status = Status(1);
    /// An argument is wrong.
    pub const INVALID_ARGUMENT: Status = Status(2);
    /// The device cannot tell.
    pub const NOT_SUPPORTED: Status = Status(3);
    /// There is no such device.
    pub const NOT_FOUND: Status = Status(6);
    /// The buffer is too small.
    pub const INSUFFICIENT_SIZE: Status = Status(7);
    /// There is no device.
    pub const DRIVER_NOT_LOADED: Status = Status(9);
    /// The structure is of another version.
    pub const VERSION_MISMATCH: Status = Status(25);
}

/// The outcome of a call.
pub type Result<T> = std::result::Result<T, Status>;

/// What an entry point returns.
pub fn answer(result: Result<()>) -> i32 {
    result.map_or_else(|status| status.0, |()| 0)
}

/// What a code means.
pub fn description(code: i32) -> &'static CStr {
    match code {
        0 => c"success",
        1 => c"the library was not started",
        2 => c"an argument is not valid",
        3 => c"the device does not support this",
        6 => c"not found",
        7 => c"the buffer is too small",
        9 => c"there is no device",
        25 => c"the structure is of another version",
        _ => c"an unknown error",
    }
}
