//! Where the device memory routines find memory, and how they fail.

use crate::construct::context::Construct;
use crate::device::omp_device::OmpDevice;
use crate::report::error::{Error, Result, warn};
use crate::runtime::runtime;

/// The host, or a device that has everything registered loaded.
pub enum Place {
    /// The host.
    Host,
    /// A device.
    Device(&'static OmpDevice),
}

impl Place {
    /// For messages.
    pub fn side(&self) -> String {
        match self {
            Place::Host => "host".into(),
            Place::Device(device) => format!("device {}", device.number),
        }
    }
}

/// Ends the program with a report on `routine`.
pub fn fail(routine: &'static str, number: i32, error: &Error) -> ! {
    // SAFETY: no location.
    unsafe { Construct::new(routine, std::ptr::null()) }.fail(error, runtime(), number.into())
}

/// The place with this device number.
pub fn place(number: i32) -> Result<Place> {
    let runtime = runtime();
    if number == runtime.initial_device() || number == -1 {
        return Ok(Place::Host);
    }
    let device = runtime.device(number.into())?;
    device
        .program
        .catch_up(device, &runtime.registry, runtime.devices().len())?;
    Ok(Place::Device(device))
}

/// The place with this device number; none is the end of the program.
pub fn place_or_fail(routine: &'static str, number: i32) -> Place {
    place(number).unwrap_or_else(|error| fail(routine, number, &error))
}

/// What an `int` routine returns on failure.
const FAILED: i32 = 1;

/// The answer of an `int` routine; failures are told on stderr, for the number tells nothing.
pub fn answer(routine: &str, outcome: Result<()>) -> i32 {
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            let hint = error
                .hint()
                .map_or(String::new(), |hint| format!("\n  hint: {hint}"));
            warn(&format_args!("{routine} failed: {error}{hint}"));
            FAILED
        }
    }
}
