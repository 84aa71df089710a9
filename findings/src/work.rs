//! Which work of devices comes after which, as streams, events, waits of the host and tasks order it.
//!
//! Work is numbered. What is known at a point of the program is, for each stream, up to which number its work is
//! complete there: a vector clock of streams. A thread that works on a device itself is a stream, and so is a task.
//!
//! Nothing tells how threads of the host wait for each other: what one of them has seen complete, all know. Tasks of
//! OpenMP's have a [`TaskClock`] of their own where the front end follows them. What they do is known to others only
//! when these have waited for them.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

/// Work that so many others have begun after is taken to be over.
pub const WINDOW: u32 = 1024;

/// Work of a stream, with its number among all work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceWork {
    stream: u32,
    number: u32,
}

/// The newest work.
static NUMBERS: AtomicU32 = AtomicU32::new(0);
static STREAMS: AtomicU32 = AtomicU32::new(0);

impl DeviceWork {
    /// A stream that has done nothing.
    pub fn new_stream() -> DeviceWork {
        DeviceWork {
            stream: STREAMS.fetch_add(1, Ordering::Relaxed),
            number: 0,
        }
    }

    /// The stream's next work, which begins now.
    pub fn begin_next(&mut self) {
        self.number = 1 + NUMBERS.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether it is not compared with what begins now.
    pub fn is_old(self) -> bool {
        self.number + WINDOW < NUMBERS.load(Ordering::Relaxed)
    }
}

/// The work that is complete at some point, in the order of the streams. What is old is forgotten.
#[derive(Clone, Debug, Default)]
pub struct Finished(Vec<DeviceWork>);

impl Finished {
    /// Adds work, and what its stream did before.
    pub fn add(&mut self, work: DeviceWork) {
        match self.place(work) {
            Ok(place) => self.0[place].number = work.number.max(self.0[place].number),
            Err(place) => self.0.insert(place, work),
        }
    }

    /// Adds all that is known elsewhere.
    pub fn join(&mut self, other: &Finished) {
        let mut own = std::mem::take(&mut self.0).into_iter().peekable();
        let mut others = other.0.iter().copied().peekable();
        loop {
            let work = match (own.peek(), others.peek()) {
                (Some(a), Some(b)) if a.stream == b.stream => {
                    let number = a.number.max(b.number);
                    others.next();
                    own.next().map(|work| DeviceWork { number, ..work })
                }
                (Some(a), Some(b)) if a.stream > b.stream => others.next(),
                (Some(_), _) => own.next(),
                (None, _) => others.next(),
            };
            let Some(work) = work else {
                return;
            };
            if !work.is_old() {
                self.0.push(work);
            }
        }
    }

    /// Whether work is complete.
    pub fn has(&self, work: DeviceWork) -> bool {
        let is_known = |place: usize| self.0[place].number >= work.number;
        work.is_old() || self.place(work).is_ok_and(is_known)
    }

    /// Where the work of its stream is, or belongs.
    fn place(&self, work: DeviceWork) -> Result<usize, usize> {
        self.0.binary_search_by_key(&work.stream, |it| it.stream)
    }

    /// Whether no work is.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a task of the host knows, and what it does by itself.
pub struct TaskClock(Mutex<Known>);

struct Known {
    own: DeviceWork,
    finished: Finished,
}

impl TaskClock {
    /// A task that knows this.
    pub fn new(finished: Finished) -> Arc<TaskClock> {
        let own = DeviceWork::new_stream();
        Arc::new(TaskClock(Mutex::new(Known { own, finished })))
    }

    /// It comes after this.
    pub fn join(&self, known: &Finished) {
        self.0.lock().finished.join(known);
    }

    /// What it knows.
    pub fn known(&self) -> Finished {
        self.0.lock().finished.clone()
    }
}

/// What all threads know that execute no task with a clock.
static HOST: Mutex<Finished> = Mutex::new(Finished(Vec::new()));

thread_local! {
    /// The clock of the task that the thread executes.
    static TASK: RefCell<Option<Arc<TaskClock>>> = const { RefCell::new(None) };
    /// What it does itself otherwise.
    static OWN: RefCell<DeviceWork> = RefCell::new(DeviceWork::new_stream());
}

/// The clock of the task that the calling thread executes, if it has one.
pub fn task_clock() -> Option<Arc<TaskClock>> {
    // A thread that ends executes none.
    TASK.try_with(|task| task.borrow().clone()).ok()?
}

/// From now on the calling thread executes a task with this clock, or with none. Gives the clock of the task before.
pub fn enter_task(clock: Option<Arc<TaskClock>>) -> Option<Arc<TaskClock>> {
    TASK.try_with(|task| task.replace(clock)).ok()?
}

/// Whether the calling thread executes a task with a clock of its own.
pub fn is_in_task() -> bool {
    task_clock().is_some()
}

/// What the calling thread knows now.
pub fn known_to_host() -> Finished {
    match task_clock() {
        Some(clock) => clock.known(),
        None => HOST.lock().clone(),
    }
}

/// Who is told that the host has learned something.
static LISTENER: OnceLock<fn()> = OnceLock::new();

/// Has a function called whenever a thread has learned that work is complete. The first one counts.
pub fn on_learning(listener: fn()) {
    LISTENER.get_or_init(|| listener);
}

/// The calling thread has seen that work is complete.
pub fn host_learns(known: &Finished) {
    match task_clock() {
        _ if known.is_empty() => return,
        Some(clock) => clock.join(known),
        None => HOST.lock().join(known),
    }
    if let Some(listener) = LISTENER.get() {
        listener();
    }
}

/// The calling thread begins to work on a device by itself.
pub fn begin_by_host() -> DeviceWork {
    let begin = |own: &mut DeviceWork| {
        own.begin_next();
        *own
    };
    match task_clock() {
        Some(clock) => begin(&mut clock.0.lock().own),
        None => OWN.with_borrow_mut(begin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_knows_what_it_is_told() {
        let mut stream = DeviceWork::new_stream();
        stream.begin_next();
        let clock = TaskClock::new(Finished::default());
        enter_task(Some(clock.clone()));
        assert!(is_in_task() && !known_to_host().has(stream));
        let mut done = Finished::default();
        done.add(stream);
        host_learns(&done);
        assert!(known_to_host().has(stream));
        let own = begin_by_host();
        assert_ne!(own.stream, begin_by_host().number);
        enter_task(None);
        assert!(!is_in_task() && !known_to_host().has(stream));
        host_learns(&clock.known());
        assert!(known_to_host().has(stream) && !known_to_host().has(own));
        // Last, because it makes all other work old.
        (0..=WINDOW).for_each(|_| stream.begin_next());
        assert!(Finished::default().has(own) && !Finished::default().has(stream));
    }
}
