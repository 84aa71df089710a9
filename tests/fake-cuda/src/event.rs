//! Events.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::context::Context;

/// An event, with its last record if there is one.
pub struct Event {
    /// Its context.
    pub context: Arc<Context>,
    /// The record.
    pub last: Mutex<Option<Arc<Record>>>,
}

/// A recorded point in a stream.
#[derive(Default)]
pub struct Record {
    passed: Mutex<bool>,
    changed: Condvar,
}

impl Record {
    /// Whether the stream has passed it.
    pub fn has_passed(&self) -> bool {
        *self.passed.lock()
    }

    /// Waits until the stream has passed it.
    pub fn wait(&self) {
        let mut passed = self.passed.lock();
        self.changed.wait_while(&mut passed, |passed| !*passed);
    }
}

/// Completes a record when it is dropped. A stream whose context is lost drops its work, and waiters must not
/// wait for ever.
pub struct Mark(pub Arc<Record>);

impl Drop for Mark {
    fn drop(&mut self) {
        *self.0.passed.lock() = true;
        self.0.changed.notify_all();
    }
}
