//! Which work of a device comes after which, as streams, events and waits of the host order it.
//!
//! Each stream counts its work. What is known at a point of the program is, for each stream, up to where its work is
//! complete there: a vector clock of streams. All threads of the host have one clock, since nothing tells how they wait
//! for each other: what one of them has seen complete, all know. A thread that works on the device itself is a stream.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// A stream, and a count of its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceWork {
    stream: u32,
    count: u32,
}

/// The work that is complete at some point.
#[derive(Clone, Debug, Default)]
pub struct Finished(Vec<DeviceWork>);

impl Finished {
    /// Adds work, and what its stream did before.
    pub fn add(&mut self, work: DeviceWork) {
        match self.0.iter_mut().find(|it| it.stream == work.stream) {
            Some(known) => known.count = known.count.max(work.count),
            None => self.0.push(work),
        }
    }

    /// Adds all that is known elsewhere.
    pub fn join(&mut self, other: &Finished) {
        other.0.iter().for_each(|&work| self.add(work));
    }

    /// Whether work is complete.
    pub fn has(&self, work: DeviceWork) -> bool {
        let mut all = self.0.iter();
        all.any(|it| it.stream == work.stream && it.count >= work.count)
    }
}

/// What the host knows.
static HOST: Mutex<Finished> = Mutex::new(Finished(Vec::new()));

static STREAMS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The work of the stream that this thread does.
    static CURRENT: RefCell<Option<(DeviceWork, Finished)>> = const { RefCell::new(None) };
    /// What it does by itself.
    static OWN: RefCell<DeviceWork> = RefCell::new(first());
}

fn first() -> DeviceWork {
    DeviceWork {
        stream: STREAMS.fetch_add(1, Ordering::Relaxed),
        count: 0,
    }
}

/// What the host knows now.
pub fn known_to_host() -> Finished {
    HOST.lock().clone()
}

/// The host has seen that work is complete.
pub fn host_learns(known: &Finished) {
    if !known.0.is_empty() {
        HOST.lock().join(known);
    }
}

/// Work that begins.
pub struct Begun {
    /// Its number.
    pub work: DeviceWork,
    /// What it comes after.
    pub known: Finished,
}

impl Begun {
    /// This thread begins to work on the device, for a stream or by itself.
    pub fn now() -> Begun {
        let current = CURRENT.with_borrow(Clone::clone);
        let (work, known) = current.unwrap_or_else(|| {
            let work = OWN.with_borrow_mut(|own| {
                own.count += 1;
                *own
            });
            (work, known_to_host())
        });
        Begun { work, known }
    }

    /// It is complete. What a thread of OpenMP's does in the background, nobody else may know for a while.
    pub fn end(work: DeviceWork) {
        if CURRENT.with_borrow(Option::is_none) {
            if !is_initial_thread() && has_secret() {
                std::thread::sleep(SECRET);
            }
            let mut known = Finished::default();
            known.add(work);
            host_learns(&known);
        }
    }
}

fn is_initial_thread() -> bool {
    rustix::thread::gettid() == rustix::process::getpid()
}

/// The work of a stream.
pub struct Timeline {
    last: DeviceWork,
    /// What is complete when its last work is.
    known: Finished,
    idle_since: Instant,
    /// Whether it keeps that to itself for a while; unknown if nobody has asked.
    keeps: Option<bool>,
}

/// How long work that others do not wait for keeps to itself that it is complete. A program that goes on without
/// waiting does so meanwhile, and what it does then does not come after that work.
const SECRET: Duration = Duration::from_millis(100);

/// How often that is done.
static SECRETS: AtomicU32 = AtomicU32::new(20);

fn has_secret() -> bool {
    let count = SECRETS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
        left.checked_sub(1)
    });
    count.is_ok()
}

impl Timeline {
    /// A stream without work.
    pub fn new() -> Timeline {
        Timeline {
            last: first(),
            known: Finished::default(),
            idle_since: Instant::now(),
            keeps: None,
        }
    }

    /// What comes next waits for all of this.
    pub fn join(&mut self, known: &Finished) {
        self.known.join(known);
    }

    /// What is complete when the stream's work so far is.
    pub fn known(&self) -> &Finished {
        &self.known
    }

    /// This thread begins the stream's next work.
    pub fn begin(&mut self) {
        self.last.count += 1;
        CURRENT.set(Some((self.last, self.known.clone())));
    }

    /// It is complete.
    pub fn end(&mut self) {
        CURRENT.set(None);
        self.known.add(self.last);
        self.idle_since = Instant::now();
        self.keeps = None;
    }

    /// How long nobody should be told that the work is complete.
    pub fn secret(&mut self) -> Duration {
        let left = SECRET.saturating_sub(self.idle_since.elapsed());
        if !left.is_zero() && *self.keeps.get_or_insert_with(has_secret) {
            left
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_know_what_they_waited_for() {
        let (mut one, mut two) = (Timeline::new(), Timeline::new());
        one.begin();
        let first = Begun::now();
        one.end();
        two.begin();
        assert!(!Begun::now().known.has(first.work));
        two.end();
        two.join(one.known());
        two.begin();
        assert!(Begun::now().known.has(first.work));
        two.end();
    }

    #[test]
    fn the_host_knows_what_it_did() {
        let mine = Begun::now();
        assert!(!Begun::now().known.has(mine.work));
        Begun::end(mine.work);
        assert!(Begun::now().known.has(mine.work));
    }
}
