//! Messages for the user, where a code says too little.

use std::fmt::Display;

/// Tells the user on standard error.
pub fn report(what: &str, why: &dyn Display) {
    eprintln!("OpenCL (omptarget): {what}: {why}");
}
