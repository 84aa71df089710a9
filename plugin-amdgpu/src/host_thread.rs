//! A thread for what the host does in the order of a stream.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use plugin_api::{Error, Result};

use crate::signal::Signal;

/// Something to do.
struct Task {
    /// What must be complete before.
    dependences: Vec<Arc<Signal>>,
    work: Box<dyn FnOnce() + Send>,
    /// What is complete then.
    completion: Arc<Signal>,
}

/// The thread. It ends when this is dropped.
pub struct HostThread {
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

impl HostThread {
    /// Starts the thread.
    pub fn start() -> Result<HostThread> {
        let (tasks, queue) = channel::<Task>();
        let run = move || {
            for task in queue {
                // On a lost device nothing more is done; the work is dropped.
                if task.dependences.iter().all(|each| each.wait().is_ok()) {
                    drop(task.dependences);
                    (task.work)();
                    task.completion.complete();
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("omptarget-amdgpu".into())
            .spawn(run)
            .map_err(|source| Error::System {
                what: "starting a thread".into(),
                source,
            })?;
        Ok(HostThread {
            tasks: Some(tasks),
            thread: Some(thread),
        })
    }

    /// Does `work` when `dependences` are complete. Then `completion` is.
    pub fn enqueue(
        &self,
        dependences: Vec<Arc<Signal>>,
        work: Box<dyn FnOnce() + Send>,
        completion: Arc<Signal>,
    ) {
        let task = Task {
            dependences,
            work,
            completion,
        };
        // The thread lives as long as the sender.
        if let Some(tasks) = &self.tasks {
            let _sent = tasks.send(task);
        }
    }
}

impl Drop for HostThread {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // The thread may drop the last owner of this.
            if thread.thread().id() != std::thread::current().id() {
                let _ended = thread.join();
            }
        }
    }
}
