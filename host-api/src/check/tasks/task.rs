//! A task of the host, and what it comes after.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use findings::{Finished, TaskClock, enter_task, host_learns, known_to_host};
use parking_lot::Mutex;

use super::dependences::{Locations, Use};

/// What the tasks of a parallel region or a `taskgroup` have done.
#[derive(Default)]
pub struct Done(Mutex<Finished>);

/// A taskgroup, and the one around it.
struct Group {
    done: Done,
    around: Option<Arc<Group>>,
}

/// A task.
pub struct Task {
    /// What an explicit task knows. An implicit one knows what its thread does.
    clock: Option<Arc<TaskClock>>,
    parent: Option<Arc<Task>>,
    /// The parent goes on when it is complete.
    is_undeferred: bool,
    /// What the tasks of its parallel region have done.
    region: Arc<Done>,
    /// The taskgroup that it was made in.
    made_in: Option<Arc<Group>>,
    /// The innermost taskgroup that it is in.
    group: Mutex<Option<Arc<Group>>>,
    /// What its children have done.
    children: Done,
    locations: Mutex<Locations>,
    /// The tasks that its dependences name.
    predecessors: Mutex<Vec<Arc<Task>>>,
    /// What those have done that must not run while it does.
    excluded: Mutex<Vec<Arc<Done>>>,
    is_complete: AtomicBool,
}

impl Done {
    fn add(&self, known: &Finished) {
        self.0.lock().join(known);
    }

    /// The calling thread has waited for these.
    fn is_awaited(&self) {
        let known = self.0.lock().clone();
        host_learns(&known);
    }
}

impl Task {
    /// An initial task.
    pub fn initial() -> Arc<Task> {
        Task::implicit(Arc::default())
    }

    /// An implicit task of a parallel region.
    pub fn implicit(region: Arc<Done>) -> Arc<Task> {
        Arc::new(Task::new(None, None, false, region, None))
    }

    fn new(
        clock: Option<Arc<TaskClock>>,
        parent: Option<Arc<Task>>,
        is_undeferred: bool,
        region: Arc<Done>,
        group: Option<Arc<Group>>,
    ) -> Task {
        Task {
            clock,
            parent,
            is_undeferred,
            region,
            made_in: group.clone(),
            group: Mutex::new(group),
            children: Done::default(),
            locations: Mutex::default(),
            predecessors: Mutex::default(),
            excluded: Mutex::default(),
            is_complete: AtomicBool::new(false),
        }
    }

    /// The calling thread, which executes this task, makes another one.
    pub fn child(self: &Arc<Task>, is_undeferred: bool) -> Arc<Task> {
        let clock = TaskClock::new(known_to_host());
        let group = self.group.lock().clone();
        Arc::new(Task::new(
            Some(clock),
            Some(self.clone()),
            is_undeferred,
            self.region.clone(),
            group,
        ))
    }

    /// A `depend` clause of it names a location.
    pub fn depends(self: &Arc<Task>, location: u64, using: Use) {
        if let Some(parent) = &self.parent {
            let earlier = parent.locations.lock().name(location, using, self);
            self.predecessors.lock().extend(earlier.tasks);
            self.excluded.lock().extend(earlier.excluded);
        }
    }

    /// The calling thread begins it or goes on with it.
    pub fn run(&self) {
        enter_task(self.clock.clone());
        self.learn_from_predecessors();
        for done in self.excluded.lock().iter() {
            done.is_awaited();
        }
    }

    /// The calling thread has waited for the tasks that its dependences name.
    pub fn learn_from_predecessors(&self) {
        for task in std::mem::take(&mut *self.predecessors.lock()) {
            if let Some(clock) = &task.clock {
                host_learns(&clock.known());
            }
        }
    }

    /// It is complete, and its thread goes on with `next`.
    pub fn complete(&self, next: Option<&Arc<Task>>) {
        let Some(clock) = self.clock.as_ref() else {
            return;
        };
        if self.is_complete.swap(true, Ordering::Relaxed) {
            return;
        }
        let known = clock.known();
        self.region.add(&known);
        for done in self.excluded.lock().iter() {
            done.add(&known);
        }
        let mut group = self.made_in.as_ref();
        while let Some(inner) = group {
            inner.done.add(&known);
            group = inner.around.as_ref();
        }
        let Some(parent) = &self.parent else {
            return;
        };
        parent.children.add(&known);
        if self.is_undeferred && next.is_none_or(|next| Arc::ptr_eq(next, parent)) {
            match &parent.clock {
                Some(clock) => clock.join(&known),
                None => {
                    enter_task(None);
                    host_learns(&known);
                }
            }
        }
    }

    /// The calling thread, which executes it, has waited for its children.
    pub fn waited_for_children(&self) {
        self.children.is_awaited();
    }

    /// The calling thread has come to a barrier of the region, so to the end of all its tasks.
    pub fn waited_for_region(&self) {
        self.region.is_awaited();
    }

    /// It begins a taskgroup.
    pub fn begin_group(&self) {
        let mut group = self.group.lock();
        let around = group.take();
        let done = Done::default();
        *group = Some(Arc::new(Group { done, around }));
    }

    /// It has waited for a taskgroup.
    pub fn end_group(&self) {
        let mut group = self.group.lock();
        if let Some(inner) = group.take() {
            inner.done.is_awaited();
            group.clone_from(&inner.around);
        }
    }
}

#[cfg(test)]
mod tests {
    use findings::{DeviceWork, begin_by_host};

    use super::*;

    /// A task does something on a device.
    fn work(task: &Arc<Task>, next: &Arc<Task>) -> DeviceWork {
        task.run();
        let work = begin_by_host();
        let mut done = Finished::default();
        done.add(work);
        host_learns(&done);
        task.complete(Some(next));
        next.run();
        work
    }

    #[test]
    fn a_child_is_known_after_a_wait() {
        let initial = Task::initial();
        initial.run();
        let (one, two) = (initial.child(false), initial.child(false));
        let work = work(&one, &initial);
        two.run();
        assert!(!known_to_host().has(work));
        initial.run();
        assert!(!known_to_host().has(work));
        initial.waited_for_children();
        assert!(known_to_host().has(work));
    }

    #[test]
    fn dependences_order_siblings() {
        let initial = Task::initial();
        initial.run();
        let tasks: Vec<_> = [Use::Writes, Use::Reads, Use::Reads]
            .into_iter()
            .map(|using| {
                let task = initial.child(false);
                task.depends(64, using);
                task
            })
            .collect();
        let written = work(&tasks[0], &initial);
        let read = work(&tasks[1], &initial);
        tasks[2].run();
        assert!(known_to_host().has(written) && !known_to_host().has(read));
        initial.run();
    }

    #[test]
    fn tasks_that_exclude_each_other_run_in_any_order() {
        let initial = Task::initial();
        initial.run();
        let tasks = [(); 3].map(|()| initial.child(false));
        let uses = [Use::Excludes, Use::Excludes, Use::Writes];
        for (task, using) in tasks.iter().zip(uses) {
            task.depends(64, using);
        }
        let second = work(&tasks[1], &initial);
        assert!(!known_to_host().has(second));
        tasks[0].run();
        assert!(known_to_host().has(second));
        let first = work(&tasks[0], &initial);
        tasks[2].run();
        assert!(known_to_host().has(first) && known_to_host().has(second));
        initial.run();
    }

    #[test]
    fn groups_and_regions_end() {
        let initial = Task::initial();
        initial.run();
        initial.begin_group();
        let child = initial.child(false);
        child.run();
        let grandchild = child.child(false);
        let first = work(&grandchild, &child);
        child.complete(Some(&initial));
        initial.run();
        initial.waited_for_children();
        assert!(!known_to_host().has(first));
        initial.end_group();
        assert!(known_to_host().has(first));
        let second = work(&initial.child(false), &initial);
        assert!(!known_to_host().has(second));
        initial.waited_for_region();
        assert!(known_to_host().has(second));
        let third = work(&initial.child(true), &initial);
        assert!(known_to_host().has(third));
    }
}
