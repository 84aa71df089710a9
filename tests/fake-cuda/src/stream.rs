//! Streams. Each has a thread that runs its operations in order.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use parking_lot::{Condvar, Mutex};

use crate::context::Context;
use crate::result::{Failure, Outcome};

/// An operation of a stream. When the context is lost, it is dropped instead.
type Operation = Box<dyn FnOnce() -> Outcome + Send>;

/// A stream.
pub struct Stream {
    /// Its context.
    pub context: Arc<Context>,
    queue: Mutex<Sender<Operation>>,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct Progress {
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Default)]
struct Counts {
    enqueued: u64,
    done: u64,
}

impl Stream {
    /// An empty stream.
    pub fn new(context: Arc<Context>) -> Outcome<Arc<Stream>> {
        let (queue, operations) = channel::<Operation>();
        let progress = Arc::new(Progress::default());
        let (own_context, own_progress) = (context.clone(), progress.clone());
        let run = move || {
            for operation in operations {
                match own_context.failure() {
                    Some(_) => drop(operation),
                    None => {
                        if let Err(failure) = operation() {
                            own_context.lose(failure);
                        }
                    }
                }
                own_progress.counts.lock().done += 1;
                own_progress.changed.notify_all();
            }
        };
        let thread = std::thread::Builder::new().name("fake CUDA stream".into());
        thread.spawn(run).map_err(|_| Failure::OPERATING_SYSTEM)?;
        let stream = Arc::new(Stream {
            context: context.clone(),
            queue: Mutex::new(queue),
            progress,
        });
        context.add_stream(&stream);
        Ok(stream)
    }

    /// Enqueues an operation.
    pub fn enqueue(&self, work: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
        let queue = self.queue.lock();
        self.progress.counts.lock().enqueued += 1;
        queue
            .send(Box::new(work))
            .map_err(|_| Failure::OPERATING_SYSTEM)
    }

    /// Whether all operations are complete.
    pub fn is_idle(&self) -> bool {
        let counts = self.progress.counts.lock();
        counts.done == counts.enqueued
    }

    /// Waits until all operations enqueued so far are complete.
    pub fn wait(&self) {
        let mut counts = self.progress.counts.lock();
        let target = counts.enqueued;
        let changed = &self.progress.changed;
        changed.wait_while(&mut counts, |counts| counts.done < target);
    }
}
