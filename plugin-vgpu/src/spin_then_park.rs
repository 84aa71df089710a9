//! Waiting for what is likely to condition soon, without going to sleep: to be woken takes a thread some 50 µs, as long as many
//! a kernel. (LLVM's OpenMP runtime lets the host's threads wait so for 200 ms: `KMP_BLOCKTIME`.)

use std::time::{Duration, Instant};

/// How long a thread looks out before it goes to sleep.
const SPIN_LIMIT: Duration = Duration::from_micros(200);

/// Returns when `condition` says so, or nothing came for long enough to go to sleep. Others may use the CPU meanwhile.
pub fn spin_until(condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() && began.elapsed() < SPIN_LIMIT {
        std::thread::yield_now();
    }
}
