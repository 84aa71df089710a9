//! Streams, and how the default stream is ordered with the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use plugin_api::Result as DeviceResult;

use crate::graph::capture::Part;

/// How a stream is ordered with others of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The default stream: each operation waits for those before it on ordered streams.
    Default,
    /// Each operation waits for those before it on the default stream.
    Ordered,
    /// `cudaStreamNonBlocking`: events alone order it.
    Independent,
}

/// A stream of a device.
pub struct Stream {
    /// The device's own.
    pub raw: Box<dyn plugin_api::Stream>,
    /// Its order with others.
    pub role: Role,
    /// Whether it may have work that is not complete. Changed only by whoever orders streams.
    busy: AtomicBool,
    /// Its part in a capture, while one goes on.
    pub capture: Mutex<Option<Part>>,
}

impl Stream {
    /// A stream without work.
    pub fn new(raw: Box<dyn plugin_api::Stream>, role: Role) -> Arc<Stream> {
        Arc::new(Stream {
            raw,
            role,
            busy: AtomicBool::new(false),
            capture: Mutex::default(),
        })
    }

    /// Whether what is enqueued becomes nodes of a graph.
    pub fn is_captured(&self) -> bool {
        self.capture.lock().is_some()
    }

    /// Notes that the stream gets work.
    pub fn gets_work(&self) {
        self.busy.store(true, Ordering::Relaxed);
    }

    /// Has the stream wait for what is enqueued on another one.
    pub fn wait_for(&self, other: &Stream) -> DeviceResult<()> {
        if !other.busy.load(Ordering::Relaxed) {
            return Ok(());
        }
        match other.raw.record()? {
            Some(event) => self.raw.wait(&event),
            None => {
                other.busy.store(false, Ordering::Relaxed);
                Ok(())
            }
        }
    }
}
