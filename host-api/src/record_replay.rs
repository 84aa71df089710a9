//! Recording and replaying kernels, an LLVM extension for tuning tools: not offered, and said so.

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
    warn(&"recording and replaying kernels is not supported");
    -1
}

/// Replays a kernel. A caller could not go on without its result.
pub extern "C" fn __tgt_target_kernel_replay() -> i32 {
    die(&"omptarget error: recording and replaying kernels is not supported")
}
