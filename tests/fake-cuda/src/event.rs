//! Events.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::context::Context;

/// An event: the last record of it, if there was one.
pub struct Event {
    /// What it belongs to.
    pub context: Arc<Context>,
    /// The record.
    pub last: Mutex<Option<Arc<Record>>>,
}

/// A point in a stream.
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

    /// Waits for that.
    pub fn wait(&self) {
        let mut passed = self.passed.lock();
        self.changed.wait_while(&mut passed, |passed| !*passed);
    }
}

/// Passes a record when it is dropped: work of a stream whose context is lost is dropped, and nobody may wait for ever.
pub struct Mark(pub Arc<Record>);

impl Drop for Mark {
    fn drop(&mut self) {
        *self.0.passed.lock() = true;
        self.0.changed.notify_all();
    }
}
