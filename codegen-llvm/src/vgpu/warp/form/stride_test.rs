//! The outcome of a test at run time: do the lanes' values grow by a fixed step?

use crate::ir::Value;

/// The outcome of the test.
#[derive(Clone, Copy)]
pub(super) struct StrideTest {
    /// Whether the active lanes' values grow by the step.
    pub(super) holds: Value,
    /// If so, the value that lane 0 has or would have, 64 bits.
    pub(super) base: Value,
    /// The first active lane, 64 bits.
    pub(super) first: Value,
}
