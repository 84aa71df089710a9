//! `cublasStatus_t`.

use std::ffi::{CStr, c_char, c_int};

use cuda_library::ordered_work::Refused;

/// A code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub c_int);

impl Status {
    /// Nothing went wrong.
    pub const SUCCESS: Status = Status(0);
    /// The handle is none.
    pub const NOT_INITIALIZED: Status = Status(1);
    /// There is no memory left.
    pub const ALLOC_FAILED: Status = Status(3);
    /// An argument is wrong.
    pub const INVALID_VALUE: Status = Status(7);
    /// A copy failed.
    pub const MAPPING_ERROR: Status = Status(11);
    /// Something that is no device memory; or a stream that is none, or whose device has failed.
    pub const EXECUTION_FAILED: Status = Status(13);
    /// This combination of types is none.
    pub const NOT_SUPPORTED: Status = Status(15);
}

/// A result with a code for an error.
pub type Result<T> = std::result::Result<T, Status>;

impl From<Refused> for Status {
    fn from(_: Refused) -> Status {
        Status::EXECUTION_FAILED
    }
}

/// What an entry point returns.
pub fn answer(result: Result<()>) -> c_int {
    result.err().unwrap_or(Status::SUCCESS).0
}

/// The codes, their names and what they mean.
const NAMES: [(c_int, &CStr, &CStr); 10] = [
    (0, c"CUBLAS_STATUS_SUCCESS", c"success"),
    (
        1,
        c"CUBLAS_STATUS_NOT_INITIALIZED",
        c"the library was not initialized",
    ),
    (
        3,
        c"CUBLAS_STATUS_ALLOC_FAILED",
        c"the resource allocation failed",
    ),
    (
        7,
        c"CUBLAS_STATUS_INVALID_VALUE",
        c"an unsupported value or parameter was passed to the function",
    ),
    (
        8,
        c"CUBLAS_STATUS_ARCH_MISMATCH",
        c"the device lacks a feature that the function needs",
    ),
    (
        11,
        c"CUBLAS_STATUS_MAPPING_ERROR",
        c"an access to device memory failed",
    ),
    (
        13,
        c"CUBLAS_STATUS_EXECUTION_FAILED",
        c"the function failed to launch on the device",
    ),
    (
        14,
        c"CUBLAS_STATUS_INTERNAL_ERROR",
        c"an internal operation failed",
    ),
    (
        15,
        c"CUBLAS_STATUS_NOT_SUPPORTED",
        c"the function is not supported",
    ),
    (
        16,
        c"CUBLAS_STATUS_LICENSE_ERROR",
        c"the licence is missing",
    ),
];

/// The name of a code.
pub extern "C" fn status_name(status: c_int) -> *const c_char {
    let found = NAMES.iter().find(|one| one.0 == status);
    found.map_or(c"CUBLAS_STATUS_UNKNOWN", |one| one.1).as_ptr()
}

/// What a code means.
pub extern "C" fn status_string(status: c_int) -> *const c_char {
    let found = NAMES.iter().find(|one| one.0 == status);
    found.map_or(c"unknown status", |one| one.2).as_ptr()
}
