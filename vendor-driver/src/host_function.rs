//! Functions of the host that a stream calls.

use std::sync::Arc;

use parking_lot::Mutex;

/// A function that is called at most once.
pub struct HostFunction(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl HostFunction {
    /// A function that has not been called.
    pub fn new(function: Box<dyn FnOnce() + Send>) -> Arc<HostFunction> {
        Arc::new(HostFunction(Mutex::new(Some(function))))
    }

    /// Calls the function, unless it was called or abandoned before.
    pub fn call(&self) {
        let function = self.0.lock().take();
        if let Some(function) = function {
            function();
        }
    }

    /// Drops the function, unless it is being called right now.
    pub fn abandon(&self) {
        drop(self.0.lock().take());
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
        called.call();
        called.call();
        called.abandon();
        let abandoned = make();
        abandoned.abandon();
        abandoned.call();
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}
