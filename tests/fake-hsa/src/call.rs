//! The code that every function starts with.

use parking_lot::Mutex;

use crate::config::{Config, config};
use crate::leaks;
use crate::status::Failure;
pub use crate::status::Outcome;

/// How often `hsa_init` was called without `hsa_shut_down`.
static REFERENCES: Mutex<u32> = Mutex::new(0);

/// Tells of a broken rule that has no error code of its own, or of the reason behind one.
pub fn tell(what: &str) {
    eprintln!("fake HSA runtime: {what}");
}

/// The same; gives the error that the caller gets.
pub fn refuse(failure: Failure, what: &str) -> Failure {
    tell(what);
    failure
}

fn number(outcome: Outcome) -> u32 {
    outcome.map_or_else(|failure| failure.0, |()| 0)
}

fn counted(function: &str) -> Outcome {
    let injected = settings()?.calls.count(function).map_err(|error| {
        tell(&format!("FAKE_HSA_LOG: {error}"));
        Failure::ERROR
    })?;
    injected.map_or(Ok(()), |number| Err(Failure(number)))
}

/// A call that is valid at any time.
pub fn any_time(function: &str, body: impl FnOnce() -> Outcome) -> u32 {
    number(counted(function).and_then(|()| body()))
}

/// A call that needs a running runtime.
pub fn running(function: &str, body: impl FnOnce() -> Outcome) -> u32 {
    let outcome = counted(function).and_then(|()| {
        expect_running()?;
        body()
    });
    number(outcome)
}

/// A function without a status: it cannot fail. Breaking a rule gives `otherwise` and a line of text.
pub fn without_status<T>(function: &str, otherwise: T, body: impl FnOnce() -> Outcome<T>) -> T {
    let outcome = expect_running().and_then(|()| body());
    outcome.unwrap_or_else(|failure| {
        tell(&format!("{function}: error {:#x}", failure.0));
        otherwise
    })
}

fn expect_running() -> Outcome {
    match *REFERENCES.lock() {
        0 => Err(Failure::ERROR_NOT_INITIALIZED),
        _ => Ok(()),
    }
}

/// The settings, inside a call.
pub fn settings() -> Outcome<&'static Config> {
    config().map_err(|_| Failure::ERROR)
}

/// `hsa_init`. "Initializes the HSA runtime if it is not already initialized, and increases the reference counter".
pub fn initialise() -> Outcome {
    let leaks = settings()?.leaks;
    let mut references = REFERENCES.lock();
    *references += 1;
    if leaks && *references == 1 {
        // SAFETY: the function may be called at any time and exists until the process has ended.
        unsafe { libc::atexit(at_exit) };
    }
    Ok(())
}

/// `hsa_shut_down`.
pub fn shut_down() -> Outcome {
    let mut references = REFERENCES.lock();
    *references = references
        .checked_sub(1)
        .ok_or(Failure::ERROR_NOT_INITIALIZED)?;
    if *references == 0 && settings()?.leaks {
        leaks::report();
    }
    Ok(())
}

extern "C" fn at_exit() {
    if *REFERENCES.lock() > 0 {
        leaks::report();
    }
}
