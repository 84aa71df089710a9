//! What LLVM's tool for recording and replaying kernels calls. It works with device memory at fixed addresses, which is not
//! offered, and said so; the crate `recording` is this project's way.

use std::ffi::c_void;

use crate::error::{die, warn};

/// Turns recording on; -1: it cannot be.
pub extern "C" fn __tgt_activate_record_replay(
    _device: i64,
    _memory: u64,
    _address: *mut c_void,
    _record: bool,
    _save_output: bool,
    _offset: *mut u64,
) -> i32 {
    warn(
        &"recording for LLVM's tool is not supported; OMPTARGET_RECORD and `omptarget replay` do it",
    );
    -1
}

/// Replays a kernel. A caller could not go on without its result.
pub extern "C" fn __tgt_target_kernel_replay() -> i32 {
    die(
        &"omptarget error: recording for LLVM's tool is not supported; OMPTARGET_RECORD and `omptarget replay` do it",
    )
}
