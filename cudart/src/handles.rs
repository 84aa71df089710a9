//! Handles: the numbers by which programs name streams, events, graphs and the like.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

/// What programs hold handles of.
pub struct Handles<T> {
    next: AtomicUsize,
    table: Mutex<HashMap<usize, T>>,
}

/// CUDA's own handles are smaller than this.
const FIRST: usize = 0x100;

impl<T> Default for Handles<T> {
    fn default() -> Handles<T> {
        Handles {
            next: AtomicUsize::new(FIRST),
            table: Mutex::default(),
        }
    }
}

impl<T: Clone> Handles<T> {
    /// A new handle. None is ever used twice, so that one of something destroyed is noticed.
    pub fn add(&self, item: T) -> usize {
        let handle = self.next.fetch_add(1, Ordering::Relaxed);
        self.table.lock().insert(handle, item);
        handle
    }

    /// What the handle stands for.
    pub fn get(&self, handle: usize) -> Option<T> {
        self.table.lock().get(&handle).cloned()
    }

    /// The same. The handle is none afterwards.
    pub fn remove(&self, handle: usize) -> Option<T> {
        self.table.lock().remove(&handle)
    }

    /// The handle of the first that `wanted` names.
    pub fn find(&self, wanted: impl Fn(&T) -> bool) -> Option<usize> {
        let table = self.table.lock();
        let mut found = table.iter().filter(|(_, item)| wanted(item));
        found.next().map(|(handle, _)| *handle)
    }

    /// Removes those that `gone` names.
    pub fn remove_all(&self, gone: impl Fn(&T) -> bool) {
        self.table.lock().retain(|_, item| !gone(item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_never_used_twice() {
        let handles = Handles::default();
        let first = handles.add('a');
        assert_eq!(handles.remove(first), Some('a'));
        let second = handles.add('b');
        assert_ne!(first, second);
        assert_eq!((handles.get(first), handles.get(second)), (None, Some('b')));
        handles.remove_all(|letter| *letter == 'b');
        assert_eq!(handles.get(second), None);
    }
}
