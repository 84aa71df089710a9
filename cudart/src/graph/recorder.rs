//! A stream that notes what is enqueued on it: so nodes of graphs come about by the functions that work on any stream.

use std::sync::Arc;

use parking_lot::Mutex;
use plugin_api::{DevicePtr, Error, Event, Kernel, Launch, Result, Stream};

use crate::graph::operation::{Operation, OwnedLaunch};

/// A stream that notes operations.
#[derive(Default)]
pub struct Recorder(Mutex<Vec<Operation>>);

impl Recorder {
    /// What `work` enqueues.
    pub fn record<R>(work: impl FnOnce(&dyn Stream) -> Result<R>) -> Result<(R, Vec<Operation>)> {
        let recorder = Recorder::default();
        let result = work(&recorder)?;
        Ok((result, recorder.0.into_inner()))
    }

    fn note(&self, operation: Operation) -> Result<()> {
        self.0.lock().push(operation);
        Ok(())
    }

    /// Nothing that a graph can have.
    fn refuse<R>(&self, what: &str) -> Result<R> {
        Err(Error::Load(format!("a graph has no {what}")))
    }
}

impl Stream for Recorder {
    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        self.note(Operation::Write(dst, src as usize, len))
    }

    fn write_copied(&self, dst: DevicePtr, bytes: &[u8]) -> Result<()> {
        self.note(Operation::WriteCopied(dst, bytes.into()))
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        self.note(Operation::Read(dst as usize, src, len))
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        self.note(Operation::Copy(dst, src, len))
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        self.note(Operation::Fill(dst, byte, len))
    }

    fn launch(&self, kernel: &Arc<dyn Kernel>, launch: &Launch<'_>) -> Result<()> {
        self.note(Operation::Launch(OwnedLaunch::new(kernel, launch)))
    }

    fn call(&self, _function: Box<dyn FnOnce() + Send>) -> Result<()> {
        self.refuse("function that is called once")
    }

    fn record(&self) -> Result<Option<Arc<dyn Event>>> {
        self.refuse("events of a device")
    }

    fn wait(&self, _event: &Arc<dyn Event>) -> Result<()> {
        self.refuse("events of a device")
    }

    fn query(&self) -> Result<bool> {
        Ok(true)
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}
