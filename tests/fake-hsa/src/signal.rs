//! Signals. One lock and one condition variable serve all of them, so that a wait may be for several.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Instant;

use fake_driver::handle::{self, Handle};
use parking_lot::{Condvar, Mutex};

use crate::call::tell;
use crate::status::{Failure, Outcome};

static MONITOR: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

/// Does something that others wait for: a change of a signal, or of a queue.
pub fn change<T>(action: impl FnOnce() -> T) -> T {
    let _monitor = MONITOR.lock();
    let result = action();
    CHANGED.notify_all();
    result
}

/// Waits until a condition holds, or until a point in time. Tells whether it holds.
pub fn wait_until(deadline: Option<Instant>, mut condition: impl FnMut() -> bool) -> bool {
    let mut monitor = MONITOR.lock();
    while !condition() {
        match deadline {
            None => CHANGED.wait(&mut monitor),
            Some(deadline) => {
                if CHANGED.wait_until(&mut monitor, deadline).timed_out() {
                    return condition();
                }
            }
        }
    }
    true
}

/// `hsa_signal_condition_t`
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Greater or equal.
    Gte,
}

impl Condition {
    /// The condition of a number.
    pub fn new(number: u32) -> Outcome<Condition> {
        use Condition::{Eq, Gte, Lt, Ne};
        let all = [Eq, Ne, Lt, Gte];
        let known = all.get(number as usize).copied();
        known.ok_or(Failure::ERROR_INVALID_ARGUMENT)
    }

    /// Whether it holds for a value.
    pub fn holds(self, value: i64, compared: i64) -> bool {
        match self {
            Condition::Eq => value == compared,
            Condition::Ne => value != compared,
            Condition::Lt => value < compared,
            Condition::Gte => value >= compared,
        }
    }
}

/// A signal.
#[derive(Debug)]
pub struct Signal {
    value: AtomicI64,
    /// Whether it is the doorbell of a queue.
    is_doorbell: bool,
    /// Packets and copies that will decrement it.
    completers: AtomicU32,
    /// Packets, copies, handlers and threads that wait for it.
    waiters: AtomicU32,
}

/// The signal of a handle.
pub fn get(raw: Handle) -> Outcome<Arc<Signal>> {
    handle::get(raw).map_err(|_| Failure::ERROR_INVALID_SIGNAL)
}

/// The signal of a handle, or none for 0.
pub fn get_if_any(raw: Handle) -> Outcome<Option<Arc<Signal>>> {
    match raw {
        0 => Ok(None),
        _ => get(raw).map(Some),
    }
}

impl Signal {
    /// A signal of the program's.
    pub fn new(value: i64) -> Arc<Signal> {
        Arc::new(Signal {
            value: AtomicI64::new(value),
            is_doorbell: false,
            completers: AtomicU32::new(0),
            waiters: AtomicU32::new(0),
        })
    }

    /// A doorbell that nobody has rung.
    pub fn doorbell() -> Arc<Signal> {
        let mut signal = Signal::new(-1);
        let own = Arc::get_mut(&mut signal).expect("nobody else has it yet");
        own.is_doorbell = true;
        signal
    }

    /// Its value.
    pub fn value(&self) -> i64 {
        self.value.load(Ordering::Acquire)
    }

    /// Stores a value. Several producers may ring a doorbell out of order.
    pub fn store(&self, value: i64) {
        if self.completers.load(Ordering::Acquire) > 0 {
            tell("a signal is stored to that a packet or copy will decrement");
        }
        if value != 0 && self.waiters.load(Ordering::Acquire) > 0 && !self.is_doorbell {
            tell("a signal is reused that something still waits for");
        }
        change(|| match self.is_doorbell {
            true => drop(self.value.fetch_max(value, Ordering::AcqRel)),
            false => self.value.store(value, Ordering::Release),
        });
    }

    /// Changes the value. Gives the old one.
    pub fn update(&self, new: impl Fn(i64) -> i64) -> i64 {
        change(|| {
            let value = self.value();
            self.value.store(new(value), Ordering::Release);
            value
        })
    }

    /// Why it must not be destroyed now.
    pub fn why_in_use(&self) -> Option<&'static str> {
        if self.is_doorbell {
            return Some("it is the doorbell of a queue");
        }
        if self.completers.load(Ordering::Acquire) > 0 {
            return Some("a packet or copy will decrement it");
        }
        let waits = self.waiters.load(Ordering::Acquire) > 0;
        waits.then_some("something waits for it")
    }
}

/// Something that waits for a signal.
#[derive(Debug)]
pub struct Waiter(Arc<Signal>);

impl Waiter {
    /// Begins to wait.
    pub fn new(signal: Arc<Signal>) -> Waiter {
        signal.waiters.fetch_add(1, Ordering::AcqRel);
        Waiter(signal)
    }

    /// The signal's value.
    pub fn value(&self) -> i64 {
        self.0.value()
    }

    /// Waits no longer. Gives the signal.
    pub fn end(self) -> Arc<Signal> {
        self.0.clone()
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.waiters.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Something that will complete a signal. A completion that is dropped leaves the signal as it is: work that failed
/// does not complete.
#[derive(Debug)]
pub struct Completion(Arc<Signal>);

impl Completion {
    /// Announces it.
    pub fn new(signal: Arc<Signal>) -> Completion {
        signal.completers.fetch_add(1, Ordering::AcqRel);
        Completion(signal)
    }

    /// Decrements the signal. What `also` does becomes visible with that.
    pub fn complete(self, also: impl FnOnce()) {
        self.finish(|value| value - 1, also);
    }

    /// "An error has occurred during the copy operation": a negative number.
    pub fn fail(self) {
        self.finish(|_| -1, || ());
    }

    /// Whoever sees the new value may reuse or destroy the signal, so the announcement ends first.
    fn finish(self, new: impl Fn(i64) -> i64, also: impl FnOnce()) {
        let signal = self.0.clone();
        change(|| {
            drop(self);
            also();
            signal.value.store(new(signal.value()), Ordering::Release);
        });
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.0.completers.fetch_sub(1, Ordering::AcqRel);
    }
}
