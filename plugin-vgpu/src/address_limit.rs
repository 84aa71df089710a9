//! How many addresses the process may reserve (`ulimit -v`).

use std::sync::OnceLock;

use rustix::process::{Resource, getrlimit};
use vgpu_abi::WINDOW_SHIFT;

/// What the device compiler and the program itself still need under a limit: one part of this many.
const LEFT_TO_OTHERS: u64 = 4;

/// Bytes that the device window may have; `None`: all that it wants. The same at every call.
pub fn allowance() -> Option<u64> {
    static ALLOWANCE: OnceLock<Option<u64>> = OnceLock::new();
    *ALLOWANCE.get_or_init(|| share_of(getrlimit(Resource::As).current?, in_use()))
}

/// The share of a limit that the window may have when `used` bytes are in use.
fn share_of(limit: u64, used: u64) -> Option<u64> {
    let free = limit.saturating_sub(used);
    (free < 2 << WINDOW_SHIFT).then(|| free - free / LEFT_TO_OTHERS)
}

/// Bytes of addresses that the process uses now: the first number of `/proc/self/statm`, in pages (proc(5)).
fn in_use() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').next().and_then(|word| word.parse().ok());
    pages.unwrap_or(0u64) * rustix::param::page_size() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_leaves_something_to_others() {
        assert_eq!(share_of(5 << 30, 1 << 30), Some(3 << 30));
        assert_eq!(share_of(1 << 30, 2 << 30), Some(0));
        assert_eq!(share_of(1 << 44, 1 << 30), None);
        assert!(in_use() > 1 << 20);
    }
}
