//! Idle streams. Making one is slow on a driver, so constructs take one and give it back.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use plugin_api::{Completion, Device, Stream};

/// The idle streams of one device.
#[derive(Default)]
pub struct StreamPool {
    blocking: Idle,
    asynchronous: Idle,
    blocking_is_immediate: OnceLock<bool>,
}

/// Idle streams for one kind of completion.
#[derive(Default)]
struct Idle {
    /// The stream that all constructs share, if the device's streams are immediate.
    shared: OnceLock<Box<dyn Stream>>,
    streams: Mutex<Vec<Box<dyn Stream>>>,
}

impl StreamPool {
    /// Whether a thread does the work itself that it queues on a blocking stream.
    pub fn blocking_is_immediate(&self, device: &Arc<dyn Device>) -> plugin_api::Result<bool> {
        if let Some(known) = self.blocking_is_immediate.get() {
            return Ok(*known);
        }
        let stream = self.take(device, Completion::Blocking)?;
        let immediate = stream.is_immediate();
        Ok(*self.blocking_is_immediate.get_or_init(|| immediate))
    }

    /// An idle stream, a new one if there is none.
    pub fn take(
        &self,
        device: &Arc<dyn Device>,
        completion: Completion,
    ) -> plugin_api::Result<StreamInUse<'_>> {
        let idle = match completion {
            Completion::Blocking => &self.blocking,
            Completion::Asynchronous => &self.asynchronous,
        };
        if let Some(shared) = idle.shared.get() {
            return Ok(StreamInUse::Shared(&**shared));
        }
        let known = idle.streams.lock().pop();
        let stream = match known {
            Some(stream) => stream,
            None => device.clone().stream(completion)?,
        };
        if stream.is_immediate() {
            let shared = idle.shared.get_or_init(|| stream);
            return Ok(StreamInUse::Shared(&**shared));
        }
        Ok(StreamInUse::Own(OwnStream {
            stream: Some(stream),
            idle,
        }))
    }
}

/// A stream in use. Dropping it gives it back.
pub enum StreamInUse<'a> {
    /// An immediate stream: constructs that share it do not interfere.
    Shared(&'a (dyn Stream + 'static)),
    /// A stream of one construct.
    Own(OwnStream<'a>),
}

impl Deref for StreamInUse<'_> {
    type Target = dyn Stream;

    fn deref(&self) -> &Self::Target {
        match self {
            StreamInUse::Shared(stream) => *stream,
            StreamInUse::Own(own) => own.stream.as_deref().expect("a stream until it is dropped"),
        }
    }
}

/// A stream of one construct.
pub struct OwnStream<'a> {
    /// `None` only during the drop.
    stream: Option<Box<dyn Stream>>,
    idle: &'a Idle,
}

impl Drop for OwnStream<'_> {
    fn drop(&mut self) {
        // A stream that failed or has work left is dropped: the plugin cleans it up.
        let Some(stream) = self.stream.take() else {
            return;
        };
        if matches!(stream.query(), Ok(true)) {
            self.idle.streams.lock().push(stream);
        }
    }
}
