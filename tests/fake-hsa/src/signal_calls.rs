//! Signals.

use std::ffi::c_void;
use std::time::{Duration, Instant};

use fake_driver::handle::{self, Handle};

use crate::call::{refuse, without_status};
use crate::handler::{self, Function, Handler};
use crate::signal::{self, Condition, Signal, Waiter};
use crate::status::{Failure, Outcome};

fake_driver::functions! {
    /// A signal that any agent may use, whatever consumers are named.
    fn hsa_signal_create(initial: i64, consumers: u32, list: *const Handle, created: *mut Handle) in running {
        if list.is_null() && consumers > 0 {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        fake_driver::pointer::store(created, handle::add(Signal::new(initial)))
    }

    /// Invalidates the handle. Nothing may use the signal any more.
    fn hsa_signal_destroy(ended: Handle) in running {
        if ended == 0 {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        let signal = signal::get(ended).inspect_err(|_| {
            crate::call::tell("a signal is destroyed that does not exist (destroyed twice?)");
        })?;
        if let Some(why) = signal.why_in_use() {
            return Err(refuse(Failure::ERROR_INVALID_SIGNAL, &format!("a signal is destroyed in use: {why}")));
        }
        handle::remove::<Signal>(ended)?;
        Ok(())
    }

    /// Calls a function when a condition holds.
    fn hsa_amd_signal_async_handler(
        raw: Handle, condition: u32, compared: i64, function: Option<Function>, argument: *mut c_void,
    ) in running {
        let function = function.ok_or(Failure::ERROR_INVALID_ARGUMENT)?;
        let added = handler::add(Handler {
            waiter: Waiter::new(signal::get(raw)?),
            condition: Condition::new(condition)?,
            compared,
            function,
            argument: argument as usize,
        });
        added.map_err(|_| Failure::ERROR_OUT_OF_RESOURCES)
    }
}

/// Waits for a condition. The hint is in nanoseconds (`HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY`). Gives the last value.
fn wait(raw: Handle, condition: u32, compared: i64, timeout: u64) -> Outcome<i64> {
    let (signal, condition) = (signal::get(raw)?, Condition::new(condition)?);
    let waiter = Waiter::new(signal.clone());
    let deadline = Instant::now().checked_add(Duration::from_nanos(timeout));
    let mut value = 0;
    signal::wait_until(deadline, || {
        value = waiter.value();
        condition.holds(value, compared)
    });
    Ok(value)
}

/// Defines functions on signals, which have no status.
macro_rules! signal_functions {
    ($($(#[$doc:meta])* fn $name:ident($signal:ident $(, $argument:ident: $type:ty)*) $(-> $result:ty)? $body:block)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(raw: Handle $(, $argument: $type)*) $(-> $result)? {
            without_status(stringify!($name), Default::default(), || {
                let $signal = signal::get(raw)?;
                Ok($body)
            })
        }
    )*};
}

signal_functions! {
    /// Its value.
    fn hsa_signal_load_scacquire(signal) -> i64 { signal.value() }
    /// Its value.
    fn hsa_signal_load_relaxed(signal) -> i64 { signal.value() }
    /// Stores a value.
    fn hsa_signal_store_relaxed(signal, value: i64) { signal.store(value) }
    /// Stores a value.
    fn hsa_signal_store_screlease(signal, value: i64) { signal.store(value) }
    /// Adds to the value.
    fn hsa_signal_add_relaxed(signal, value: i64) { signal.update(|old| old.wrapping_add(value)); }
    /// Adds to the value.
    fn hsa_signal_add_screlease(signal, value: i64) { signal.update(|old| old.wrapping_add(value)); }
    /// Subtracts from the value.
    fn hsa_signal_subtract_relaxed(signal, value: i64) { signal.update(|old| old.wrapping_sub(value)); }
    /// Subtracts from the value.
    fn hsa_signal_subtract_screlease(signal, value: i64) { signal.update(|old| old.wrapping_sub(value)); }
    /// Subtracts from the value.
    fn hsa_signal_subtract_scacq_screl(signal, value: i64) { signal.update(|old| old.wrapping_sub(value)); }
    /// Replaces the value. Gives the old one.
    fn hsa_signal_exchange_scacq_screl(signal, value: i64) -> i64 { signal.update(|_| value) }
    /// Replaces the value if it is the expected one. Gives the old one.
    fn hsa_signal_cas_scacq_screl(signal, expected: i64, value: i64) -> i64 {
        signal.update(|old| if old == expected { value } else { old })
    }
}

/// Waits for a condition.
#[unsafe(no_mangle)]
pub extern "C" fn hsa_signal_wait_scacquire(
    raw: Handle,
    condition: u32,
    compared: i64,
    timeout: u64,
    _hint: u32,
) -> i64 {
    without_status("hsa_signal_wait_scacquire", 0, || {
        wait(raw, condition, compared, timeout)
    })
}

/// Waits for a condition.
#[unsafe(no_mangle)]
pub extern "C" fn hsa_signal_wait_relaxed(
    raw: Handle,
    condition: u32,
    compared: i64,
    timeout: u64,
    _hint: u32,
) -> i64 {
    without_status("hsa_signal_wait_relaxed", 0, || {
        wait(raw, condition, compared, timeout)
    })
}
