//! What CUDA's libraries ask of our `libcudart` alone.

use std::ffi::{c_int, c_void};

use crate::entry::place;
use crate::error::{Code, Result};
use crate::runtime::runtime;

/// The stream of the GPU's driver that serves a stream, for NVIDIA's libraries. The virtual GPU has no driver: a code
/// other than success, which is not noted as an error of the program.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn omptargetForeignStream(
    stream: *mut c_void,
    foreign: *mut *mut c_void,
) -> c_int {
    let ask = || -> Result<()> {
        // SAFETY: caller.
        let place = unsafe { place(foreign) }?;
        let own = runtime().stream(stream as usize)?;
        let address = own.stream.raw.foreign().ok_or(Code::INVALID_HANDLE)?;
        *place = address as *mut c_void;
        Ok(())
    };
    ask().map_or_else(|code| code.0, |()| 0)
}
