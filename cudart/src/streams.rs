//! Streams: their handles, and how the default stream is ordered with the others.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use plugin_api::Result as DeviceResult;

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
}

impl Stream {
    /// A stream without work.
    pub fn new(raw: Box<dyn plugin_api::Stream>, role: Role) -> Arc<Stream> {
        Arc::new(Stream {
            raw,
            role,
            busy: AtomicBool::new(false),
        })
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

/// What programs hold handles of.
pub struct Handles<T> {
    next: AtomicUsize,
    table: Mutex<HashMap<usize, T>>,
}

/// CUDA's own handles are smaller than this.
const FIRST: usize = 0x100;

impl<T> Default for Handles<T> {
    fn default() -> Handles<T> {
        Handles {
            next: AtomicUsize::new(FIRST),
            table: Mutex::default(),
        }
    }
}

impl<T: Clone> Handles<T> {
    /// A new handle. None is ever used twice, so that one of something destroyed is noticed.
    pub fn add(&self, item: T) -> usize {
        let handle = self.next.fetch_add(1, Ordering::Relaxed);
        self.table.lock().insert(handle, item);
        handle
    }

    /// What the handle stands for.
    pub fn get(&self, handle: usize) -> Option<T> {
        self.table.lock().get(&handle).cloned()
    }

    /// The same. The handle is none afterwards.
    pub fn remove(&self, handle: usize) -> Option<T> {
        self.table.lock().remove(&handle)
    }

    /// Removes those that `gone` names.
    pub fn remove_all(&self, gone: impl Fn(&T) -> bool) {
        self.table.lock().retain(|_, item| !gone(item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_never_used_twice() {
        let handles = Handles::default();
        let first = handles.add('a');
        assert_eq!(handles.remove(first), Some('a'));
        let second = handles.add('b');
        assert_ne!(first, second);
        assert_eq!((handles.get(first), handles.get(second)), (None, Some('b')));
        handles.remove_all(|letter| *letter == 'b');
        assert_eq!(handles.get(second), None);
    }
}
