//! Events.
//!
//! A position in a stream needs no event of the driver until somebody asks who does not know how far the stream is. So
//! one is recorded then, at the latest: it stands for the position and for what was enqueued since.

use std::sync::{Arc, OnceLock};

use plugin_api::{Event, Result};

use crate::driver::{CuEvent, CuResult};
use crate::gpu::Gpu;
use crate::progress::Progress;

/// A position in a stream.
pub struct CudaEvent {
    gpu: Arc<Gpu>,
    stream: Arc<Progress>,
    /// Operations of the stream before it.
    operations: u64,
    recorded: OnceLock<CuEvent>,
}

impl CudaEvent {
    /// The position behind what the stream has been given.
    pub fn behind(gpu: &Arc<Gpu>, stream: &Arc<Progress>) -> CudaEvent {
        CudaEvent {
            gpu: gpu.clone(),
            stream: stream.clone(),
            operations: stream.lock().enqueued,
            recorded: OnceLock::new(),
        }
    }

    /// Whether it is a position in this stream.
    pub fn is_of(&self, stream: &Arc<Progress>) -> bool {
        Arc::ptr_eq(&self.stream, stream)
    }

    /// Whether the stream is known to have passed it.
    pub fn is_passed(&self) -> bool {
        self.stream.has_passed(self.operations)
    }

    /// Whether copies to the host before it have not arrived where they belong.
    pub fn awaits_reads(&self) -> bool {
        self.stream.lock().reads.are_due(self.operations)
    }

    /// The driver's event, recorded now if it was not before. The context is current. `None`: the stream is gone, and
    /// has passed the position.
    pub fn record(&self) -> Result<Option<CuEvent>> {
        let state = self.stream.lock();
        if let Some(&handle) = self.recorded.get() {
            return Ok(Some(handle));
        }
        if state.raw.is_none() {
            return Ok(None);
        }
        let handle = self.gpu.take_event()?;
        // SAFETY: the stream has its handle, and the event is the device's.
        let outcome = unsafe { self.gpu.driver.event_record(handle, self.stream.handle) };
        // The event goes back to the pool with this, recorded or not.
        self.recorded.get_or_init(|| handle);
        self.gpu.check(outcome)?;
        Ok(Some(handle))
    }
}

impl Event for CudaEvent {
    fn has_happened(&self) -> Result<bool> {
        if self.is_passed() {
            return Ok(true);
        }
        let _entered = self.gpu.enter()?;
        let Some(event) = self.record()? else {
            return Ok(true);
        };
        // SAFETY: the event lives as long as this.
        match unsafe { self.gpu.driver.event_query(event) } {
            Ok(()) => {
                self.stream.passed(self.operations);
                Ok(true)
            }
            Err(failure) if failure.result == CuResult::NOT_READY => Ok(false),
            Err(failure) => Err(self.gpu.error(failure)),
        }
    }

    /// The driver is not asked: that takes an event, and a query.
    fn is_known_to_have_happened(&self) -> Result<bool> {
        Ok(self.is_passed())
    }

    fn synchronize(&self) -> Result<()> {
        if self.is_passed() {
            return Ok(());
        }
        let _entered = self.gpu.enter()?;
        let Some(event) = self.record()? else {
            return Ok(());
        };
        // SAFETY: the event lives as long as this.
        let waited = unsafe { self.gpu.driver.event_synchronize(event) };
        self.gpu.check(waited)?;
        self.stream.passed(self.operations);
        Ok(())
    }
}

impl Drop for CudaEvent {
    /// Returns the handle to the pool. It may be recorded again: streams that already wait keep waiting for the
    /// old record.
    fn drop(&mut self) {
        if let (Some(handle), Some(opened)) = (self.recorded.get(), self.gpu.in_use()) {
            opened.events.put_back(*handle);
        }
    }
}
