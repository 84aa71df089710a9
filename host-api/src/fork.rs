//! Processes that fork after their devices were in use.
//!
//! Only the calling thread survives in the child. The threads that run blocks and streams do not, and a lock that
//! another thread held stays locked. A region in the child would hang sooner or later. So the child gets an error, and
//! what it inherited stays untouched: its exit neither runs device destructors nor writes the parent's timeline. `exec`
//! starts afresh.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static FORKED: AtomicBool = AtomicBool::new(false);

/// Makes children notice that they were forked.
pub fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // SAFETY: the handler only stores to an atomic. The C library drops it if this library is closed.
        let code = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        if code != 0 {
            log::warn!(
                "cannot watch for forks ({}): a child that uses devices may hang",
                std::io::Error::from_raw_os_error(code)
            );
        }
    });
}

/// Whether this process was forked from one that had devices.
pub fn happened() -> bool {
    FORKED.load(Ordering::Relaxed)
}

extern "C" fn in_child() {
    FORKED.store(true, Ordering::Relaxed);
}
