//! Why a kernel has no warp form.

use crate::analysis::source_locations::describe;
use crate::ir::{Context, Value};

/// A reason, as the user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    /// A reason without a source location.
    pub fn new(what: impl Into<String>) -> Refusal {
        Refusal(what.into())
    }

    /// A reason at an instruction's source location.
    pub fn at(context: Context, instruction: Value, what: &str) -> Refusal {
        Refusal(format!("{what} {}", describe(context, instruction)))
    }
}
