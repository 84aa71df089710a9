//! `cufftResult`.

use std::ffi::c_int;

use cuda_library::ordered_work::Refused;

/// A code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub c_int);

impl Status {
    /// The handle is none, or has no plan yet.
    pub const INVALID_PLAN: Status = Status(1);
    /// The type of the transform is none, or another than the plan's.
    pub const INVALID_TYPE: Status = Status(3);
    /// An address, rank or direction is wrong.
    pub const INVALID_VALUE: Status = Status(4);
    /// What is no device memory; or a stream that is none, or whose device has failed.
    pub const EXEC_FAILED: Status = Status(6);
    /// There is no device, or no library for it.
    pub const SETUP_FAILED: Status = Status(7);
    /// What no plan of one device does.
    pub const NOT_SUPPORTED: Status = Status(16);
    /// A size is wrong.
    pub const INVALID_SIZE: Status = Status(8);
}

/// A result with a code for an error.
pub type Result<T> = std::result::Result<T, Status>;

impl From<Refused> for Status {
    fn from(_: Refused) -> Status {
        Status::EXEC_FAILED
    }
}

/// What an entry point returns.
pub fn answer(result: Result<()>) -> c_int {
    result.map_or_else(|status| status.0, |()| 0)
}
