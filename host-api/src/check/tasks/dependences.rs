//! The order that `depend` clauses make among the children of a task (OpenMP 5.2, §15.9.5).

use std::collections::HashMap;
use std::mem::take;
use std::sync::Arc;

use super::task::Task;

/// What a clause says of a storage location.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// `in`.
    Reads,
    /// `out`, `inout` and `mutexinoutset`: the tasks of one that names the same exclude each other, so they have an
    /// order, which may be any.
    Writes,
    /// `inoutset`: tasks of one set may run together.
    Joins,
}

/// The tasks that have named a location last.
#[derive(Default)]
struct Named {
    /// The last writer, or those before the present set.
    before: Vec<Arc<Task>>,
    /// Readers since then, or the present set.
    set: Vec<Arc<Task>>,
    /// Whether the set is one of `inoutset`.
    joins: bool,
}

/// The locations that a task's children have named.
#[derive(Default)]
pub struct Locations(HashMap<u64, Named>);

impl Locations {
    /// A child names a location. Gives the tasks that it comes after.
    pub fn name(&mut self, location: u64, using: Use, child: &Arc<Task>) -> Vec<Arc<Task>> {
        let named = self.0.entry(location).or_default();
        let joins = using == Use::Joins;
        let ends_set = using == Use::Writes || joins != named.joins;
        if ends_set && !named.set.is_empty() {
            named.before = take(&mut named.set);
        }
        let earlier = named.before.clone();
        match using {
            Use::Writes => named.before = vec![child.clone()],
            Use::Reads | Use::Joins => {
                named.joins = joins;
                named.set.push(child.clone());
            }
        }
        earlier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tasks: &[Arc<Task>], all: &[Arc<Task>]) -> Vec<usize> {
        let place = |task| all.iter().position(|other| Arc::ptr_eq(task, other));
        tasks.iter().filter_map(place).collect()
    }

    #[test]
    fn readers_come_after_the_writer_and_before_the_next() {
        let all: Vec<_> = (0..6).map(|_| Task::initial()).collect();
        let mut locations = Locations::default();
        let mut name = |task: usize, using| {
            let earlier = locations.name(1, using, &all[task]);
            names(&earlier, &all)
        };
        assert!(name(0, Use::Reads).is_empty());
        assert_eq!(name(1, Use::Writes), [0]);
        assert_eq!(name(2, Use::Reads), [1]);
        assert_eq!(name(3, Use::Reads), [1]);
        assert_eq!(name(4, Use::Writes), [2, 3]);
        assert_eq!(name(5, Use::Writes), [4]);
    }

    #[test]
    fn a_set_runs_together() {
        let all: Vec<_> = (0..5).map(|_| Task::initial()).collect();
        let mut locations = Locations::default();
        let mut name = |task: usize, using| {
            let earlier = locations.name(1, using, &all[task]);
            names(&earlier, &all)
        };
        assert!(name(0, Use::Writes).is_empty());
        assert_eq!(name(1, Use::Joins), [0]);
        assert_eq!(name(2, Use::Joins), [0]);
        assert_eq!(name(3, Use::Reads), [1, 2]);
        assert_eq!(name(4, Use::Joins), [3]);
    }
}
