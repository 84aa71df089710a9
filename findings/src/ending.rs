//! What is looked for when the process ends.

use parking_lot::Mutex;

type Search = Box<dyn FnOnce() + Send>;

static SEARCHES: Mutex<Vec<Search>> = Mutex::new(Vec::new());

/// Calls `search` before the process's findings are summed up. It may report more of them.
pub fn at_end(search: impl FnOnce() + Send + 'static) {
    SEARCHES.lock().push(Box::new(search));
}

/// Calls what [`at_end`] was given, once.
pub(crate) fn search() {
    let searches = std::mem::take(&mut *SEARCHES.lock());
    searches.into_iter().for_each(|search| search());
}
