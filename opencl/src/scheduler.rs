//! Runs commands once what they wait for has ended.
//!
//! A command that is ready goes to a list. Threads take commands from it, which begin with the first command and end
//! with the process. A host thread that waits for a queue takes commands of that queue, too. Devices do a command's
//! work while the thread waits (`plugin_api::Device`), so a command has ended when its work returns: no event can come
//! too early, and each command has its own result and times.
//!
//! Threads that sleep are not woken for each command, but when the program flushes its queues ([`announce`]): by a call
//! that does so (OpenCL 3.0, 5.15), by asking how far an event is, or by the next command. Mostly the program waits for
//! what it has enqueued, and runs it itself. Waking a thread that finds nothing left costs more than a short kernel.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use findings::{Note, TaskClock, enter_task, known_to_host, set_origin};
use parking_lot::{Condvar, Mutex};

use crate::codes::{Code, Result};
use crate::completion::{COMPLETE, Completion, RUNNING, SUBMITTED};

/// What a command does.
pub type Action = Box<dyn FnOnce() -> Result<()> + Send>;

/// Most threads. More commands that run at once than the processor has cores only get in each other's way.
const MOST_THREADS: usize = 8;

/// A command.
pub struct Command {
    /// How far it is.
    pub completion: Arc<Completion>,
    /// The queue that it is of.
    queue: usize,
    /// What it still waits for, and one while it is being made.
    waiting: AtomicUsize,
    /// A failure of an event of its wait list.
    failure: AtomicI32,
    work: Mutex<Option<Action>>,
    /// For the checker.
    checked: Option<Checked>,
}

/// What the checker knows of a command.
struct Checked {
    /// What it comes after, and does.
    clock: Arc<TaskClock>,
    /// The call that has made it.
    origin: Note,
    /// What it waits for.
    after: Vec<Arc<Completion>>,
}

impl Checked {
    /// A command that the calling thread makes; `None` if races are not looked for.
    fn new<'a>(after: impl Iterator<Item = &'a Arc<Completion>>) -> Option<Checked> {
        let is_wanted = findings::wanted().is_ok_and(|checks| checks.race);
        is_wanted.then(|| Checked {
            clock: TaskClock::new(known_to_host()),
            origin: findings::caller("a command"),
            after: after.cloned().collect(),
        })
    }

    /// Does what the command does as a task of its own.
    fn run<T>(&self, act: impl FnOnce() -> T) -> T {
        for completion in &self.after {
            self.clock.join(&completion.known());
        }
        let _origin = set_origin(|| self.origin.clone());
        let before = enter_task(Some(self.clock.clone()));
        let done = act();
        enter_task(before);
        done
    }
}

#[derive(Default)]
struct Ready {
    commands: VecDeque<Arc<Command>>,
    threads: usize,
    /// Threads that sleep, and were not woken.
    idle: usize,
    /// Commands of the list for which no thread was woken, at most.
    unannounced: usize,
}

static READY: Mutex<Ready> = Mutex::new(Ready {
    commands: VecDeque::new(),
    threads: 0,
    idle: 0,
    unannounced: 0,
});
static MORE: Condvar = Condvar::new();

/// Makes a command. It runs when the events of its wait list have happened, and when what the queue's order puts before
/// it has ended. It fails if an event of the list has failed.
pub fn enqueue(
    queue: usize,
    completion: Arc<Completion>,
    list: &[Arc<Completion>],
    order: &[Arc<Completion>],
    work: Action,
) {
    announce();
    let checked = Checked::new(list.iter().chain(order));
    let command = Arc::new(Command {
        completion,
        checked,
        queue,
        waiting: AtomicUsize::new(1 + list.len() + order.len()),
        failure: AtomicI32::new(COMPLETE),
        work: Mutex::new(Some(work)),
    });
    for before in list {
        before.add_dependent(&command, true);
    }
    for before in order {
        before.add_dependent(&command, false);
    }
    command.one_less(COMPLETE);
}

impl Command {
    /// One of those that it waits for has ended, with a status.
    pub fn one_less(self: &Arc<Command>, status: i32) {
        if status < COMPLETE {
            self.failure.store(status, Ordering::Relaxed);
        }
        if self.waiting.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.completion.reach(SUBMITTED);
            push(self.clone());
        }
    }

    fn run(&self) {
        let Some(work) = self.work.lock().take() else {
            return;
        };
        if self.failure.load(Ordering::Relaxed) < COMPLETE {
            drop(work);
            let code = Code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            return self.completion.reach(code.0);
        }
        self.completion.reach(RUNNING);
        let result = match &self.checked {
            Some(checked) => checked.run(work),
            None => work(),
        };
        if let Some(checked) = &self.checked {
            self.completion.keep(checked.clock.known());
        }
        self.completion.reach(match result {
            Ok(()) => COMPLETE,
            Err(code) => code.0,
        });
    }
}

fn push(command: Arc<Command>) {
    let mut ready = READY.lock();
    ready.commands.push_back(command);
    ready.unannounced += 1;
}

/// Wakes threads for all commands that are ready.
pub fn announce() {
    READY.lock().announce();
}

impl Ready {
    fn announce(&mut self) {
        let waiting = self.unannounced.min(self.commands.len());
        self.unannounced = 0;
        for _ in 0..waiting {
            if self.idle > 0 {
                self.idle -= 1;
                MORE.notify_one();
            } else if self.threads < MOST_THREADS {
                self.threads += 1;
                let started = std::thread::Builder::new()
                    .name("opencl".to_owned())
                    .spawn(work_for_ever);
                if let Err(error) = started {
                    self.threads -= 1;
                    log::warn!("cannot start a thread for OpenCL's commands: {error}");
                }
            }
        }
    }

    /// Takes a command for the calling thread. The others are for other threads.
    fn take(&mut self, index: usize) -> Option<Arc<Command>> {
        let command = self.commands.remove(index)?;
        self.announce();
        Some(command)
    }
}

fn work_for_ever() {
    loop {
        let command = {
            let mut ready = READY.lock();
            loop {
                if let Some(command) = ready.take(0) {
                    break command;
                }
                // Whoever wakes a thread counts it as awake.
                ready.idle += 1;
                MORE.wait(&mut ready);
            }
        };
        command.run();
    }
}

/// Runs a command of a queue that is ready, if there is one.
pub fn help(queue: usize) -> bool {
    let command = {
        let mut ready = READY.lock();
        let mut all = ready.commands.iter();
        let index = all.position(|command| command.queue == queue);
        index.and_then(|index| ready.take(index))
    };
    let Some(command) = command else {
        return false;
    };
    command.run();
    true
}
