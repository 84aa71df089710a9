//! Handles: numbers in the guise of addresses. A handle of something destroyed is noticed, as none is used twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// What programs hold handles of.
pub struct Handles<T> {
    table: Mutex<(usize, BTreeMap<usize, Arc<T>>)>,
}

impl<T> Handles<T> {
    /// None. The first handle is `first`, the next is greater by one.
    pub const fn starting_at(first: usize) -> Handles<T> {
        Handles {
            table: Mutex::new((first, BTreeMap::new())),
        }
    }

    /// A handle for something.
    pub fn add(&self, item: T) -> usize {
        let mut table = self.table.lock();
        let handle = table.0;
        table.0 += 1;
        table.1.insert(handle, Arc::new(item));
        handle
    }

    /// What the handle stands for.
    pub fn get(&self, handle: usize) -> Option<Arc<T>> {
        self.table.lock().1.get(&handle).cloned()
    }

    /// The same. The handle is none afterwards.
    pub fn remove(&self, handle: usize) -> Option<Arc<T>> {
        self.table.lock().1.remove(&handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_never_used_twice() {
        let handles = Handles::starting_at(16);
        assert_eq!(handles.add('a'), 16);
        assert_eq!(handles.remove(16).as_deref(), Some(&'a'));
        assert_eq!(handles.remove(16), None);
        assert_eq!(handles.add('b'), 17);
        assert_eq!(handles.get(17).as_deref(), Some(&'b'));
    }
}
