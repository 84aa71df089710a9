//! Shared by the device memory routines: finding their target, and reporting failures.

use crate::check::misuse;
use crate::construct::context::Construct;
use crate::device::omp_device::Target;
use crate::report::error::{Error, Result, warn};
use crate::report::source_location::SourceIdent;
use crate::runtime::runtime;

/// Reports an error of `routine` and ends the program.
pub fn fail(routine: &'static str, number: i32, error: &Error) -> ! {
    Construct::new(routine, SourceIdent::default()).fail(error, runtime(), number.into())
}

/// The target of a routine with this device number. An error ends the program.
pub fn target_or_fail(routine: &'static str, number: i32) -> Target<'static> {
    let target = runtime().routine_target(number);
    target.unwrap_or_else(|error| fail(routine, number, &error))
}

/// Returned by `int` routines on failure.
const FAILED: i32 = 1;

/// The result of an `int` routine. Failures are reported on stderr, as the number does not say why.
pub fn answer(routine: &str, outcome: Result<()>) -> i32 {
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            misuse::routine_failed(routine, &error);
            let hint = error
                .hint()
                .map_or(String::new(), |hint| format!("\n  hint: {hint}"));
            warn(&format_args!("{routine} failed: {error}{hint}"));
            FAILED
        }
    }
}
