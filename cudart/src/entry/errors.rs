//! `cudaGetLastError` and its like.

use std::ffi::c_char;

use crate::error;
use crate::runtime::runtime;

/// The thread's last error, which is forgotten. The failure of a device stays.
pub extern "C" fn cudaGetLastError() -> i32 {
    or_failure(error::take_last())
}

/// The thread's last error.
pub extern "C" fn cudaPeekAtLastError() -> i32 {
    or_failure(error::last())
}

fn or_failure(last: i32) -> i32 {
    match last {
        error::SUCCESS => runtime()
            .failure()
            .map_or_else(|code| code.0, |()| error::SUCCESS),
        last => last,
    }
}

/// The enumerator's name.
pub extern "C" fn cudaGetErrorName(error: i32) -> *const c_char {
    error::name(error).as_ptr()
}

/// The description.
pub extern "C" fn cudaGetErrorString(error: i32) -> *const c_char {
    error::description(error).as_ptr()
}
