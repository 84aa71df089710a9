//! `cusparseStatus_t`.

use std::ffi::{CStr, c_char, c_int};

use cuda_library::ordered_work::Refused;

/// A code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub c_int);

impl Status {
    /// The handle is none.
    pub const NOT_INITIALIZED: Status = Status(1);
    /// An argument is wrong.
    pub const INVALID_VALUE: Status = Status(3);
    /// What is no device memory; or a stream that is none, or whose device has failed.
    pub const EXECUTION_FAILED: Status = Status(6);
    /// A pivot is zero.
    pub const ZERO_PIVOT: Status = Status(9);
    /// This combination of types or formats is none.
    pub const NOT_SUPPORTED: Status = Status(10);
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
    result.map_or_else(|status| status.0, |()| 0)
}

/// The codes in their order: their names and what they mean.
const NAMES: [(&CStr, &CStr); 12] = [
    (c"CUSPARSE_STATUS_SUCCESS", c"success"),
    (c"CUSPARSE_STATUS_NOT_INITIALIZED", c"initialization error"),
    (c"CUSPARSE_STATUS_ALLOC_FAILED", c"out of memory"),
    (c"CUSPARSE_STATUS_INVALID_VALUE", c"invalid value"),
    (c"CUSPARSE_STATUS_ARCH_MISMATCH", c"architecture mismatch"),
    (
        c"CUSPARSE_STATUS_MAPPING_ERROR",
        c"texture/memory mapping error",
    ),
    (
        c"CUSPARSE_STATUS_EXECUTION_FAILED",
        c"kernel launch failure",
    ),
    (c"CUSPARSE_STATUS_INTERNAL_ERROR", c"internal error"),
    (
        c"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
        c"matrix type not supported",
    ),
    (c"CUSPARSE_STATUS_ZERO_PIVOT", c"zero pivot"),
    (c"CUSPARSE_STATUS_NOT_SUPPORTED", c"operation not supported"),
    (
        c"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
        c"insufficient resources",
    ),
];

fn found(status: c_int) -> Option<&'static (&'static CStr, &'static CStr)> {
    usize::try_from(status)
        .ok()
        .and_then(|index| NAMES.get(index))
}

/// The name of a code.
pub extern "C" fn error_name(status: c_int) -> *const c_char {
    found(status)
        .map_or(c"unrecognized error code", |one| one.0)
        .as_ptr()
}

/// What a code means.
pub extern "C" fn error_string(status: c_int) -> *const c_char {
    found(status)
        .map_or(c"unrecognized error code", |one| one.1)
        .as_ptr()
}
