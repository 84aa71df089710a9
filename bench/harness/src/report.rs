//! The ends of measurements: JSON instead of a table, and the outcome of the command.

use omptarget_driver::{Failure, Result};
use serde::Serialize;

/// Prints a report as JSON.
pub fn print_json(report: &impl Serialize) {
    let text = serde_json::to_string_pretty(report).expect("plain data becomes JSON");
    anstream::println!("{text}");
}

/// An error if something that was to be measured failed: the reasons, a line each.
pub fn outcome(failed: &[String]) -> Result<()> {
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failure::Other(failed.join("\n"))),
    }
}
