//! How many lanes a strip has.

use super::calls;
use crate::ir::Value;

/// What of a kernel decides.
pub struct Width {
    /// Lanes.
    pub lanes: u32,
    /// Whether warps wait for each other.
    pub fiber: bool,
}

/// Lanes of a strip that need not be a warp: 16 floats fill the host's widest vectors, and of doubles two vectors
/// keep its units busy.
const FREE: u32 = 16;

/// Chooses for a normalised kernel. Where lanes act together or wait, a strip is a warp.
pub fn of(kernel: Value, warp_size: u32) -> Width {
    let calls = kernel.instructions().into_iter().filter(|it| it.is_call());
    let called: Vec<_> = calls.map(calls::of).collect();
    let fiber = called.iter().any(|&callee| calls::waits(callee));
    let together = called
        .iter()
        .any(|&callee| calls::is_warp_operation(callee));
    Width {
        lanes: if fiber || together { warp_size } else { FREE },
        fiber,
    }
}
