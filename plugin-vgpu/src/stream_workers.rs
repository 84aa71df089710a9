//! The CPU threads that drain streams. They are started on demand, at most one per multiprocessor, as no more
//! kernels could run at once.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::stream::Queue;

/// The threads of one device.
pub struct StreamWorkers {
    most: u32,
    run_queue: Mutex<RunQueue>,
    arrived: Condvar,
}

struct RunQueue {
    /// Streams with work, in order of arrival.
    queues: VecDeque<Arc<Queue>>,
    /// Idle threads.
    idle: usize,
    started: u32,
    closed: bool,
}

impl StreamWorkers {
    /// At most `most` threads.
    pub fn new(most: u32) -> Arc<StreamWorkers> {
        let run_queue = RunQueue {
            queues: VecDeque::new(),
            idle: 0,
            started: 0,
            closed: false,
        };
        Arc::new(StreamWorkers {
            most,
            run_queue: Mutex::new(run_queue),
            arrived: Condvar::new(),
        })
    }

    /// Hands `queue` to a worker.
    pub fn submit(self: &Arc<Self>, queue: Arc<Queue>) {
        let mut run_queue = self.run_queue.lock();
        run_queue.queues.push_back(queue);
        if run_queue.idle < run_queue.queues.len() && run_queue.started < self.most {
            self.start(&mut run_queue);
        }
        let nobody = run_queue.started == 0;
        drop(run_queue);
        if nobody {
            // The system starts no thread at all, so the caller does the work.
            self.drain_all();
        } else {
            self.arrived.notify_one();
        }
    }

    /// Ends the threads when no work is left.
    pub fn close(&self) {
        self.run_queue.lock().closed = true;
        self.arrived.notify_all();
    }

    fn start(self: &Arc<Self>, run_queue: &mut RunQueue) {
        let workers = self.clone();
        let thread =
            std::thread::Builder::new().name(format!("vgpu-stream-{}", run_queue.started + 1));
        // With fewer threads the streams are slower, but correct.
        if thread.spawn(move || workers.work()).is_ok() {
            run_queue.started += 1;
        }
    }

    fn drain_all(&self) {
        loop {
            let next = self.run_queue.lock().queues.pop_front();
            let Some(queue) = next else { return };
            queue.drain();
        }
    }

    /// The main function of a worker thread.
    fn work(&self) {
        loop {
            let queue = {
                let mut run_queue = self.run_queue.lock();
                loop {
                    if let Some(queue) = run_queue.queues.pop_front() {
                        break queue;
                    }
                    if run_queue.closed {
                        return;
                    }
                    run_queue.idle += 1;
                    self.arrived.wait(&mut run_queue);
                    run_queue.idle -= 1;
                }
            };
            queue.drain();
        }
    }
}
