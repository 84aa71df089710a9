//! Host functions, which the driver calls in stream order.

use std::ffi::c_void;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::driver::{CuStream, Driver, Outcome};

/// A function that is called at most once.
pub struct HostFunction(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl HostFunction {
    /// A function that has not been enqueued.
    pub fn new(function: Box<dyn FnOnce() + Send>) -> Arc<HostFunction> {
        Arc::new(HostFunction(Mutex::new(Some(function))))
    }

    /// Enqueues the function.
    ///
    /// # Safety
    /// The stream belongs to the current context.
    pub unsafe fn enqueue(self: &Arc<HostFunction>, driver: &Driver, stream: CuStream) -> Outcome {
        let data = Arc::into_raw(self.clone()).cast_mut().cast();
        // SAFETY: the driver calls the function at most once, with a reference count of its own.
        let enqueued = unsafe { driver.launch_host_func(stream, call, data) };
        if enqueued.is_err() {
            // SAFETY: the driver has not taken the reference count.
            drop(unsafe { Arc::from_raw(data.cast::<HostFunction>()) });
        }
        enqueued
    }

    fn take(&self) -> Option<Box<dyn FnOnce() + Send>> {
        self.0.lock().take()
    }

    /// Drops the function, unless the driver is calling it right now. After a failure the driver keeps its
    /// reference count, because it is unknown whether it will still call the function.
    pub fn abandon(&self) {
        drop(self.take());
    }
}

/// The function that the driver calls.
unsafe extern "C" fn call(data: *mut c_void) {
    // SAFETY: the reference count that `enqueue` gave away.
    let call = unsafe { Arc::from_raw(data.cast::<HostFunction>()) };
    if let Some(function) = call.take() {
        function();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_function_is_called_once_or_never() {
        let count = Arc::new(AtomicU32::new(0));
        let make = || {
            let count = count.clone();
            HostFunction::new(Box::new(move || {
                count.fetch_add(1, Ordering::Relaxed);
            }))
        };
        let called = make();
        // SAFETY: a count of the call's.
        unsafe { call(Arc::into_raw(called.clone()).cast_mut().cast()) };
        called.abandon();
        let abandoned = make();
        abandoned.abandon();
        // SAFETY: as above.
        unsafe { call(Arc::into_raw(abandoned).cast_mut().cast()) };
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}
