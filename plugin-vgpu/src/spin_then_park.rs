//! Spin-then-park: a waiting thread spins for a short time before it sleeps. To wake a sleeping thread takes some
//! 50 µs, as long as many a kernel. LLVM's OpenMP runtime spins for 200 ms on the host (`KMP_BLOCKTIME`).
//!
//! A thread that spins must not take the CPU from others for long, and it must not lose its own share of the CPU. So
//! it spins for less time than the system gives a thread at a stretch. And it does not yield to other programs: Linux
//! takes up to a whole slice from a thread that yields, milliseconds that are then missing for the next blocks.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

/// How long a thread spins: as long as it takes to wake one. So waiting costs at most twice what it would cost who knew
/// how long it will be (Karlin et al., "Competitive Snoopy Caching", 1988). It is less than a slice of CPU time: a
/// spinning thread that loses the CPU parks when it has it again.
pub const SPIN_LIMIT: Duration = Duration::from_micros(50);

/// How often a thread looks whether a lock is free.
const LOOKS: u32 = 50;

/// The threads of a machine, all of which may spin.
pub struct Crowd {
    /// Whether there are more multiprocessors than CPUs.
    narrow: bool,
    /// Launches under way. Each has a thread of its own.
    launches: AtomicU32,
}

impl Crowd {
    /// The threads for `multiprocessors` multiprocessors on `cpus` CPUs.
    pub fn new(multiprocessors: u32, cpus: u32) -> Crowd {
        Crowd {
            narrow: multiprocessors > cpus,
            launches: AtomicU32::new(0),
        }
    }

    /// Counts a launch, until the result is dropped.
    pub fn launch(&self) -> LaunchUnderWay<'_> {
        self.launches.fetch_add(1, Ordering::Relaxed);
        LaunchUnderWay(self)
    }

    /// Whether there may be more threads than CPUs. A thread that keeps its CPU then keeps it from those that it
    /// waits for.
    pub fn exceeds_cpus(&self) -> bool {
        self.narrow || self.launches.load(Ordering::Relaxed) > 1
    }

    /// Whether one more launch would have more threads than there are CPUs.
    pub fn is_busy(&self) -> bool {
        self.narrow || self.launches.load(Ordering::Relaxed) > 0
    }

    /// Spins until `condition` holds or the time since `began` is up; then the caller parks. Gives whether it was seen
    /// to hold.
    pub fn spin_until(&self, began: Instant, condition: impl Fn() -> bool) -> bool {
        while !condition() {
            if began.elapsed() >= SPIN_LIMIT {
                return false;
            }
            match self.exceeds_cpus() {
                true => std::thread::yield_now(),
                false => std::hint::spin_loop(),
            }
        }
        true
    }
}

/// Locks what others have for some tens of nanoseconds only. `Mutex::lock` yields to other programs after a short time,
/// which takes longer than that.
pub fn lock_soon<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..LOOKS {
        if let Some(guard) = mutex.try_lock() {
            return guard;
        }
        std::hint::spin_loop();
    }
    mutex.lock()
}

/// A launch under way.
pub struct LaunchUnderWay<'a>(&'a Crowd);

impl Drop for LaunchUnderWay<'_> {
    fn drop(&mut self) {
        self.0.launches.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_second_launch_may_need_the_cpus() {
        let crowd = Crowd::new(2, 2);
        let first = crowd.launch();
        assert!(!crowd.exceeds_cpus());
        let second = crowd.launch();
        assert!(crowd.exceeds_cpus());
        drop(first);
        assert!(!crowd.exceeds_cpus());
        drop(second);
        assert!(Crowd::new(3, 2).exceeds_cpus());
    }

    #[test]
    fn spinning_ends_with_the_condition_or_in_time() {
        for crowd in [Crowd::new(2, 2), Crowd::new(3, 2)] {
            let looks = Cell::new(0);
            crowd.spin_until(Instant::now(), || looks.replace(looks.get() + 1) == 2);
            // Fewer, if another program had the CPU meanwhile.
            assert!(looks.get() <= 3);
            let began = Instant::now();
            assert!(!crowd.spin_until(began, || false));
            assert!(began.elapsed() >= SPIN_LIMIT);
            assert!(!crowd.spin_until(began, || false), "the time is up");
            assert!(crowd.spin_until(began, || true));
        }
    }
}
