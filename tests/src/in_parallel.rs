//! What a test of several programs does for each, on all CPUs.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `test` for each of `items`, as many at a time as there are CPUs. Fails if one of them fails.
pub fn in_parallel<T: Sync>(items: &[T], test: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cpus.min(items.len()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    test(item);
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_tested_once() {
        let tested = [const { AtomicUsize::new(0) }; 20];
        in_parallel(&tested, |times| {
            times.fetch_add(1, Ordering::Relaxed);
        });
        assert!(
            tested
                .iter()
                .all(|times| times.load(Ordering::Relaxed) == 1)
        );
    }

    #[test]
    #[should_panic = "a scoped thread panicked"]
    fn one_failure_is_all() {
        in_parallel(&[1, 2, 3], |&number| assert_ne!(number, 2));
    }
}
