//! The CPU threads that do what is enqueued on streams. They are started when first needed, at most one per
//! multiprocessor: more kernels at once could not run.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::stream::Queue;

/// The threads of one device.
pub struct StreamWorkers {
    most: u32,
    line: Mutex<Line>,
    arrived: Condvar,
}

struct Line {
    /// Streams with work, first come first served.
    queues: VecDeque<Arc<Queue>>,
    /// Threads that wait for one.
    idle: usize,
    started: u32,
    closed: bool,
}

impl StreamWorkers {
    /// At most `most` threads.
    pub fn new(most: u32) -> Arc<StreamWorkers> {
        let line = Line {
            queues: VecDeque::new(),
            idle: 0,
            started: 0,
            closed: false,
        };
        Arc::new(StreamWorkers {
            most,
            line: Mutex::new(line),
            arrived: Condvar::new(),
        })
    }

    /// Has `queue` drained soon.
    pub fn submit(self: &Arc<Self>, queue: Arc<Queue>) {
        let mut line = self.line.lock();
        line.queues.push_back(queue);
        if line.idle < line.queues.len() && line.started < self.most {
            self.start(&mut line);
        }
        let nobody = line.started == 0;
        drop(line);
        if nobody {
            // The system gives no thread at all: the caller does the work.
            self.work_off();
        } else {
            self.arrived.notify_one();
        }
    }

    /// Ends the threads when they have nothing left to do.
    pub fn close(&self) {
        self.line.lock().closed = true;
        self.arrived.notify_all();
    }

    fn start(self: &Arc<Self>, line: &mut Line) {
        let workers = self.clone();
        let thread = std::thread::Builder::new().name(format!("vgpu-stream-{}", line.started + 1));
        // Fewer threads than streams make the streams slower, not wrong.
        if thread.spawn(move || workers.work()).is_ok() {
            line.started += 1;
        }
    }

    fn work_off(&self) {
        loop {
            let next = self.line.lock().queues.pop_front();
            let Some(queue) = next else { return };
            queue.drain();
        }
    }

    /// A thread's life.
    fn work(&self) {
        loop {
            let queue = {
                let mut line = self.line.lock();
                loop {
                    if let Some(queue) = line.queues.pop_front() {
                        break queue;
                    }
                    if line.closed {
                        return;
                    }
                    line.idle += 1;
                    self.arrived.wait(&mut line);
                    line.idle -= 1;
                }
            };
            queue.drain();
        }
    }
}
