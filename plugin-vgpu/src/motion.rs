//! Chunks of device memory that are moved into the file of the process ([`crate::window_file`]), at their own
//! addresses.
//!
//! While a chunk moves, it cannot be written to, and for a moment not be read. Whoever does, a kernel or the host, gets
//! a signal. The handler waits until the chunk has moved and has the access done again, so that nothing is lost. A
//! system call that writes there at that moment fails with `EFAULT`.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use plugin_api::Result;

use crate::arena::Span;
use crate::unit_set::UnitSet;
use crate::{signals, window};

/// One chunk moves at a time.
static ONE: Mutex<()> = Mutex::new(());
/// Which units of the window have ever moved. What moves at once is one of them, or several. A thread may come to its
/// handler when other units move already.
static MOVED: UnitSet = UnitSet::new();

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
        MOVED.add(span);
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
    if !window::contains(address) || !MOVED.has(address) {
        return false;
    }
    let mut state = STATE.load(Ordering::SeqCst);
    let moves = |state: u64| state % 2 == 1;
    while moves(state) {
        std::thread::yield_now();
        state = STATE.load(Ordering::SeqCst);
    }
    let here = (address, state);
    SENT_BACK.replace(here) != here
}

#[cfg(test)]
mod tests {
    use vgpu_abi::WINDOW_SHIFT;

    use super::*;
    use crate::unit_set::UNIT;

    #[test]
    fn an_access_is_excused_once_for_each_motion() {
        // The window's last megabyte, of which the tests have no use.
        let end = (window::index().unwrap() + 1) << WINDOW_SHIFT;
        let span = Span {
            start: end - UNIT,
            len: UNIT,
        };
        assert!(!excuses(end - 8));
        for _ in 0..2 {
            drop(Motion::begin(span).unwrap());
            // Another one may have begun and ended since.
            assert!(excuses(end - 8));
            while excuses(end - 8) {}
            assert!(!excuses(end - UNIT - 8));
        }
    }
}
