//! Commands that are checked, and can be enqueued or recorded.

use crate::codes::Result;
use crate::command_buffer::CommandBuffer;
use crate::entry::submit;
use crate::handle::{Raw, Ref};
use crate::queue::Queue;

/// What a command does, once or often.
pub trait Repeatable: Fn() -> Result<()> + Send + Sync + 'static {}

impl<F: Fn() -> Result<()> + Send + Sync + 'static> Repeatable for F {}

/// A command.
pub struct Prepared<W> {
    /// Its queue.
    pub queue: Ref<Queue>,
    /// `CL_COMMAND_…`.
    pub number: u32,
    /// What it does.
    pub work: W,
}

impl<W: Repeatable> Prepared<W> {
    /// Enqueues it.
    ///
    /// # Safety
    /// The list has as many handles as it says, `event` is writable or null.
    pub unsafe fn enqueue(self, list: (u32, *const Raw), event: *mut Raw) -> Result<()> {
        let work = Box::new(self.work);
        // SAFETY: caller.
        unsafe { submit(&self.queue, self.number, false, list, event, work) }
    }

    /// Adds it to a command buffer; gives its sync point.
    pub fn record(self, buffer: &CommandBuffer) -> Result<u32> {
        buffer.record(Box::new(self.work))
    }
}
