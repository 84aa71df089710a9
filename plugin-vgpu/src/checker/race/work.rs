//! Work of a device as it begins and ends, by streams and by threads of the host (see `findings::DeviceWork`).

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use findings::{DeviceWork, Finished, begin_by_host, host_learns, is_in_task, known_to_host};

thread_local! {
    /// The work of the stream that this thread does.
    static CURRENT: RefCell<Option<(DeviceWork, Finished)>> = const { RefCell::new(None) };
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
        let (work, known) = current.unwrap_or_else(|| (begin_by_host(), known_to_host()));
        Begun { work, known }
    }

    /// It is complete. What another thread of the host does, nobody else may know for a while, unless it is a task.
    /// Gives whether the host knows of it now.
    pub fn end(work: DeviceWork) -> bool {
        if CURRENT.with_borrow(Option::is_none) {
            if !is_in_task() && !is_initial_thread() && has_secret() {
                std::thread::sleep(SECRET);
            }
            let mut known = Finished::default();
            known.add(work);
            host_learns(&known);
            return !is_in_task();
        }
        false
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
            last: DeviceWork::new_stream(),
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
        self.last.begin_next();
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
        assert!(Begun::end(mine.work));
        assert!(Begun::now().known.has(mine.work));
    }
}
