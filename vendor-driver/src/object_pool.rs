//! A pool of driver objects that are slow to create and currently idle.

use parking_lot::{Mutex, MutexGuard};

/// Idle objects of one kind.
pub struct ObjectPool<T>(Mutex<Vec<T>>);

impl<T> Default for ObjectPool<T> {
    fn default() -> ObjectPool<T> {
        ObjectPool(Mutex::new(Vec::new()))
    }
}

impl<T> ObjectPool<T> {
    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock()
    }

    /// Takes the object that was used last.
    pub fn take(&self) -> Option<T> {
        self.lock().pop()
    }

    /// Returns an object to the pool.
    pub fn put_back(&self, object: T) {
        self.lock().push(object);
    }

    /// Takes all objects.
    pub fn take_all(&self) -> Vec<T> {
        std::mem::take(&mut self.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::ObjectPool;

    #[test]
    fn the_last_one_is_used_again_first() {
        let idle = ObjectPool::default();
        assert_eq!(idle.take(), None);
        idle.put_back(1);
        idle.put_back(2);
        assert_eq!(idle.take(), Some(2));
        idle.put_back(3);
        assert_eq!(idle.take_all(), [1, 3]);
        assert_eq!(idle.take(), None);
    }
}
