//! The code that every driver call starts with.

use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::config::{Config, config};
use crate::context;
use crate::result::Failure;
pub use crate::result::Outcome;

/// The driver's phase: whether it may be called.
static PHASE: AtomicU8 = AtomicU8::new(BEFORE);
const BEFORE: u8 = 0;
const RUNNING: u8 = 1;
const OVER: u8 = 2;

fn number(outcome: Outcome) -> u32 {
    outcome.map_or_else(|failure| failure.0, |()| 0)
}

fn counted(function: &str) -> Outcome<&'static Config> {
    let config = config().map_err(|_| Failure::UNKNOWN)?;
    let injected = config.calls.count(function).map_err(|error| {
        let log = config.calls.log().unwrap_or(Path::new(""));
        eprintln!("fake CUDA driver: {}: {error}", log.display());
        Failure::OPERATING_SYSTEM
    })?;
    injected.map_or(Ok(()), |number| Err(Failure(number)))?;
    Ok(config)
}

/// A call that is valid at any time.
pub fn any_time(function: &str, body: impl FnOnce() -> Outcome) -> u32 {
    number(counted(function).and_then(|_| body()))
}

/// `CUDA_ERROR_NOT_INITIALIZED` before `cuInit`, and `CUDA_ERROR_DEINITIALIZED` after shutdown.
fn running(function: &str) -> Outcome<&'static Config> {
    let config = counted(function).inspect_err(|&failure| context::lose_current(failure))?;
    match PHASE.load(Ordering::Acquire) {
        RUNNING => Ok(config),
        OVER => Err(Failure::DEINITIALIZED),
        _ => Err(Failure::NOT_INITIALIZED),
    }
}

/// A call that needs a running driver, but no context.
pub fn initialised(function: &str, body: impl FnOnce() -> Outcome) -> u32 {
    number(running(function).and_then(|_| body()))
}

/// A call on the current context. It fails if there is none or if it is lost.
pub fn with_context(function: &str, body: impl FnOnce() -> Outcome) -> u32 {
    let outcome = running(function).and_then(|_| {
        context::current()?.check()?;
        body()
    });
    number(outcome)
}

/// The settings, inside a call.
pub fn settings() -> Outcome<&'static Config> {
    config().map_err(|_| Failure::UNKNOWN)
}

/// `cuInit`.
pub fn initialise(config: &Config) -> Outcome {
    let first = PHASE.compare_exchange(BEFORE, RUNNING, Ordering::AcqRel, Ordering::Acquire);
    match first {
        Err(OVER) => return Err(Failure::DEINITIALIZED),
        Ok(_) if config.exits_early => {
            // SAFETY: the function may be called at any time and exists until the process has ended.
            unsafe { libc::atexit(shut_down) };
        }
        _ => {}
    }
    Ok(())
}

extern "C" fn shut_down() {
    PHASE.store(OVER, Ordering::Release);
}
