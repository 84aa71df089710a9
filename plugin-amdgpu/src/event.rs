//! Events.

use std::sync::Arc;

use plugin_api::{Event, Result};

use crate::signal::Signal;

/// A point in a stream: the signal of the operation before it.
pub struct AmdEvent {
    /// The signal.
    pub signal: Arc<Signal>,
}

impl Event for AmdEvent {
    fn has_happened(&self) -> Result<bool> {
        if self.signal.has_happened() {
            return Ok(true);
        }
        self.signal.alive()?;
        Ok(false)
    }

    fn synchronize(&self) -> Result<()> {
        self.signal.wait()
    }
}
