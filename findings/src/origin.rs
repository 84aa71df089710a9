//! What the calling thread executes for the user: who allocates or frees device memory.

use std::cell::RefCell;

use crate::checks::wanted;
use crate::finding::Note;

thread_local! {
    static CURRENT: RefCell<Option<Note>> = const { RefCell::new(None) };
}

/// While it lives, its thread executes a construct or a routine. Dropping it brings back what was before.
#[must_use]
pub struct Origin {
    before: Option<Note>,
    /// Without checks nothing is kept.
    is_kept: bool,
}

/// The calling thread executes `construct` from now on, such as `target exit data` at `a.c:7 in main`. Nothing is done
/// unless the process asked for checks.
pub fn set_origin(construct: impl FnOnce() -> Note) -> Origin {
    let is_kept = wanted().is_ok_and(|checks| checks.any());
    let before = match is_kept {
        true => CURRENT.replace(Some(construct())),
        false => None,
    };
    Origin { before, is_kept }
}

impl Drop for Origin {
    fn drop(&mut self) {
        if self.is_kept {
            // At the thread's end the variable may be gone.
            let _ = CURRENT.try_with(|current| current.replace(self.before.take()));
        }
    }
}

/// What the calling thread executes.
pub fn current_origin() -> Option<Note> {
    CURRENT.try_with(|current| current.borrow().clone()).ok()?
}
