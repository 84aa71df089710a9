//! Streams and events: work that a device does in order while the host goes on.

use std::any::Any;
use std::sync::Arc;

use crate::{Device, DevicePtr, Kernel, Launch, Result};

/// How the host comes to know that a stream's work is complete. A device may serve the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The thread that enqueues work blocks until it is complete before it does anything else. A device whose work is
    /// done by the host's threads does it on that thread, as it is enqueued.
    Blocking,
    /// The thread goes on; the work completes without it.
    Asynchronous,
}

/// An ordered queue of work on one device: what is enqueued later begins when what was enqueued earlier is complete.
/// Streams run independently of each other.
///
/// After an error nothing more is done on a stream: the operation that failed, or a later one, or
/// [`Stream::query`] or [`Stream::synchronize`] returns the error, once; from then on the stream is empty and usable again.
/// Memory the caller passes by address must stay valid until the stream has passed the operation, failed or not.
pub trait Stream: Send + Sync {
    /// Copies host to device.
    ///
    /// # Safety
    /// `src` is readable for `len` bytes until the stream has passed the copy.
    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()>;
    /// Copies `bytes` to the device; they are read before the call returns.
    fn write_copied(&self, dst: DevicePtr, bytes: &[u8]) -> Result<()>;
    /// Copies device to host.
    ///
    /// # Safety
    /// `dst` is writable for `len` bytes until the stream has passed the copy.
    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()>;
    /// Copies within the device; the ranges may overlap.
    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()>;
    /// Sets `len` bytes to `byte`.
    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()>;
    /// Runs a kernel of this device. The parameters are read before the call returns.
    fn launch(&self, kernel: &Arc<dyn Kernel>, launch: &Launch<'_>) -> Result<()>;
    /// Calls `function` on some thread; it must not use the device. After an error it is dropped uncalled.
    fn call(&self, function: Box<dyn FnOnce() + Send>) -> Result<()>;
    /// An event that happens when the stream has passed what is enqueued now. `None`: it has already.
    fn record(&self) -> Result<Option<Arc<dyn Event>>>;
    /// Does what is enqueued from now on only when `event`, of the same device, has happened.
    fn wait(&self, event: &Arc<dyn Event>) -> Result<()>;
    /// Whether everything enqueued is complete.
    fn query(&self) -> Result<bool>;
    /// Waits until everything enqueued is complete.
    fn synchronize(&self) -> Result<()>;
    /// Address of the stream that the device's foreign runtime ([`Device::foreign`]) knows it as.
    fn foreign(&self) -> Option<usize> {
        None
    }
    /// Whether every operation is complete when it returns. Such a stream keeps nothing; several users may share it.
    fn is_immediate(&self) -> bool {
        false
    }
}

/// A point in a stream. It happens even if the stream fails before it: whoever waits must not wait for ever, and
/// the stream's owner hears of the error.
pub trait Event: Any + Send + Sync {
    /// Whether the stream has passed it. An error is the device's: it cannot be asked any more.
    fn has_happened(&self) -> Result<bool>;
    /// Waits until the stream has passed it; errors as above.
    fn synchronize(&self) -> Result<()>;
}

/// The stream of a device whose work is done by the thread that asks for it: every operation is complete when it
/// returns.
pub struct ImmediateStream(Arc<dyn Device>);

impl ImmediateStream {
    /// A stream of `device`.
    pub fn new(device: Arc<dyn Device>) -> ImmediateStream {
        ImmediateStream(device)
    }
}

impl Stream for ImmediateStream {
    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: forwarded from the caller.
        unsafe { self.0.write(dst, src, len) }
    }

    fn write_copied(&self, dst: DevicePtr, bytes: &[u8]) -> Result<()> {
        // SAFETY: a slice is readable for its length.
        unsafe { self.0.write(dst, bytes.as_ptr(), bytes.len()) }
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        // SAFETY: forwarded from the caller.
        unsafe { self.0.read(dst, src, len) }
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        self.0.copy(dst, src, len)
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        self.0.fill(dst, byte, len)
    }

    fn launch(&self, kernel: &Arc<dyn Kernel>, launch: &Launch<'_>) -> Result<()> {
        kernel.launch(launch)
    }

    fn call(&self, function: Box<dyn FnOnce() + Send>) -> Result<()> {
        function();
        Ok(())
    }

    fn record(&self) -> Result<Option<Arc<dyn Event>>> {
        Ok(None)
    }

    fn wait(&self, event: &Arc<dyn Event>) -> Result<()> {
        event.synchronize()
    }

    fn query(&self) -> Result<bool> {
        Ok(true)
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn is_immediate(&self) -> bool {
        true
    }
}
