//! Functions of the host that streams call.

use std::ffi::c_void;
use std::sync::Arc;

use crate::error::{Code, Result, SUCCESS, answer};
use crate::graph::operation::HostCall;
use crate::runtime::runtime;

/// A function of the program for `cudaLaunchHostFunc`.
pub type HostFunction = unsafe extern "C" fn(*mut c_void);

/// One for `cudaStreamAddCallback`: it gets the stream and an error code.
pub type Callback = unsafe extern "C" fn(*mut c_void, i32, *mut c_void);

/// An address of the program's, for the thread that calls its function.
#[derive(Clone, Copy)]
struct Given(*mut c_void);

// SAFETY: the program gives it away.
unsafe impl Send for Given {}

// SAFETY: calls of a graph come one after the other.
unsafe impl Sync for Given {}

impl Given {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

/// The call of a function.
///
/// # Safety
/// The function may be called with `data` on any thread.
pub unsafe fn host_call(function: Option<HostFunction>, data: *mut c_void) -> Result<HostCall> {
    let function = function.ok_or(Code::INVALID_VALUE)?;
    let data = Given(data);
    // SAFETY: caller.
    Ok(Arc::new(move || unsafe { function(data.get()) }))
}

/// Calls a function of the host's when the stream's work is done.
///
/// # Safety
/// The function may be called with `data` on any thread.
pub unsafe extern "C" fn cudaLaunchHostFunc(
    stream: *mut c_void,
    function: Option<HostFunction>,
    data: *mut c_void,
) -> i32 {
    let enqueue = || {
        let own = runtime().stream(stream as usize)?;
        // SAFETY: caller.
        let call = unsafe { host_call(function, data)? };
        own.device.enqueue_call(&own.stream, call)
    };
    answer(enqueue())
}

/// The same. The function is told the stream, and that all is well: after a failure it is not called.
///
/// # Safety
/// As for [`cudaLaunchHostFunc`].
pub unsafe extern "C" fn cudaStreamAddCallback(
    stream: *mut c_void,
    callback: Option<Callback>,
    data: *mut c_void,
    flags: u32,
) -> i32 {
    let enqueue = || {
        let callback = callback.ok_or(Code::INVALID_VALUE)?;
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let own = runtime().stream(stream as usize)?;
        if own.stream.is_captured() {
            return Err(Code::CAPTURE_UNSUPPORTED);
        }
        let (stream, data) = (Given(stream), Given(data));
        // SAFETY: caller.
        let call = move || unsafe { callback(stream.get(), SUCCESS, data.get()) };
        own.device.enqueue_call(&own.stream, Arc::new(call))
    };
    answer(enqueue())
}
