//! Host functions, which the driver calls in stream order.

use std::ffi::c_void;
use std::sync::Arc;

use vendor_driver::HostFunction;

use crate::driver::{CuStream, Driver, Outcome};

/// Enqueues a function. After a failure the driver keeps its reference count, because it is unknown whether it will
/// still call the function.
///
/// # Safety
/// The stream belongs to the current context.
pub unsafe fn enqueue(function: &Arc<HostFunction>, driver: &Driver, stream: CuStream) -> Outcome {
    let data = Arc::into_raw(function.clone()).cast_mut().cast();
    // SAFETY: the driver calls the function at most once, with a reference count of its own.
    let enqueued = unsafe { driver.launch_host_func(stream, call, data) };
    if enqueued.is_err() {
        // SAFETY: the driver has not taken the reference count.
        drop(unsafe { Arc::from_raw(data.cast::<HostFunction>()) });
    }
    enqueued
}

/// The function that the driver calls.
unsafe extern "C" fn call(data: *mut c_void) {
    // SAFETY: the reference count that `enqueue` gave away.
    let function = unsafe { Arc::from_raw(data.cast::<HostFunction>()) };
    function.call();
}
