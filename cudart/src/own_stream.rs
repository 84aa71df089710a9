//! A stream with its device, as the program's handles name it.

use std::sync::Arc;

use plugin_api::Stream as DeviceStream;

use crate::cuda_device::CudaDevice;
use crate::error::{Code, Result};
use crate::events::{Event, Place, Point};
use crate::graph::capture;
use crate::streams::Stream;

/// A stream, and whose it is.
#[derive(Clone)]
pub struct OwnStream {
    /// Its device.
    pub device: Arc<CudaDevice>,
    /// The stream.
    pub stream: Arc<Stream>,
}

impl OwnStream {
    /// Puts an event behind what the stream has.
    pub fn record(&self, event: &Event) -> Result<()> {
        if let Some(part) = &*self.stream.capture.lock() {
            // Other processes could not wait for what may never run.
            if event.shared.is_some() {
                return Err(Code::CAPTURE_UNSUPPORTED);
            }
            *event.place.lock() = Place::Graph(part.clone());
            return Ok(());
        }
        let number = self.device.number;
        let record = |stream: &dyn DeviceStream| {
            if let Some(shared) = event.shared.clone() {
                let record = shared.record();
                stream.call(Box::new(move || shared.pass(record)))?;
            }
            Point::record(stream, number)
        };
        let point = self.device.enqueue(&self.stream, record)?;
        *event.place.lock() = Place::Stream(point);
        Ok(())
    }

    /// Has the stream wait for an event. One that was never recorded delays nothing.
    pub fn wait_for(&self, event: &Event) -> Result<()> {
        if let Some(shared) = event.of_others() {
            if self.stream.capture.lock().is_some() {
                return Err(Code::CAPTURE_UNSUPPORTED);
            }
            // A stream that waited would keep a thread of the device from others: the host waits.
            shared.wait(shared.latest());
            return Ok(());
        }
        let point = match event.place.lock().clone() {
            Place::Graph(part) => return capture::join(&self.stream, &part),
            Place::Nowhere => return Ok(()),
            Place::Stream(point) => point,
        };
        if let Some(part) = &*self.stream.capture.lock() {
            part.capture.invalidate();
            return Err(Code::CAPTURE_ISOLATION);
        }
        match &point.raw {
            Some(raw) if point.device == self.device.number => {
                self.device.enqueue(&self.stream, |stream| stream.wait(raw))
            }
            // Devices do not know each other's events: the host waits.
            _ => point.synchronize().map_err(self.device.failed()),
        }
    }
}
