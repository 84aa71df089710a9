//! Explicit tasks of a block, as far as they order accesses.
//!
//! The device runtime runs a task where it is made, which OpenMP allows (5.2, §12.5), but no program may rely on. So to
//! the clock a task is a thread of its own, with a number that no thread of the block has. It comes after what its
//! maker did before, and after the tasks that it depends on. Who waits for it comes after it: at `taskwait`, at the end
//! of a `taskgroup`, and at barriers (OpenMP 5.2, §15.5, §15.4 and §15.3). The numbers are used again, the oldest
//! first: two tasks with the same number are taken to be ordered.

use std::collections::HashMap;

use vgpu_abi::{FINAL_TASK, TaskDependence, TaskEvent};

use super::thread_set::ThreadSet;
use crate::block::MAX_THREADS;

/// `knowers` wait for `subjects`, or come after them.
#[derive(Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who.
    pub knowers: ThreadSet,
    /// For whom.
    pub subjects: ThreadSet,
}

/// What an announcement has besides its event: see [`TaskEvent`].
pub struct Announced<'a> {
    /// The task's address.
    pub task: u64,
    /// The number.
    pub number: u64,
    /// The list.
    pub depends: &'a [TaskDependence],
}

/// A task that a thread is in, explicit or implicit.
struct Frame {
    /// As whom it accesses memory.
    who: u16,
    /// What it depends on.
    depends: Vec<TaskDependence>,
    /// Whether those that it makes are run at once, while it waits.
    is_final: bool,
    /// The same of those of the loop that it runs.
    is_loop_at_once: bool,
    /// The tasks that it has made since it waited for them.
    children: ThreadSet,
    /// Those of them with dependences.
    dependent: Vec<(u16, Vec<TaskDependence>)>,
    /// Those and the tasks they made, since it waited for all.
    unjoined: ThreadSet,
    /// The same from before each open `taskgroup`.
    outside: Vec<ThreadSet>,
}

impl Frame {
    fn new(who: u16) -> Frame {
        Frame {
            who,
            depends: Vec::new(),
            is_final: false,
            is_loop_at_once: false,
            children: ThreadSet::default(),
            dependent: Vec::new(),
            unjoined: ThreadSet::default(),
            outside: Vec::new(),
        }
    }

    /// The children that tasks with these dependences come after.
    fn before(&self, depends: &[TaskDependence]) -> ThreadSet {
        let conflicts = |old: &[TaskDependence]| {
            let mut pairs = old.iter().flat_map(|a| depends.iter().map(move |b| (a, b)));
            pairs.any(|(a, b)| a.conflicts(b))
        };
        let mut before = ThreadSet::default();
        for (child, _) in self.dependent.iter().filter(|(_, old)| conflicts(old)) {
            before.add(&ThreadSet::one(*child));
        }
        before
    }

    fn add_child(&mut self, child: Frame) {
        let who = ThreadSet::one(child.who);
        self.children.add(&who);
        self.unjoined.add(&who);
        self.dependent.retain(|(old, _)| *old != child.who);
        if !child.depends.is_empty() {
            self.dependent.push((child.who, child.depends));
        }
    }

    /// It has waited for some of the tasks.
    fn join(&mut self, joined: &ThreadSet) {
        self.children.remove(joined);
        self.unjoined.remove(joined);
        self.dependent.retain(|(child, _)| !joined.has(*child));
    }

    fn waits_for(&self, subjects: ThreadSet) -> Option<Wait> {
        let knowers = ThreadSet::one(self.who);
        (subjects != ThreadSet::default()).then_some(Wait { knowers, subjects })
    }
}

/// The tasks of a block.
#[derive(Default)]
pub struct Tasks {
    /// Threads of the block. Larger numbers are those of tasks.
    threads: u16,
    /// The number of the next task.
    next: u16,
    /// What each thread is in, the innermost last.
    frames: HashMap<u16, Vec<Frame>>,
    /// clang's flags of tasks that have not begun.
    made: HashMap<u64, u64>,
}

impl Tasks {
    /// A block of so many threads begins.
    pub fn begin_block(&mut self, threads: u16) {
        (self.threads, self.next) = (threads, threads);
        self.frames.clear();
        self.made.clear();
    }

    /// Whether a number is a task's.
    pub fn is_task(&self, who: u16) -> bool {
        who >= self.threads
    }

    /// As whom a thread accesses memory.
    pub fn who(&self, thread: u16) -> u16 {
        let innermost = || self.frames.get(&thread)?.last();
        match self.frames.is_empty() {
            true => thread,
            false => innermost().map_or(thread, |frame| frame.who),
        }
    }

    /// The tasks that some threads have made, and have not waited for. They end before a barrier of these threads.
    pub fn end_before_barrier(&mut self, threads: &ThreadSet) -> ThreadSet {
        let mut ended = ThreadSet::default();
        let frames = self.frames.iter_mut().filter(|(of, _)| threads.has(**of));
        for frame in frames.flat_map(|(_, frames)| frames) {
            ended.add(&frame.unjoined);
            let all = frame.unjoined;
            frame.join(&all);
        }
        ended
    }

    /// A thread announces something. Gives who comes after whom by it.
    pub fn announce(&mut self, thread: u16, event: TaskEvent, of: &Announced) -> Option<Wait> {
        match event {
            TaskEvent::Made => {
                self.made.insert(of.task, of.number);
                None
            }
            TaskEvent::Begins => {
                let flags = self.made.remove(&of.task).unwrap_or(0);
                self.begin(thread, false, flags, of.depends)
            }
            TaskEvent::BeginsAtOnce => {
                let flags = self.made.remove(&of.task).unwrap_or(0);
                self.begin(thread, true, flags, &[])
            }
            TaskEvent::BeginsInLoop => {
                let at_once = self.innermost(thread).is_loop_at_once;
                self.begin(thread, at_once, 0, &[])
            }
            TaskEvent::Ends => {
                self.end(thread);
                None
            }
            TaskEvent::Loop => {
                let flags = self.made.remove(&of.task).unwrap_or(0);
                self.innermost(thread).is_loop_at_once = of.number == 0 || flags & FINAL_TASK != 0;
                None
            }
            TaskEvent::Region => {
                let frame = Frame::new(self.who(thread));
                self.nest(thread).push(frame);
                None
            }
            TaskEvent::RegionEnds => self.end_region(thread),
            TaskEvent::Reduces => self.join_maker(thread),
            _ => self.wait(thread, event, of.depends),
        }
    }

    fn nest(&mut self, thread: u16) -> &mut Vec<Frame> {
        let nest = self.frames.entry(thread).or_default();
        if nest.is_empty() {
            nest.push(Frame::new(thread));
        }
        nest
    }

    fn innermost(&mut self, thread: u16) -> &mut Frame {
        let nest = self.nest(thread);
        let last = nest.len() - 1;
        &mut nest[last]
    }

    /// The number of a task that begins; `None` if the block has none for tasks.
    fn number(&mut self) -> Option<u16> {
        if self.threads >= MAX_THREADS as u16 {
            return None;
        }
        let number = self.next;
        self.next = match number + 1 < MAX_THREADS as u16 {
            true => number + 1,
            false => self.threads,
        };
        Some(number)
    }

    fn begin(
        &mut self,
        thread: u16,
        at_once: bool,
        flags: u64,
        depends: &[TaskDependence],
    ) -> Option<Wait> {
        let maker = self.innermost(thread);
        let (who, is_final) = (maker.who, maker.is_final);
        let mut subjects = maker.before(depends);
        let number = match at_once || is_final {
            true => None,
            false => self.number(),
        };
        let mut frame = Frame::new(number.unwrap_or(who));
        frame.is_final = is_final || flags & FINAL_TASK != 0;
        frame.depends = depends.to_vec();
        if number.is_some() {
            subjects.add(&ThreadSet::one(who));
        }
        let wait = frame.waits_for(subjects);
        self.nest(thread).push(frame);
        wait
    }

    fn end(&mut self, thread: u16) {
        let nest = self.nest(thread);
        if nest.len() < 2 {
            return;
        }
        let Some(ended) = nest.pop() else {
            return;
        };
        let maker = self.innermost(thread);
        maker.unjoined.add(&ended.unjoined);
        if ended.who != maker.who {
            maker.add_child(ended);
        }
    }

    fn end_region(&mut self, thread: u16) -> Option<Wait> {
        let nest = self.nest(thread);
        if nest.len() < 2 {
            return None;
        }
        let ended = nest.pop()?;
        ended.waits_for(ended.unjoined)
    }

    /// From now on the task is its maker, as far as accesses are concerned: tasks of a reduction share a variable here.
    fn join_maker(&mut self, thread: u16) -> Option<Wait> {
        let nest = self.nest(thread);
        let maker = nest.len().checked_sub(2).map(|index| nest[index].who)?;
        let frame = self.innermost(thread);
        let task = std::mem::replace(&mut frame.who, maker);
        match task == maker {
            true => None,
            false => frame.waits_for(ThreadSet::one(task)),
        }
    }

    fn wait(&mut self, thread: u16, event: TaskEvent, depends: &[TaskDependence]) -> Option<Wait> {
        let frame = self.innermost(thread);
        let joined = match event {
            TaskEvent::Waits => frame.children,
            TaskEvent::WaitsFor => frame.before(depends),
            TaskEvent::Group => {
                let outside = std::mem::take(&mut frame.unjoined);
                frame.outside.push(outside);
                return None;
            }
            TaskEvent::GroupEnds => {
                let outside = frame.outside.pop()?;
                std::mem::replace(&mut frame.unjoined, outside)
            }
            _ => return None,
        };
        frame.join(&joined);
        frame.waits_for(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Announced = Announced {
        task: 0,
        number: 0,
        depends: &[],
    };

    /// A block of 32 threads, of which the first does all.
    struct Block(Tasks);

    impl Block {
        fn new() -> Block {
            let mut tasks = Tasks::default();
            tasks.begin_block(32);
            Block(tasks)
        }

        fn says(&mut self, event: TaskEvent) -> Option<Wait> {
            self.0.announce(0, event, &NOTHING)
        }

        /// Runs a task. Gives its number, and what it comes after.
        fn task(&mut self, depends: &[TaskDependence]) -> (u16, Vec<u16>) {
            let of = Announced { depends, ..NOTHING };
            let wait = self.0.announce(0, TaskEvent::Begins, &of);
            let who = self.0.who(0);
            self.says(TaskEvent::Ends);
            (who, wait.map_or(Vec::new(), |wait| threads(&wait.subjects)))
        }
    }

    fn threads(set: &ThreadSet) -> Vec<u16> {
        (0..MAX_THREADS as u16).filter(|&it| set.has(it)).collect()
    }

    fn subjects(wait: Option<Wait>) -> Vec<u16> {
        wait.map_or(Vec::new(), |wait| threads(&wait.subjects))
    }

    #[test]
    fn a_task_comes_after_its_maker_and_before_who_waits_for_it() {
        let mut block = Block::new();
        assert_eq!(block.task(&[]), (32, vec![0]));
        assert_eq!(block.task(&[]), (33, vec![0]));
        assert_eq!(block.0.who(0), 0);
        assert_eq!(subjects(block.says(TaskEvent::Waits)), [32, 33]);
        assert_eq!(block.says(TaskEvent::Waits), None);
    }

    #[test]
    fn taskwait_waits_for_children_and_groups_for_all() {
        let mut block = Block::new();
        block.says(TaskEvent::Group);
        block.says(TaskEvent::Begins);
        block.task(&[]);
        block.says(TaskEvent::Ends);
        assert_eq!(subjects(block.says(TaskEvent::Waits)), [32]);
        assert_eq!(subjects(block.says(TaskEvent::GroupEnds)), [33]);
        block.says(TaskEvent::Begins);
        block.task(&[]);
        block.says(TaskEvent::Ends);
        let all = ThreadSet::lanes(0, 3);
        assert_eq!(threads(&block.0.end_before_barrier(&all)), [34, 35]);
        assert!(threads(&block.0.end_before_barrier(&all)).is_empty());
    }

    #[test]
    fn dependences_order_siblings() {
        let on = |flags| TaskDependence {
            address: 64,
            bytes: 4,
            flags,
        };
        let mut block = Block::new();
        assert_eq!(block.task(&[on(3)]), (32, vec![0]));
        assert_eq!(block.task(&[on(1)]), (33, vec![0, 32]));
        assert_eq!(block.task(&[on(1)]), (34, vec![0, 32]));
        let of = Announced {
            depends: &[on(1)],
            ..NOTHING
        };
        let wait = block.0.announce(0, TaskEvent::WaitsFor, &of);
        assert_eq!(subjects(wait), [32]);
        assert_eq!(subjects(block.says(TaskEvent::Waits)), [33, 34]);
    }

    #[test]
    fn included_tasks_are_their_makers() {
        let mut block = Block::new();
        assert_eq!(block.says(TaskEvent::BeginsAtOnce), None);
        assert_eq!(block.0.who(0), 0);
        assert_eq!(block.task(&[]).0, 32);
        block.says(TaskEvent::Ends);
        // Its children are nobody's that the thread waits for, but end before a barrier.
        assert_eq!(block.says(TaskEvent::Waits), None);
        let of = Announced {
            task: 8,
            number: FINAL_TASK,
            ..NOTHING
        };
        block.0.announce(0, TaskEvent::Made, &of);
        block.0.announce(0, TaskEvent::Begins, &of);
        assert_eq!(block.0.who(0), 33);
        assert_eq!(block.task(&[]), (33, vec![]));
        block.says(TaskEvent::Ends);
        let all = ThreadSet::one(0);
        assert_eq!(threads(&block.0.end_before_barrier(&all)), [32, 33]);
    }

    #[test]
    fn the_end_of_a_region_ends_its_tasks() {
        let mut block = Block::new();
        block.task(&[]);
        block.says(TaskEvent::Region);
        block.task(&[]);
        assert_eq!(subjects(block.says(TaskEvent::RegionEnds)), [33]);
        assert_eq!(subjects(block.says(TaskEvent::Waits)), [32]);
    }

    #[test]
    fn a_task_of_a_reduction_is_its_maker() {
        let mut block = Block::new();
        block.says(TaskEvent::Begins);
        assert_eq!(subjects(block.says(TaskEvent::Reduces)), [32]);
        assert_eq!(block.0.who(0), 0);
        block.says(TaskEvent::Ends);
        assert_eq!(block.says(TaskEvent::Waits), None);
    }

    #[test]
    fn numbers_are_used_again() {
        let mut block = Block::new();
        let mut most = 0;
        for _ in 0..3000 {
            most = most.max(block.task(&[]).0);
        }
        assert_eq!(most, MAX_THREADS as u16 - 1);
        let mut full = Tasks::default();
        full.begin_block(MAX_THREADS as u16);
        assert_eq!(full.announce(5, TaskEvent::Begins, &NOTHING), None);
        assert_eq!(full.who(5), 5);
    }
}
