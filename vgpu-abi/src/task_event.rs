//! What checked code announces of explicit tasks.

/// What a thread does with explicit tasks: the second argument of `vgpu_task`. The third is a task, the fourth a number
/// and the fifth a list, as said here.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEvent {
    /// It has made the task, which has the number as clang's flags.
    Made = 0,
    /// It begins to run the task, which depends on what is in the list of so many dependences.
    Begins = 1,
    /// The task that it is in has ended.
    Ends = 2,
    /// It begins to run the task, and whoever made the task waits for it: `if(0)`.
    BeginsAtOnce = 3,
    /// `taskwait`.
    Waits = 4,
    /// `taskwait depend(…)`, with so many dependences in the list.
    WaitsFor = 5,
    /// A `taskgroup` begins.
    Group = 6,
    /// It has ended.
    GroupEnds = 7,
    /// The task takes part in a reduction.
    Reduces = 8,
    /// A `taskloop` begins, of which the task is the pattern. The number is 0 if its tasks are run at once.
    Loop = 9,
    /// It begins to run the loop's next task, of so many bytes.
    BeginsInLoop = 10,
    /// A parallel region begins.
    Region = 11,
    /// It has ended.
    RegionEnds = 12,
}

impl TaskEvent {
    /// All, by their numbers.
    pub const ALL: [TaskEvent; 13] = [
        TaskEvent::Made,
        TaskEvent::Begins,
        TaskEvent::Ends,
        TaskEvent::BeginsAtOnce,
        TaskEvent::Waits,
        TaskEvent::WaitsFor,
        TaskEvent::Group,
        TaskEvent::GroupEnds,
        TaskEvent::Reduces,
        TaskEvent::Loop,
        TaskEvent::BeginsInLoop,
        TaskEvent::Region,
        TaskEvent::RegionEnds,
    ];
}

/// clang's flag of a task that is final, which makes those that it generates final, too (`kmp_tasking_flags`).
pub const FINAL_TASK: u64 = 2;

/// An entry of a list of dependences, as clang lays it out (`kmp_depend_info`).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskDependence {
    /// Where what it depends on lies.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// `in`, `out` and their like.
    pub flags: u8,
}

impl TaskDependence {
    /// `in`.
    pub const IN: u8 = 0x1;
    /// `inoutset`.
    pub const SET: u8 = 0x8;
    /// `omp_all_memory`.
    pub const ALL: u8 = 0x80;

    /// Whether tasks with these come one after the other (OpenMP 5.2, §15.9.5), or exclude each other.
    pub fn conflicts(&self, other: &TaskDependence) -> bool {
        let same =
            self.address == other.address || (self.flags | other.flags) & TaskDependence::ALL != 0;
        let both = |flags| self.flags == flags && other.flags == flags;
        same && !both(TaskDependence::IN) && !both(TaskDependence::SET)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions() {
        for (number, event) in TaskEvent::ALL.into_iter().enumerate() {
            assert_eq!(event as usize, number);
        }
    }

    #[test]
    fn dependences() {
        let of = |address, flags| TaskDependence {
            address,
            bytes: 4,
            flags,
        };
        let (reads, writes) = (TaskDependence::IN, TaskDependence::IN | 2);
        assert!(of(8, reads).conflicts(&of(8, writes)) && of(8, writes).conflicts(&of(8, writes)));
        assert!(!of(8, reads).conflicts(&of(8, reads)) && !of(8, writes).conflicts(&of(9, writes)));
        let set = TaskDependence::SET;
        assert!(!of(8, set).conflicts(&of(8, set)) && of(8, set).conflicts(&of(8, reads)));
        assert!(of(0, TaskDependence::ALL).conflicts(&of(8, writes)));
    }
}
