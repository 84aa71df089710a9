//! Waiting for what is likely to come soon, without going to sleep: to be woken takes a thread some 50 µs, as long as many
//! a kernel. (LLVM's OpenMP runtime lets the host's threads wait so for 200 ms: `KMP_BLOCKTIME`.)

use std::time::{Duration, Instant};

/// How long a thread looks out before it goes to sleep.
const PATIENCE: Duration = Duration::from_micros(200);

/// Returns when `come` says so, or nothing came for long enough to go to sleep. Others may use the CPU meanwhile.
pub fn look_out(come: impl Fn() -> bool) {
    let began = Instant::now();
    while !come() && began.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
}
