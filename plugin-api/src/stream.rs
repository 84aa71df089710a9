//! Streams and events: work that a device does in order, while the host goes on.

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

/// An ordered queue of work on one device.
///
/// What is enqueued later begins when what was enqueued earlier is complete. Streams run independently of each other.
///
/// After an error, a stream does nothing more. The error is returned once: by the operation that failed, by a later
/// one, or by [`Stream::query`] or [`Stream::synchronize`]. From then on the stream is empty and usable again. Memory
/// that the caller passes by address must stay valid until the stream has passed the operation, whether it failed or
/// not.
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
    /// Calls `function` on some thread. The function must not use the device. After an error it is dropped without a
    /// call.
    fn call(&self, function: Box<dyn FnOnce() + Send>) -> Result<()>;
    /// An event that happens when the stream has passed what is enqueued now. `None`: the stream has passed it already.
    fn record(&self) -> Result<Option<Arc<dyn Event>>>;
    /// The same for someone who will rarely ask: the event may also wait for what is enqueued before the first
    /// question.
    fn position(&self) -> Result<Option<Arc<dyn Event>>> {
        self.record()
    }
    /// Delays what is enqueued from now on until `event`, which is of the same device, has happened.
    fn wait(&self, event: &Arc<dyn Event>) -> Result<()>;
    /// Whether everything enqueued is complete.
    fn query(&self) -> Result<bool>;
    /// Waits until everything enqueued is complete.
    fn synchronize(&self) -> Result<()>;
    /// The stream's address in the device's other runtime ([`Device::foreign`]).
    fn foreign(&self) -> Option<usize> {
        None
    }
    /// Whether every operation is complete when it returns. Such a stream has no state; several users may share it.
    fn is_immediate(&self) -> bool {
        false
    }
}

/// A point in a stream. It happens even if the stream fails before it, so that nobody waits for ever. The stream's
/// owner gets the error.
pub trait Event: Any + Send + Sync {
    /// Whether the stream has passed it. An error means that the device itself no longer answers.
    fn has_happened(&self) -> Result<bool>;
    /// The same without asking the device, if it takes long to answer: `false` may mean that nobody knows.
    fn is_known_to_have_happened(&self) -> Result<bool> {
        self.has_happened()
    }
    /// Waits until the stream has passed it. Errors are as for [`Event::has_happened`].
    fn synchronize(&self) -> Result<()>;
}

/// The stream of a device that works on the calling thread: every operation is complete when it returns.
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
