//! Streams that no construct uses right now. Making one takes a driver long; a construct takes one and gives it back.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use plugin_api::{Completion, Device, Stream};

/// The idle streams of one device.
#[derive(Default)]
pub struct StreamPool {
    blocking: Idle,
    asynchronous: Idle,
}

/// Idle streams of one kind of completion.
#[derive(Default)]
struct Idle {
    /// The one that serves everybody, if the device's streams are of that kind.
    shared: OnceLock<Box<dyn Stream>>,
    streams: Mutex<Vec<Box<dyn Stream>>>,
}

impl StreamPool {
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

/// A stream in use; dropping it gives it back.
pub enum StreamInUse<'a> {
    /// One that does everything at once: constructs do not meet on it.
    Shared(&'a (dyn Stream + 'static)),
    /// One that is this construct's alone.
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
    /// `None` only while it is dropped.
    stream: Option<Box<dyn Stream>>,
    idle: &'a Idle,
}

impl Drop for OwnStream<'_> {
    fn drop(&mut self) {
        // One that has work left, or failed, is the plugin's to wind up.
        let Some(stream) = self.stream.take() else {
            return;
        };
        if matches!(stream.query(), Ok(true)) {
            self.idle.streams.lock().push(stream);
        }
    }
}
