//! `curandStatus_t`.

use std::ffi::c_int;

use cuda_library::ordered_work::Refused;

/// A code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub c_int);

impl Status {
    /// The handle is none.
    pub const NOT_INITIALIZED: Status = Status(101);
    /// The generator is of another sort, or none.
    pub const TYPE_ERROR: Status = Status(103);
    /// An argument is wrong.
    pub const OUT_OF_RANGE: Status = Status(104);
    /// So many numbers cannot be made.
    pub const LENGTH_NOT_MULTIPLE: Status = Status(105);
    /// What is no device memory; or a stream that is none, or whose device has failed.
    pub const LAUNCH_FAILURE: Status = Status(201);
    /// There is no device, or no library for it.
    pub const INITIALIZATION_FAILED: Status = Status(203);
}

/// A result with a code for an error.
pub type Result<T> = std::result::Result<T, Status>;

impl From<Refused> for Status {
    fn from(_: Refused) -> Status {
        Status::LAUNCH_FAILURE
    }
}

/// What an entry point returns.
pub fn answer(result: Result<()>) -> c_int {
    result.map_or_else(|status| status.0, |()| 0)
}
