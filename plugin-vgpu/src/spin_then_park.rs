//! Spin-then-park: a waiting thread spins for a short time before it sleeps. To wake a sleeping thread takes some
//! 50 µs, as long as many a kernel. LLVM's OpenMP runtime spins for 200 ms on the host (`KMP_BLOCKTIME`).

use std::time::{Duration, Instant};

/// How long a thread spins.
const SPIN_LIMIT: Duration = Duration::from_micros(200);

/// Spins until `condition` holds or the time is up; then the caller parks. Yields the CPU to other threads
/// meanwhile.
pub fn spin_until(condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() && began.elapsed() < SPIN_LIMIT {
        std::thread::yield_now();
    }
}
