//! Streams: work that a device does in order, while the host goes on.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Pod;
use parking_lot::Mutex;
use plugin_api::Completion;

use crate::allocation::Allocation;
use crate::{Buffer, Device, Error, Result};

/// An ordered queue of work on one device. Streams run independently of each other, except that two operations on one
/// buffer keep their order.
///
/// After an error, the stream drops what is left. The error is returned once: by the operation that failed, by a later
/// one, or by [`Stream::synchronize`]. Then the stream is usable again. Dropping the stream waits for its work.
pub struct Stream(Arc<Queue>);

/// What a stream shares with the memory that it uses.
pub struct Queue {
    raw: Box<dyn plugin_api::Stream>,
    device: Device,
    /// Memory that operations on the stream use.
    kept: Mutex<Vec<Arc<Allocation>>>,
}

impl Queue {
    /// Enqueues work that uses `memory`, behind the work of the streams that used it before. The stream keeps the
    /// memory until it is synchronised.
    pub fn enqueue<R>(
        self: &Arc<Queue>,
        memory: &[Arc<Allocation>],
        work: impl FnOnce(&dyn plugin_api::Stream) -> Result<R>,
    ) -> Result<R> {
        let mut memory: Vec<_> = memory.iter().collect();
        // Threads that lock the same memory do so in one order.
        memory.sort_by_key(|memory| memory.address);
        memory.dedup_by_key(|memory| memory.address);
        let mut users: Vec<_> = memory.iter().map(|memory| memory.user()).collect();
        for user in &mut users {
            let before = std::mem::replace(&mut **user, Arc::downgrade(self)).upgrade();
            if let Some(before) = before.filter(|before| !Arc::ptr_eq(before, self)) {
                self.wait_for(&before)?;
            }
        }
        let enqueued = work(&*self.raw);
        drop(users);
        memory.into_iter().for_each(|memory| self.keep(memory));
        enqueued
    }

    fn keep(&self, memory: &Arc<Allocation>) {
        let mut kept = self.kept.lock();
        if !kept.iter().any(|other| Arc::ptr_eq(other, memory)) {
            kept.push(memory.clone());
        }
    }

    /// Has the stream wait for what is enqueued on another one of the device.
    fn wait_for(&self, other: &Queue) -> Result<()> {
        let what = "ordering two streams";
        if let Some(event) = other.raw.record().map_err(Error::device(what))? {
            self.raw.wait(&event).map_err(Error::device(what))?;
        }
        Ok(())
    }

    /// Has this thread wait for what is enqueued. An error of the stream stays with it.
    pub fn wait_here(&self) -> Result<()> {
        let what = "waiting for a stream";
        if let Some(event) = self.raw.record().map_err(Error::device(what))? {
            event.synchronize().map_err(Error::device(what))?;
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        // Memory of work that is enqueued meanwhile stays.
        let kept = std::mem::take(&mut *self.kept.lock());
        let done = self.raw.synchronize();
        drop(kept);
        done.map_err(Error::device("waiting for a stream"))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if let Err(error) = self.synchronize() {
            log::error!("a stream that nobody waited for: {error}");
        }
    }
}

impl Stream {
    /// A new stream of `device`.
    pub(crate) fn new(device: &Device) -> Result<Stream> {
        let raw = device.raw.clone().stream(Completion::Asynchronous);
        Ok(Stream(Arc::new(Queue {
            raw: raw.map_err(Error::device("making a stream"))?,
            device: device.clone(),
            kept: Mutex::default(),
        })))
    }

    /// Its device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.0
    }

    /// Copies all elements of a buffer to the device. They are read before the call returns.
    pub fn write<T: Pod>(&self, buffer: &mut Buffer<T>, elements: &[T]) -> Result<()> {
        let what = "copying to the device";
        buffer.check_all(what, elements.len())?;
        self.check_device(buffer)?;
        let bytes = bytemuck::cast_slice(elements);
        let memory = &buffer.memory;
        self.0.enqueue(std::slice::from_ref(memory), |stream| {
            let copied = stream.write_copied(memory.address, bytes);
            copied.map_err(Error::device(what))
        })
    }

    /// Copies all elements of a buffer to the host. [`Download::wait`] gives them.
    pub fn read<T: Pod>(&self, buffer: &Buffer<T>) -> Result<Download<T>> {
        let what = "copying to the host";
        self.check_device(buffer)?;
        let mut download = Download {
            elements: vec![T::zeroed(); buffer.len()],
            is_complete: Arc::default(),
            queue: self.0.clone(),
        };
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut download.elements);
        let memory = &buffer.memory;
        let is_complete = download.is_complete.clone();
        let note = Box::new(move || is_complete.store(true, Ordering::Release));
        self.0.enqueue(std::slice::from_ref(memory), |stream| {
            // SAFETY: the elements stay where they are until the stream has passed the copy: `Download` waits for
            // that before it gives them away or frees them, here, too, if the call fails.
            let copied = unsafe { stream.read(bytes.as_mut_ptr(), memory.address, bytes.len()) };
            copied
                .and_then(|()| stream.call(note))
                .map_err(Error::device(what))
        })?;
        Ok(download)
    }

    /// Waits until everything enqueued is complete.
    pub fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }

    fn check_device<T: Pod>(&self, buffer: &Buffer<T>) -> Result<()> {
        match buffer.device().is(self.device()) {
            true => Ok(()),
            false => Err(Error::OtherDevice {
                what: "a buffer",
                with: "the stream".to_owned(),
            }),
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a stream of {:?}", self.device())
    }
}

/// Elements on their way from the device to the host.
#[must_use = "the elements arrive when somebody waits for them"]
pub struct Download<T: Pod> {
    elements: Vec<T>,
    /// Set by the stream behind the copy.
    is_complete: Arc<AtomicBool>,
    queue: Arc<Queue>,
}

impl<T: Pod> Download<T> {
    /// Waits for the stream, and returns the elements. An error is the stream's.
    pub fn wait(mut self) -> Result<Vec<T>> {
        self.queue.synchronize()?;
        match self.is_complete.load(Ordering::Acquire) {
            true => Ok(std::mem::take(&mut self.elements)),
            false => Err(Error::Dropped),
        }
    }
}

impl<T: Pod> Drop for Download<T> {
    fn drop(&mut self) {
        // Who has the elements has waited.
        if self.elements.is_empty() || self.is_complete.load(Ordering::Acquire) {
            return;
        }
        if self.queue.wait_here().is_err() {
            // The device no longer answers, and may still write.
            std::mem::forget(std::mem::take(&mut self.elements));
        }
    }
}

impl<T: Pod> fmt::Debug for Download<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} elements of {:?}",
            self.elements.len(),
            self.queue.device
        )
    }
}
