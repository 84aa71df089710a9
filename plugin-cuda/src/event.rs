//! Events.

use std::sync::Arc;

use plugin_api::{Event, Result};

use crate::driver::{CuEvent, CuResult};
use crate::gpu::Gpu;

/// A recorded point in a stream.
pub struct CudaEvent {
    gpu: Arc<Gpu>,
    /// The driver's handle.
    pub handle: CuEvent,
}

impl CudaEvent {
    /// An event that has not been recorded.
    pub fn new(gpu: &Arc<Gpu>) -> Result<CudaEvent> {
        Ok(CudaEvent {
            gpu: gpu.clone(),
            handle: gpu.take_event()?,
        })
    }
}

impl Event for CudaEvent {
    fn has_happened(&self) -> Result<bool> {
        let _entered = self.gpu.enter()?;
        // SAFETY: the event lives as long as this.
        let asked = unsafe { self.gpu.driver.event_query(self.handle) };
        match asked {
            Ok(()) => Ok(true),
            Err(failure) if failure.result == CuResult::NOT_READY => Ok(false),
            Err(failure) => Err(self.gpu.error(failure)),
        }
    }

    fn synchronize(&self) -> Result<()> {
        let _entered = self.gpu.enter()?;
        // SAFETY: the event lives as long as this.
        let waited = unsafe { self.gpu.driver.event_synchronize(self.handle) };
        self.gpu.check(waited)
    }
}

impl Drop for CudaEvent {
    /// Returns the handle to the pool. It may be recorded again: streams that already wait keep waiting for the
    /// old record.
    fn drop(&mut self) {
        if let Some(opened) = self.gpu.in_use() {
            opened.events.put_back(self.handle);
        }
    }
}
