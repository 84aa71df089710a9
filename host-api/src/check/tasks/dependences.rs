//! The order that `depend` clauses make among the children of a task (OpenMP 5.2, §15.9.5).

use std::collections::HashMap;
use std::mem::take;
use std::sync::Arc;

use super::task::{Done, Task};

/// What a clause says of a storage location.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Use {
    /// `in`.
    #[default]
    Reads,
    /// `out` and `inout`.
    Writes,
    /// `inoutset`: tasks of one set may run together.
    Joins,
    /// `mutexinoutset`: tasks of one set run one after another, in any order.
    Excludes,
}

/// The tasks that have named a location last.
#[derive(Default)]
struct Named {
    /// The last writer, or those before the present set.
    before: Vec<Arc<Task>>,
    /// Readers since then, or the present set.
    set: Vec<Arc<Task>>,
    /// What all of the set say.
    using: Use,
    /// What those of a set that exclude each other have done.
    done: Arc<Done>,
}

/// What a task comes after because of a clause.
pub struct Earlier {
    /// Tasks.
    pub tasks: Vec<Arc<Task>>,
    /// What those tasks have done so far that run before or after it, but not meanwhile.
    pub excluded: Option<Arc<Done>>,
}

/// The locations that a task's children have named.
#[derive(Default)]
pub struct Locations(HashMap<u64, Named>);

impl Locations {
    /// A child names a location. Gives what it comes after.
    pub fn name(&mut self, location: u64, using: Use, child: &Arc<Task>) -> Earlier {
        let named = self.0.entry(location).or_default();
        if using != named.using && !named.set.is_empty() {
            named.before = take(&mut named.set);
            named.done = Arc::default();
        }
        named.using = using;
        let tasks = named.before.clone();
        match using {
            Use::Writes => named.before = vec![child.clone()],
            Use::Reads | Use::Joins | Use::Excludes => named.set.push(child.clone()),
        }
        let excluded = (using == Use::Excludes).then(|| named.done.clone());
        Earlier { tasks, excluded }
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
            names(&earlier.tasks, &all)
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
            names(&earlier.tasks, &all)
        };
        assert!(name(0, Use::Writes).is_empty());
        assert_eq!(name(1, Use::Joins), [0]);
        assert_eq!(name(2, Use::Joins), [0]);
        assert_eq!(name(3, Use::Reads), [1, 2]);
        assert_eq!(name(4, Use::Joins), [3]);
    }
}
