//! How far a command is: what events tell, and what other commands wait for.

use std::sync::Arc;

use findings::{Finished, host_learns};
use parking_lot::{Condvar, Mutex};

use crate::codes::Code;
use crate::scheduler::{self, Command};

/// `CL_COMPLETE`; failures are below.
pub const COMPLETE: i32 = 0;
/// `CL_RUNNING`.
pub const RUNNING: i32 = 1;
/// `CL_SUBMITTED`.
pub const SUBMITTED: i32 = 2;
/// `CL_QUEUED`.
pub const QUEUED: i32 = 3;

/// A function of the program's, called with the status that was reached.
pub type Callback = Box<dyn FnOnce(i32) + Send>;

/// How far a command is, or a user's event.
pub struct Completion {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    status: i32,
    times: [u64; 4],
    /// For the checker: the work that is complete when it has ended.
    known: Finished,
    /// Functions to call when a status is reached.
    callbacks: Vec<(i32, Callback)>,
    /// Commands that wait, and whether a failure fails them, too.
    dependents: Vec<(Arc<Command>, bool)>,
}

/// Nanoseconds of the host's clock, which serves the devices, too.
pub fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is writable, and the clock exists on Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl Completion {
    /// One that has a status.
    pub fn new(status: i32) -> Arc<Completion> {
        let mut times = [0; 4];
        times[0] = now();
        Arc::new(Completion {
            state: Mutex::new(State {
                status,
                times,
                ..State::default()
            }),
            changed: Condvar::new(),
        })
    }

    /// The status. Whoever sees the end comes after what was done.
    pub fn status(&self) -> i32 {
        let state = self.state.lock();
        if state.status <= COMPLETE {
            host_learns(&state.known);
        }
        state.status
    }

    /// The command's work is complete, and what that comes after.
    pub fn keep(&self, known: Finished) {
        self.state.lock().known = known;
    }

    /// What is complete when it has ended.
    pub fn known(&self) -> Finished {
        self.state.lock().known.clone()
    }

    /// Whether it is complete or has failed.
    pub fn has_ended(&self) -> bool {
        self.state.lock().status <= COMPLETE
    }

    /// When it was queued, submitted, started and ended.
    pub fn times(&self) -> [u64; 4] {
        self.state.lock().times
    }

    /// Goes on to a status, and tells who waits for that. An end stays.
    pub fn reach(&self, status: i32) {
        let (callbacks, dependents) = {
            let mut state = self.state.lock();
            if state.status <= COMPLETE {
                return;
            }
            state.status = status;
            let index = (QUEUED - status.max(COMPLETE)) as usize;
            state.times[index] = now();
            let (due, later) = std::mem::take(&mut state.callbacks)
                .into_iter()
                .partition(|(wanted, _)| status <= *wanted);
            state.callbacks = later;
            let due: Vec<(i32, Callback)> = due;
            let dependents = match status <= COMPLETE {
                true => std::mem::take(&mut state.dependents),
                false => Vec::new(),
            };
            (due, dependents)
        };
        if status <= COMPLETE {
            self.changed.notify_all();
        }
        if status <= COMPLETE && !callbacks.is_empty() {
            host_learns(&self.known());
        }
        for (wanted, callback) in callbacks {
            callback(if status < 0 { status } else { wanted });
        }
        for (dependent, fails) in dependents {
            dependent.one_less(if fails { status } else { COMPLETE });
        }
    }

    /// Calls a function when the status is reached; at once if it is.
    pub fn on(&self, wanted: i32, callback: Callback) {
        let mut state = self.state.lock();
        if state.status > wanted {
            state.callbacks.push((wanted, callback));
            return;
        }
        let status = state.status;
        drop(state);
        callback(if status < 0 { status } else { wanted });
    }

    /// Has a command wait for the end; `fails` says whether a failure fails the command, too.
    pub fn add_dependent(&self, command: &Arc<Command>, fails: bool) {
        let mut state = self.state.lock();
        if state.status > COMPLETE {
            state.dependents.push((command.clone(), fails));
            return;
        }
        let status = state.status;
        drop(state);
        command.one_less(if fails { status } else { COMPLETE });
    }

    /// Waits for the end. The waiting thread runs commands of `queue` that are ready, which spares handing them to
    /// another thread.
    pub fn wait(&self, queue: Option<usize>) -> Result<(), Code> {
        loop {
            if self.has_ended() {
                break;
            }
            if queue.is_some_and(scheduler::help) {
                continue;
            }
            scheduler::announce();
            let mut state = self.state.lock();
            if state.status > COMPLETE {
                // A command of the queue may become ready meanwhile; workers run it then.
                self.changed.wait(&mut state);
            }
        }
        // What waited for this, and is of no interest to the caller.
        scheduler::announce();
        match self.status() {
            COMPLETE => Ok(()),
            failure => Err(Code(failure)),
        }
    }
}
