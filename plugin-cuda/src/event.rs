//! Events.

use std::sync::Arc;

use plugin_api::{Event, Result};

use crate::driver::{CuEvent, CuResult};
use crate::gpu::Gpu;

/// A point in a stream.
pub struct CudaEvent {
    gpu: Arc<Gpu>,
    /// The driver's handle.
    pub handle: CuEvent,
}

impl CudaEvent {
    /// An event that nobody has recorded yet.
    pub fn new(gpu: &Arc<Gpu>) -> Result<CudaEvent> {
        Ok(CudaEvent {
            gpu: gpu.clone(),
            handle: gpu.take_event()?,
        })
    }
}

impl Event for CudaEvent {
    fn has_happened(&self) -> bool {
        let Ok(_entered) = self.gpu.enter() else {
            return true;
        };
        // SAFETY: the event lives as long as this.
        let asked = unsafe { self.gpu.driver.event_query(self.handle) };
        // An error is one of the context: nothing will happen any more, and the stream's owner hears of it.
        !asked.is_err_and(|failure| failure.result == CuResult::NOT_READY)
    }

    fn synchronize(&self) {
        if let Ok(_entered) = self.gpu.enter() {
            // SAFETY: the event lives as long as this.
            let waited = unsafe { self.gpu.driver.event_synchronize(self.handle) };
            if let Err(failure) = waited {
                log::debug!("{} failed: {}", failure.call, failure.result.0);
            }
        }
    }
}

impl Drop for CudaEvent {
    /// Recorded again it is another event; streams that wait have noted which one they mean.
    fn drop(&mut self) {
        if let Some(opened) = self.gpu.in_use() {
            opened.events.put_back(self.handle);
        }
    }
}
