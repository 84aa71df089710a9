//! Functions of the program that are called when a signal has a value (`hsa_amd_signal_async_handler`). One thread
//! calls them all.

use std::ffi::c_void;
use std::sync::Once;

use parking_lot::Mutex;

use crate::signal::{self, Condition, Waiter};

/// "If the callback returns false, the handler is removed".
pub type Function = unsafe extern "C" fn(i64, *mut c_void) -> bool;

/// A function and what it waits for.
pub struct Handler {
    /// The signal.
    pub waiter: Waiter,
    /// The condition on its value.
    pub condition: Condition,
    /// What the value is compared with.
    pub compared: i64,
    /// The function.
    pub function: Function,
    /// Its argument, an address.
    pub argument: usize,
}

static HANDLERS: Mutex<Vec<Handler>> = Mutex::new(Vec::new());

/// Adds a handler.
pub fn add(handler: Handler) -> std::io::Result<()> {
    static STARTED: Once = Once::new();
    signal::change(|| HANDLERS.lock().push(handler));
    let mut outcome = Ok(());
    STARTED.call_once(|| {
        let thread = std::thread::Builder::new().name("fake HSA handlers".into());
        outcome = thread.spawn(run).map(drop);
    });
    outcome
}

fn take_ready() -> Option<(Handler, i64)> {
    let mut handlers = HANDLERS.lock();
    let value = |handler: &Handler| handler.waiter.value();
    let ready = |handler: &Handler| handler.condition.holds(value(handler), handler.compared);
    let at = handlers.iter().position(ready)?;
    let handler = handlers.remove(at);
    let seen = handler.waiter.value();
    Some((handler, seen))
}

fn run() {
    loop {
        let mut ready = None;
        signal::wait_until(None, || {
            ready = take_ready();
            ready.is_some()
        });
        let (handler, value) = ready.expect("the wait was for it");
        let signal = handler.waiter.end();
        // The function may destroy the signal, or use it for something else.
        // SAFETY: the caller's contract: the function may be called from a thread of the runtime.
        let again = unsafe { (handler.function)(value, handler.argument as *mut c_void) };
        if again {
            let waiter = Waiter::new(signal);
            signal::change(|| HANDLERS.lock().push(Handler { waiter, ..handler }));
        }
    }
}
