//! What the GPU of [`super`] is made of: the system's threads and locks, or loom's in model checks.

#[cfg(not(all(test, feature = "model")))]
pub use system::*;

#[cfg(not(all(test, feature = "model")))]
mod system {
    #[cfg(not(feature = "sanitize"))]
    pub use std::sync::atomic::fence;
    pub use std::sync::{Condvar, Mutex, MutexGuard};
    pub use std::thread::yield_now;
    pub use std::thread_local;

    /// ThreadSanitizer knows no fences. An operation on one word orders at least as much: a thread that passes here
    /// later comes after all that passed before.
    #[cfg(feature = "sanitize")]
    pub fn fence(_order: std::sync::atomic::Ordering) {
        static PASSED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        PASSED.fetch_add(1, std::sync::atomic::Ordering::AcqRel);
    }

    /// Blocks that run at the same time.
    pub const RESIDENT_BLOCKS: u32 = 1;

    /// Runs `thread` as threads 0 … `count` - 1 and waits for all of them.
    pub fn run_all(count: u32, thread: &(dyn Fn(u32) + Sync)) {
        std::thread::scope(|scope| {
            for id in 0..count {
                std::thread::Builder::new()
                    .stack_size(256 << 10)
                    .spawn_scoped(scope, move || thread(id))
                    .expect("a thread");
            }
        });
    }
}

#[cfg(all(test, feature = "model"))]
pub use checked::*;

#[cfg(all(test, feature = "model"))]
mod checked {
    pub use loom::sync::atomic::fence;
    pub use loom::sync::{Condvar, Mutex, MutexGuard};
    pub use loom::thread::yield_now;
    pub use loom::thread_local;

    /// Blocks that run at the same time: all of a model's.
    pub const RESIDENT_BLOCKS: u32 = 4;

    /// Runs `thread` as threads 0 … `count` - 1 and waits for all of them. loom has few threads, so the caller is the
    /// last one.
    pub fn run_all(count: u32, thread: &(dyn Fn(u32) + Sync)) {
        // SAFETY: all threads are joined before this returns (loom ends the process's test where one panics).
        let thread: &'static (dyn Fn(u32) + Sync) = unsafe { core::mem::transmute(thread) };
        let others: Vec<_> = (0..count - 1)
            .map(|id| loom::thread::spawn(move || thread(id)))
            .collect();
        thread(count - 1);
        for other in others {
            other.join().expect("no thread of a model panics");
        }
    }
}
