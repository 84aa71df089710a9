//! Command buffers (`cl_khr_command_buffer`): commands that are recorded once and run often.
//!
//! They run one after the other, in the order in which they were recorded, which every wait list of sync points agrees
//! with: a list can name earlier commands only. Each has the whole device for itself, so nothing is lost by that. To
//! its queue a command buffer is one command.

use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::codes::{Code, Result};
use crate::handle::Ref;
use crate::kind;
use crate::queue::Queue;

/// What a recorded command does, each time.
pub type Recorded = Box<dyn Fn() -> Result<()> + Send + Sync>;

/// A command buffer.
pub struct CommandBuffer {
    /// The queue that it was made for.
    pub queue: Ref<Queue>,
    /// What the program gave as properties, with the final zero; empty for none.
    pub list: Vec<u64>,
    recording: Mutex<Vec<Recorded>>,
    finished: OnceLock<Vec<Recorded>>,
}

kind!(CommandBuffer, INVALID_COMMAND_BUFFER_KHR);

impl CommandBuffer {
    /// One without commands.
    pub fn new(queue: Ref<Queue>, list: Vec<u64>) -> CommandBuffer {
        CommandBuffer {
            queue,
            list,
            recording: Mutex::default(),
            finished: OnceLock::new(),
        }
    }

    /// Whether its commands are complete.
    pub fn is_finished(&self) -> bool {
        self.finished.get().is_some()
    }

    /// Whether commands can be added still.
    pub fn records(&self) -> Result<()> {
        match self.is_finished() {
            true => Err(Code::INVALID_OPERATION),
            false => Ok(()),
        }
    }

    /// Whether there is a command with this sync point.
    pub fn has_point(&self, point: u32) -> bool {
        point > 0 && point as usize <= self.recording.lock().len()
    }

    /// Adds a command; gives its sync point.
    pub fn record(&self, work: Recorded) -> Result<u32> {
        let mut recording = self.recording.lock();
        self.records()?;
        recording.push(work);
        Ok(recording.len() as u32)
    }

    /// Takes no further commands.
    pub fn finish(&self) -> Result<()> {
        let mut recording = self.recording.lock();
        let finished = self.finished.set(std::mem::take(&mut *recording));
        finished.map_err(|_| Code::INVALID_OPERATION)
    }

    /// Runs the commands, up to the first that fails.
    pub fn run(&self) -> Result<()> {
        let finished = self.finished.get().ok_or(Code::INVALID_OPERATION)?;
        finished.iter().try_for_each(|work| work())
    }
}
