//! Streams that no construct uses right now. Making one takes a driver long; a construct takes one and gives it back.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use plugin_api::{Device, Pace, Stream};

/// The idle streams of one device.
#[derive(Default)]
pub struct StreamPool {
    attended: Mutex<Vec<Box<dyn Stream>>>,
    detached: Mutex<Vec<Box<dyn Stream>>>,
}

impl StreamPool {
    /// An idle stream, a new one if there is none.
    pub fn take(
        self: &Arc<Self>,
        device: &Arc<dyn Device>,
        pace: Pace,
    ) -> plugin_api::Result<PooledStream> {
        let idle = self.idle(pace).lock();
        let known = idle.unwrap_or_else(PoisonError::into_inner).pop();
        let stream = match known {
            Some(stream) => stream,
            None => device.clone().stream(pace)?,
        };
        Ok(PooledStream {
            stream: Some(stream),
            pace,
            pool: self.clone(),
        })
    }

    fn idle(&self, pace: Pace) -> &Mutex<Vec<Box<dyn Stream>>> {
        match pace {
            Pace::Attended => &self.attended,
            Pace::Detached => &self.detached,
        }
    }
}

/// A stream in use; dropping it gives it back.
pub struct PooledStream {
    /// `None` only while it is dropped.
    stream: Option<Box<dyn Stream>>,
    pace: Pace,
    pool: Arc<StreamPool>,
}

impl PooledStream {
    /// What it was taken for.
    pub fn pace(&self) -> Pace {
        self.pace
    }
}

impl Deref for PooledStream {
    type Target = dyn Stream;

    fn deref(&self) -> &Self::Target {
        self.stream
            .as_deref()
            .expect("a stream until it is dropped")
    }
}

impl Drop for PooledStream {
    fn drop(&mut self) {
        // One that has work left, or failed, is the plugin's to wind up.
        let Some(stream) = self.stream.take() else {
            return;
        };
        if matches!(stream.query(), Ok(true)) {
            let idle = self.pool.idle(self.pace).lock();
            idle.unwrap_or_else(PoisonError::into_inner).push(stream);
        }
    }
}
