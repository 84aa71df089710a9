//! Copies that nothing else can race with.

use std::cell::Cell;

thread_local! {
    static EXCLUSIVE: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, the calling thread's copies are of memory that nobody else uses yet, or any more. They are not
/// compared with other accesses.
#[must_use]
pub struct Exclusive {
    before: bool,
}

/// The calling thread's copies are exclusive from now on, if `is`.
pub fn set_exclusive(is: bool) -> Exclusive {
    // At the thread's end the variable may be gone.
    let before = EXCLUSIVE.try_with(|exclusive| exclusive.replace(is));
    Exclusive {
        before: before.unwrap_or(false),
    }
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        // As above.
        let _gone = EXCLUSIVE.try_with(|exclusive| exclusive.set(self.before));
    }
}

/// Whether the calling thread's copies are.
pub fn is_exclusive() -> bool {
    EXCLUSIVE.try_with(Cell::get).unwrap_or(false)
}
