//! Chunks of device memory that are moved into the file of the process ([`crate::window_file`]), at their own addresses.
//!
//! While a chunk moves, it cannot be written to, and for a moment not be read. Whoever does, a kernel or the host, gets a
//! signal. The handler waits until the chunk has moved and has the access done again, so that nothing is lost. A
//! system call that writes there at that moment fails with `EFAULT`.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use plugin_api::Result;

use crate::arena::Span;
use crate::signals;

/// One chunk moves at a time.
static ONE: Mutex<()> = Mutex::new(());
/// The first address of what moves, or of what has moved last, and the end.
static BEGIN: AtomicU64 = AtomicU64::new(0);
static END: AtomicU64 = AtomicU64::new(0);
/// Twice the number of motions so far, and one more while something moves.
static STATE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The address at which this thread was last sent back, and the motion because of which it was.
    static SENT_BACK: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// A chunk that moves. Dropping it lets those go on that wait.
pub struct Motion {
    _one: MutexGuard<'static, ()>,
}

impl Motion {
    /// From now on accesses to `span` may be refused for a while.
    pub fn begin(span: Span) -> Result<Motion> {
        signals::install()?;
        let one = ONE.lock();
        BEGIN.store(span.start, Ordering::SeqCst);
        END.store(span.end(), Ordering::SeqCst);
        STATE.fetch_add(1, Ordering::SeqCst);
        Ok(Motion { _one: one })
    }
}

impl Drop for Motion {
    fn drop(&mut self) {
        STATE.fetch_add(1, Ordering::SeqCst);
    }
}

/// For the signal handler: whether an access was refused because of a motion, and is to be done again. An access that
/// fails a second time after the same motion has failed by itself.
pub fn excuses(address: u64) -> bool {
    let mut state = STATE.load(Ordering::SeqCst);
    if state == 0 {
        return false;
    }
    let moves = |state: u64| state % 2 == 1;
    while moves(state) {
        std::thread::yield_now();
        state = STATE.load(Ordering::SeqCst);
    }
    let last = BEGIN.load(Ordering::SeqCst)..END.load(Ordering::SeqCst);
    let here = (address, state);
    last.contains(&address) && SENT_BACK.replace(here) != here
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_excused_once_for_each_motion() {
        let span = Span {
            start: 0x1000,
            len: 0x1000,
        };
        assert!(!excuses(0x1800));
        for _ in 0..2 {
            drop(Motion::begin(span).unwrap());
            assert!(excuses(0x1800) && !excuses(0x1800));
            assert!(!excuses(0x2000));
        }
    }
}
